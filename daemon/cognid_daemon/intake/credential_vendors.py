"""Rules for tokens of vendors, each known by the literal letters it begins with.

Owns: the prefixes, as the vendors document them or as they are seen in the open. Lengths are lower
bounds, looser than the vendors', since formats grow; a placeholder in the right form passes.
"""

from __future__ import annotations

import re
from itertools import cycle, islice
from typing import Final

from cognid_daemon.intake.credential_rule import Check, Rule, Span, listed
from cognid_daemon.intake.credential_words import looks_drawn, stands_for_a_secret

_WORD: Final = r"[A-Za-z0-9_-]"
_HEX: Final = "[0-9a-fA-F]"


def made(length: int, alphabet: str = "a1B2c3D4e5F6g7H8") -> str:
    """The random part of an example; no real one has this form."""
    return "".join(islice(cycle(alphabet), length))


def _example(body: str, length: int) -> str:
    alphabet = "1a2b3c4d" if body.startswith(("[0-9a-f", "[0-9a-fA-F")) else "a1B2c3D4e5F6g7H8"
    return made(length, "A1B2C3D4" if body.startswith("[A-Z0-9]") else alphabet)


def is_no_placeholder(text: str, match: re.Match[str]) -> Span | None:
    """The span of the value (group v, else the whole match), unless it only stands for one."""
    span = match.span("v") if "v" in match.re.groupindex else match.span()
    return None if stands_for_a_secret(text[slice(*span)]) else span


def _with_digit(text: str, match: re.Match[str]) -> Span | None:
    """For prefixes that words share: the rest must hold a digit and not be a name."""
    span = match.span()
    value = text[slice(*span)]
    body = value.partition(match["p"])[2]
    if stands_for_a_secret(value) or not (body.isalpha() or looks_drawn(body, 12)):
        return None
    if body.isalpha() and (body == body.lower() or body == body.upper()):
        return None
    return span


def _vendor(
    name: str,
    what: str,
    prefixes: tuple[str, ...],
    body: str,
    length: int,
    check: Check = is_no_placeholder,
) -> Rule:
    """A token that begins with one of some literal prefixes."""
    starts = "|".join(re.escape(prefix) for prefix in prefixes)
    return Rule(
        id=f"credential.{name}",
        what=what,
        pattern=re.compile(rf"(?<![A-Za-z0-9])(?P<p>{starts}){body}"),
        anchors=prefixes,
        check=check,
        caught=tuple(f"{prefix}{_example(body, length)}" for prefix in prefixes),
        passed=(f"{prefixes[0]}{'x' * 40}", f"{prefixes[0]} is how it begins"),
        folded=False,
        whole=True,
    )


_ANY_20: Final = _WORD + "{20,512}"
_ALNUM_20: Final = "[A-Za-z0-9]{20,512}"
_DOTTED_20: Final = "[A-Za-z0-9_.=-]{20,512}"

VENDOR_RULES: Final = (
    _vendor(
        "github_token",
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        "[A-Za-z0-9_]{20,512}",
        36,
    ),
    _vendor(
        "gitlab_token",
        "a GitLab token",
        listed(
            "glpat-|gldt-|glrt-|glrtr-|glcbt-|glptt-|glft-|glimt-|glagent-|gloas-|glsoat-|glffct-|"
            "GR1348941"
        ),
        "[A-Za-z0-9_.-]{16,512}",
        20,
    ),
    _vendor(
        "slack_token",
        "a Slack token",
        listed("xoxb-|xoxp-|xoxa-|xoxe-|xoxe.|xoxo-|xoxr-|xoxs-|xoxc-|xoxd-|xapp-"),
        "[A-Za-z0-9.%/+-]{16,512}",
        40,
    ),
    _vendor(
        "stripe_key",
        "a Stripe key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"),
        "[A-Za-z0-9]{14,512}",
        24,
    ),
    _vendor("anthropic_key", "an Anthropic key", ("sk-ant-",), _ANY_20, 60),
    _vendor(
        "llm_key",
        "a key of a model provider",
        ("sk-", "gsk_", "xai-", "pplx-", "r8_", "csk-", "fw_", "nvapi-", "sk_or_"),
        _ANY_20,
        40,
        _with_digit,
    ),
    _vendor("google_key", "a Google API key", ("AIza",), _WORD + "{30,64}", 35),
    _vendor(
        "google_oauth", "a Google OAuth secret or token", ("GOCSPX-", "ya29.", "1//0"), _ANY_20, 40
    ),
    _vendor(
        "aws_key_id",
        "an AWS access key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        "[A-Z0-9]{16}(?![A-Za-z0-9])",
        16,
    ),
    _vendor("aws_bedrock_key", "an AWS Bedrock key", ("ABSK",), "[A-Za-z0-9+/=]{60,512}", 100),
    _vendor("mailgun_key", "a Mailgun key", ("key-",), _HEX + "{32}(?![A-Za-z0-9])", 32),
    _vendor("twilio_key", "a Twilio key", ("SK",), "[0-9a-f]{32}(?![A-Za-z0-9])", 32),
    _vendor("npm_token", "an npm token", ("npm_",), _ALNUM_20, 36, _with_digit),
    _vendor("pypi_token", "a PyPI token", ("pypi-",), _ANY_20, 60, _with_digit),
    _vendor(
        "huggingface_token", "a Hugging Face token", ("hf_", "api_org_"), _ALNUM_20, 34, _with_digit
    ),
    _vendor(
        "digitalocean_token",
        "a DigitalOcean token",
        ("dop_v1_", "doo_v1_", "dor_v1_"),
        _HEX + "{32,128}",
        64,
    ),
    _vendor(
        "shopify_token",
        "a Shopify token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        _HEX + "{24,64}",
        32,
    ),
    _vendor("square_token", "a Square token", ("sq0atp-", "sq0csp-", "sq0idp-"), _ANY_20, 22),
    _vendor(
        "meta_token",
        "a Facebook or Square token",
        ("EAA",),
        "[A-Za-z0-9_-]{50,512}",
        100,
        _with_digit,
    ),
    _vendor("databricks_token", "a Databricks token", ("dapi",), _HEX + "{32}", 32),
    _vendor("vault_token", "a Vault token", ("hvs.", "hvb.", "hvr."), _ANY_20, 90),
    _vendor(
        "atlassian_token",
        "an Atlassian token",
        ("ATATT3", "ATCTT3", "ATBB"),
        "[A-Za-z0-9_=-]{24,512}",
        60,
        _with_digit,
    ),
    _vendor(
        "service_token",
        "an access token of a service",
        listed(
            "HRKU-|glsa_|glc_|NRAK-|NRJS-|sntrys_|sntryu_|PMAK-|pul-|fo1_|FlyV1 |tskey-|dckr_pat_|"
            "dckr_oat_|sbp_|sb_secret_|pscale_tkn_|pscale_pw_|nfp_|rubygems_|CLOJARS_|xkeysib-|"
            "xsmtpsib-|lsv2_pt_|lsv2_sk_|dt0c01.|dp.pt.|dp.st.|dp.ct.|lin_api_|ntn_|figd_|secret_|"
            "ops_eyJ|sk.eyJ|cfut_|EZAK|phx_|rdme_|AKCp|ATTA|tvly-|e2b_|apify_api_|sgp_|shippo_live_"
        ),
        _DOTTED_20,
        44,
        _with_digit,
    ),
)
