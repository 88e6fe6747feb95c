"""Rules for credentials that are known by their form: keys, headers, addresses, cards.

Owns: the forms that no single literal begins. A placeholder in the right form passes.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from cognid_daemon.intake.credential_rule import Rule, Span, listed
from cognid_daemon.intake.credential_vendors import is_no_placeholder, made
from cognid_daemon.intake.credential_words import (
    looks_chosen,
    looks_drawn,
    looks_made_up,
    stands_for_a_secret,
)


def _is_private_key(text: str, match: re.Match[str]) -> Span | None:
    # The header alone is talk about a key ("it begins with -----BEGIN …"): a key has a body.
    following = text[match.end() : match.end() + 4096]
    body = re.match(
        r"[\s\\nr>|\"']*((?:[A-Za-z-]{2,24}: [^\n]{0,200}\s{1,4}){0,6})[A-Za-z0-9+/=]{16}",
        following,
    )
    return None if body is None else (match.start(), match.end() + body.end())


def _is_userinfo(text: str, match: re.Match[str]) -> Span | None:
    value = text[slice(*match.span("v"))]
    if text.startswith("sha256:", match.end()) or stands_for_a_secret(value):
        return None
    local = re.match(r"localhost|127\.0\.0\.1|\[::1\]", text[match.end() : match.end() + 16])
    return None if local and value == match["u"] else match.span("v")


def _is_login(text: str, match: re.Match[str]) -> Span | None:
    value = text[slice(*match.span("v"))].rstrip(".,;)")
    digits = sum(map(str.isdigit, value))
    chosen = looks_made_up(value) or (looks_chosen(value) and digits and len(value) >= 8)
    return match.span("v") if chosen and not stands_for_a_secret(value) else None


def _is_basic(text: str, match: re.Match[str]) -> Span | None:
    value = text[slice(*match.span("v"))]
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return None
    user, colon, password = decoded.partition(b":")
    readable = all(32 <= byte < 127 for byte in decoded)
    if not (readable and colon and user and len(password) >= 3):
        return None
    return None if stands_for_a_secret(password.decode()) else match.span("v")


def _is_drawn(text: str, match: re.Match[str]) -> Span | None:
    span = match.span("v")
    value = text[slice(*span)]
    return span if looks_drawn(value, 12) and not stands_for_a_secret(value) else None


def _is_user_and_password(text: str, match: re.Match[str]) -> Span | None:
    before = text[max(0, match.start() - 200) : match.start()].lower()
    if not any(tool in before for tool in ("curl", "wget", "http")):
        return None
    return is_no_placeholder(text, match)


def _is_given(text: str, match: re.Match[str]) -> Span | None:
    before = text[max(0, match.start() - 80) : match.start()].rpartition("\n")[2]
    if before.endswith("sshpass"):
        return is_no_placeholder(text, match)
    tools = (
        "docker login",
        "redis-cli",
        "mysql",
        "podman login",
        "smbclient",
        "mongo",
        "ldapsearch",
    )
    given = any(tool in before for tool in tools) and looks_chosen(match["v"])
    return is_no_placeholder(text, match) if given else None


def _is_bot_token(text: str, match: re.Match[str]) -> Span | None:
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    value = match[0]
    if any(c.isalnum() or c in "_-/" for c in around) or stands_for_a_secret(value):
        return None
    body = re.split("[:.]", value)[-1]
    return match.span() if any(c.isdigit() for c in body) and body != body.lower() else None


def _has_32_before(text: str, match: re.Match[str]) -> Span | None:
    start = match.start() - 32
    body = text[max(0, start) : match.start()]
    return (start, match.end()) if re.fullmatch("[0-9a-f]{32}", body) else None


def _is_azure_secret(text: str, match: re.Match[str]) -> Span | None:
    start = match.start() - 3
    return (start, match.end()) if text[max(0, start) : match.start()].isalnum() else None


_NO_CARD: Final = re.compile(
    r"order|track|invoice|imei|isbn|serial|ticket|referen|test card|test number|dummy|example|"
    r"parcel|shipment|fedex|dhl|customer|member|library"
)


def _is_card(text: str, match: re.Match[str]) -> Span | None:
    start, end = match.start(), match.end("rest")
    number = re.sub("[ .-]", "", text[start:end])
    if len(set(number)) < 3 or (len(number) == 15) != (number[:2] in ("34", "37")):
        return None
    digits = [int(digit) for digit in reversed(number)]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]
    if (sum(digits[::2]) + sum(doubled)) % 10:
        return None
    before = text[max(0, start - 40) : start].lower()
    return None if _NO_CARD.search(before) else (start, end)


_PRIVATE: Final = "PRIVATE KEY"
_PEM: Final = f"-----BEGIN RSA {_PRIVATE}-----\n"

TOKEN_RULES: Final = (
    Rule(
        "credential.sendgrid_key",
        "a SendGrid key",
        re.compile(r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{12,64}\.[A-Za-z0-9_-]{16,128}"),
        ("SG.",),
        is_no_placeholder,
        (f"SG.{made(22)}.{made(43)}",),
        ("SG.xxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxx", "SG. is how it begins"),
        folded=False,
    ),
    Rule(
        "credential.private_key",
        "a private key",
        re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
        ("-----BEGIN",),
        _is_private_key,
        (f"{_PEM}{made(64)}", f"{_PEM}Proc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n{made(64)}"),
        ("a PEM file begins with " + _PEM, "-----BEGIN CERTIFICATE-----\n" + made(64)),
        folded=False,
    ),
    Rule(
        "credential.age_key",
        "an age secret key",
        re.compile(r"age-secret-key-(?:pq-)?1[a-z0-9]{40,4096}"),
        ("age-secret-key-",),
        is_no_placeholder,
        ("AGE-SECRET-KEY-1" + made(58, "QPZRY9X8"),),
        ("an AGE-SECRET-KEY-1... file",),
    ),
    Rule(
        "credential.jwt",
        "a signed web token (JWT)",
        re.compile(
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,1024}"
        ),
        ("eyJ",),
        is_no_placeholder,
        (f"eyJ{made(30)}.eyJ{made(40)}.{made(43)}",),
        ("a JWT begins with eyJ because of the brace", "eyJxxxxxxxx.xxxxxxxx.xxxxxxxx"),
        folded=False,
    ),
    Rule(
        "credential.url_password",
        "a password in an address",
        re.compile(r"""://(?P<u>[^\s/:@?#"'<>]{0,128}):(?P<v>[^\s/@"'<>]{1,512})@(?=[\w\[])"""),
        ("://",),
        _is_userinfo,
        ("postgres://app:kelp4you@db/orders", "redis://:Kelp4you@cache:6379"),
        (
            "postgres://user:password@localhost/db",
            "postgres://postgres:postgres@localhost/db",
            "https://${USER}:${PASS}@host",
            "docker://nginx:1.25@sha256:" + made(64, "0a1b"),
            "http://localhost:8080/@dana",
        ),
        folded=False,
    ),
    Rule(
        "credential.network_address",
        "the password of a network",
        re.compile(r"wifi:(?:[^\s;]{1,64};){0,4}?p:(?P<v>[^;\s]{4,64});"),
        ("wifi:",),
        is_no_placeholder,
        ("WIFI:S:Gull;T:WPA;P:tealHeron4;;",),
        ("WIFI:S:Gull;T:nopass;;", "wifi:S:NAME;T:WPA;P:PASSWORD;;"),
    ),
    Rule(
        "credential.mail_and_password",
        "a mail address and its password",
        re.compile(
            r"@[\w-]{1,64}(?:\.[\w-]{1,32}){1,4}\s?[/|:,]\s{0,2}(?:(?:pw|pass|password)[:\s]\s?)?"
            r"(?P<v>[^\s/@:]{6,64})(?!\S{0,32}[/@])"
        ),
        ("@",),
        _is_login,
        ("gmail: dana@kiln.test / Kelp_Tea_88", "dana@kiln.test:Kelp4you"),
        (
            "git@kiln.test:dana/notes2.git",
            "dana@kiln.test, Room12",
            "dana@kiln.test / ana@kiln.test",
        ),
    ),
    Rule(
        "credential.basic_header",
        "a user and password in a Basic header",
        re.compile(r"(?:[Bb]asic|BASIC)\s{1,3}(?P<v>[A-Za-z0-9+/]{8,1024}={0,2})"),
        ("Basic ", "basic ", "BASIC "),
        _is_basic,
        ("Authorization: Basic " + base64.b64encode(b"dana:kelp4you").decode(),),
        ("Basic understanding of it",),
        folded=False,
    ),
    Rule(
        "credential.bearer",
        "a bearer token",
        re.compile(r"bearer[\s:=]{1,3}[\"']?(?P<v>[a-z0-9._~+/=-]{12,8192})"),
        ("bearer",),
        _is_drawn,
        ("Bearer " + made(40),),
        ("Bearer $TOKEN", "bearer authentication is used", "Bearer " + "x" * 32),
    ),
    Rule(
        "credential.header",
        "a secret in a header",
        re.compile(
            r"(?:authorization|x-[a-z]{0,16}-?(?:key|token|auth|secret)|api-key|"
            r"private-token)[\"']?"
            r"\s{0,3}[:=]\s{0,3}[\"']?(?:(?:token|digest|apikey|api-key|key|bearer|hmac|"
            r"aws)\s{1,3})?"
            r"(?P<v>[a-z0-9._~+/=-]{12,8192})"
        ),
        ("authorization", "x-", "api-key", "private-token"),
        _is_drawn,
        ("Authorization: token " + made(40), "X-Api-Key: " + made(32)),
        ("Authorization: Bearer <token>", "authorization: required-for-everyone"),
    ),
    Rule(
        "credential.cookie",
        "a session cookie",
        re.compile(
            r"(?:php|j|asp\.net_|_)?sess(?:ion)?(?:_?id|_?token)?=(?P<v>[a-z0-9%._~+/-]{16,4096})"
            r"|connect\.sid=(?P<w>[a-z0-9%._~+/-]{16,4096})"
            r"|cookie: [^\n=]{0,24}(?:auth|token|sid"
            r"|jwt)[\w-]{0,12}=(?P<x>[a-z0-9%._~+/-]{16,4096})"
        ),
        ("sess", "connect.sid=", "cookie: "),
        lambda text, match: (
            match.span(match.lastgroup or 0)
            if looks_drawn(match[match.lastgroup or 0], 16)
            and not stands_for_a_secret(match[match.lastgroup or 0])
            else None
        ),
        ("Cookie: sessionid=" + made(32), "connect.sid=s%3A" + made(40)),
        ("session=production-database-session", "sessionid=<your session id>"),
    ),
    Rule(
        "credential.webhook",
        "a webhook address that anybody can post to",
        re.compile(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,256}"
            r"|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,24}/[\w-]{30,128}"
            r"|[\w-]{1,64}\.webhook\.office\.com/[\w@/-]{40,512}"
        ),
        ("hooks.slack.com/", "discord.com/", "discordapp.com/"),
        is_no_placeholder,
        (f"https://hooks.slack.com/services/T{made(8)}/B{made(8)}/{made(24)}",),
        ("https://hooks.slack.com/services/XXXX/XXXX/xxxxxxxxxxxxxxxxxxxxxxxx",),
    ),
    Rule(
        "credential.azure_key",
        "an Azure key",
        re.compile(r"(?:accountkey|sharedaccesskey|primarykey)=(?P<v>[a-z0-9+/]{40,128}={0,2})"),
        ("accountkey=", "sharedaccesskey=", "primarykey="),
        is_no_placeholder,
        (f"AccountName=kiln;AccountKey={made(86)}==",),
        ("AccountKey=<key>",),
    ),
    Rule(
        "credential.azure_secret",
        "an Azure client secret",
        re.compile(r"[78]Q~[A-Za-z0-9~_.-]{28,40}"),
        ("8Q~", "7Q~"),
        _is_azure_secret,
        (f"abc8Q~{made(34)}",),
        ("8Q~ is in the middle of it",),
        folded=False,
    ),
    Rule(
        "credential.signed_address",
        "a signed address (SAS)",
        re.compile(r"[?&;](?:sig|x-amz-signature)=(?P<v>[a-z0-9%+/=]{32,256})"),
        ("?sig=", "&sig=", ";sig=", "&x-amz-signature=", "?x-amz-signature="),
        is_no_placeholder,
        (f"https://kiln.blob.core.windows.net/a?sv=2022&sig={made(44)}",),
        ("?sig=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",),
    ),
    Rule(
        "credential.mailchimp_key",
        "a Mailchimp key",
        re.compile(r"-us\d{1,2}(?!\w)"),
        ("-us",),
        _has_32_before,
        (made(32, "a1b2c3d4") + "-us14",),
        ("region-us1",),
    ),
    Rule(
        "credential.telegram_token",
        "a Telegram bot token",
        re.compile(r"[0-9]{8,10}:[A-Za-z0-9_-]{32,40}"),
        (),
        _is_bot_token,
        (f"612345678{4}:AA{made(33)}",),
        ("1733000000:" + "x" * 35,),
        folded=False,
        needs=(":",),
    ),
    Rule(
        "credential.discord_token",
        "a Discord bot token",
        re.compile(r"[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{25,48}"),
        (),
        _is_bot_token,
        (f"M{made(23)}.{made(6)}.{made(38)}",),
        ("My-long-hyphenated-words.middle.and-then-some-more-of-them",),
        folded=False,
    ),
    Rule(
        "credential.otp_secret",
        "the secret of a one-time password",
        re.compile(
            r"otpauth(?:-migration)?://[^\s?]{0,256}\?[^\s]{0,64}?(?:secret|"
            r"data)=(?P<v>[\w%=+/-]{8,1024})"
        ),
        ("otpauth",),
        is_no_placeholder,
        ("otpauth://totp/Kiln:dana?secret=" + made(32, "JBSWY3DP"),),
        ("otpauth://totp/LABEL?secret=YOUR_SECRET", "the otpauth:// scheme"),
    ),
    Rule(
        "credential.user_option",
        "a user and password on a command line",
        re.compile(r"(?:-u|--user|--proxy-user)[ =]['\"]?[^\s:'\"]{1,64}:(?P<v>[^\s'\"]{1,128})"),
        ("-u ", "--user", "--proxy-user"),
        _is_user_and_password,
        ("curl -u dana:kelp4you https://kiln.test",),
        ("curl -u user:password https://kiln.test", "sort -u a:b"),
    ),
    Rule(
        "credential.password_option",
        "a password on a command line",
        re.compile(r" -[pa]\s{0,3}['\"]?(?P<v>[^\s'\"]{3,128})"),
        listed(" -p| -a"),
        _is_given,
        ("sshpass -p kelp4you ssh dana@kiln", "docker login -u dana -p kelp4you kiln.test"),
        ("sshpass -p $PASSWORD ssh dana@kiln", "docker run -p 8080:80 x", "mkdir -p app2/data3"),
    ),
    Rule(
        "credential.card",
        "a payment card number",
        re.compile(
            r"[2-6](?<![\d.].)(?=(?P<rest>(?:(?<=[345])\d{3}|(?<=6)[045]\d\d|(?<=2)[2-7]\d\d)"
            r"(?:([ .-])\d{4}\2\d{4}\2\d{4}|([ .-])\d{6}\3\d{5}|\d{11,12}))(?!\d))"
        ),
        (),
        _is_card,
        ("4539 1488 0343 6467", "378282246310005"),
        ("4539 1488 0343 6468", "order 4539148803436467", "356938035643809"),
        folded=False,
        needs=tuple("23456"),
    ),
)
"""Known by form. Longer, more specific forms first: of two that overlap, the first named stays."""
