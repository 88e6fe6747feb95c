"""The rule for the words from which a wallet is restored.

Owns: what announces such words, and how they stand: one beside the other, all separated alike.
Where nothing announces them, they are known by the list that they come from.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import Final

from cognid_daemon.intake.credential_mnemonic import (
    SIZES,
    are_drawn,
    is_a_mnemonic,
    is_listed,
    may_hold_a_mnemonic,
)
from cognid_daemon.intake.credential_rule import Rule, Span, listed

_PROSE: Final = frozenset(
    listed(
        "the|and|are|was|were|has|had|his|her|hers|him|she|its|our|ours|your|yours|their|them|for|"
        "with|from|not|but|nor|who|whom|whose|how|why|did|does|been|being|onto|than|these|those|"
        "which|don|won|didn|isn|wasn|should|would|could|might|shall|each|anybody|somebody|anyone|"
        "while|whether|after|back|both|came|cannot|doing|done|down|even|every|get|gets|goes|going|"
        "got|having|kept|last|let|look|made|many|may|most|none|out|said|says|see|seen|some|take|"
        "thanks|things|think|through|told|too|took|tried|wants|well|went|without|yes|yet|really|"
        "maybe|anything|everyone|store|stored|storing|lose|lost|forgot|keeps|asked|asking|knows|"
        "making|makes|support|devices|"
        # what announces a phrase
        "phrases|recovery|words|backup|mnemonic|wallet|keys|restore|ledger|trezor|metamask|phantom|"
        "here|comes|bip|written|asks|needs"
    )
)
"""Words of prose, and those that announce a phrase; what is left between two is counted.

None of them is on the BIP-39 list, from which the words of a phrase are drawn ("also", "never" and
"secret" are): else one word in a phrase would hide it.
"""

_PHRASE: Final = re.compile(
    r"(?:seed|recovery|mnemonic|backup|wallet|secret|restore|metamask|ledger|trezor|phantom"
    r"|wiederherstellungs)(?:'s)?[\s-]{0,2}(?:recovery |backup |secret |seed )?(?:phrase|words|key"
    r"|mnemonic|liste)|wallet(?:'s)? (?:backup|seed|recovery)|mnemonic|bip-?39|(?:my|wallet)"
    r" seed\b|\bseed(?: is)?\s?[:=]"
    r"|(?:1[258]|2[14]|twelve|fifteen|eighteen|twenty-one|twenty-four|twenty four|zwölf"
    r"|vierundzwanzig) (?:seed |secret |recovery |magic |backup )?"
    r"(?:words|wörter|mots|palabras|parole|palavras|woorden|słów|слов)"
    r"|metamask|trezor|electrum|exodus|phantom|ledger|keplr|rabby|solflare|safepal|keystone"
    r"|coldcard|bitbox|tangem|yoroi|trust ?wallet|(?:frase|palabras) (?:semilla|de recuperación)"
    r"|frase de recuperação|frase di recupero|phrase (?:de récupération|secrète)|herstelzin"
    r"|助记词|復元"
)
_WALLET: Final = re.compile(r"(?:wallet|coinbase|crypto|bitcoin|btc|ethereum|solana)(?! ?[,;/])")
"""What announces a phrase too, but more often something else."""
_CUES: Final = listed(
    "seed|recovery|mnemonic|backup|wallet|secret|restore|metamask|ledger|trezor|phantom|bip|words"
    "|wiederherstellung|wörter|mots|palabras|parole|palavras|woorden|słów|слов|frase|phrase"
    "|electrum|exodus|keplr|rabby|solflare|safepal|keystone|coldcard|bitbox|tangem|yoroi|trust"
    "|herstelzin|助记词|復元|coinbase|crypto|bitcoin|btc|ethereum|solana"
)
"""One of these is in whatever announces a phrase: to look for them costs less than to read."""


def _is_phrase(text: str, match: re.Match[str]) -> Span | None:
    around = text[max(0, match.start() - 80) : match.end() + 80].lower()
    if not any(cue in around for cue in _CUES) and not may_hold_a_mnemonic(match[0].lower()):
        return None
    announced = _PHRASE.search(around) is not None
    if not announced and not _WALLET.search(around):
        return _mnemonic(text, match)
    run: list[re.Match[str]] = []
    folded = match[0].lower()
    for word in re.finditer(r"[a-z]+", folded):
        gap = folded[run[-1].end() : word.start()] if run else ""
        if word[0] in _PROSE or (":" in gap and not any(map(str.isdigit, gap))):
            if span := _phrase_of(folded, run, listed=announced):
                break
            run = []
            if word[0] in _PROSE:
                continue
        run.append(word)
    else:
        span = _phrase_of(folded, run, listed=announced)
    return (match.start() + span[0], match.start() + span[1]) if span else _mnemonic(text, match)


def _phrase_of(text: str, run: list[re.Match[str]], *, listed: bool) -> Span | None:
    """The span of twelve words or more that are separated alike; `listed`: commas may do it.

    With commas they stand one by one or in groups of one size ("a b c d, e f g h"); what stands
    before the first group and after the last is prose.
    """
    if len(run) < 12:
        return None
    groups = [[run[0]]]
    for before, word in pairwise(run):
        if "," in text[before.end() : word.start()]:
            groups.append([word])
        else:
            groups[-1].append(word)
    if len(groups) > 1:
        size = len(groups[1])
        alike = all(len(group) == size for group in groups[1:-1])
        if not (listed and alike and size in (1, 3, 4, 6)):
            return None
        run = [*groups[0][-size:], *chain(*groups[1:-1]), *groups[-1][:size]]
    return (run[0].start(), run[-1].end()) if len(run) >= 12 else None


def _mnemonic(text: str, match: re.Match[str]) -> Span | None:
    """Words of the list alone on their lines, or such words among others with a right checksum."""
    found = list(re.finditer(r"[a-z]+", match[0].lower()))
    words = [word[0] for word in found]
    listed = [is_listed(word) for word in words]
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    after = text[match.end() :].partition("\n")[0]
    alone = not any(map(str.isalpha, before + after[:64]))
    apart = "," not in match[0]
    if (
        alone
        and apart
        and len(words) in SIZES
        and listed.count(False) <= (len(words) > SIZES[0])
        and (are_drawn(words) or is_a_mnemonic(words))
    ):
        return match.span()
    at = 0
    while at < len(words):
        length = next((n for n, one in enumerate(listed[at:]) if not one), len(words) - at)
        if SIZES[0] <= length <= SIZES[-1]:
            for size in SIZES:
                for start in {at, at + length - size} if length >= size else ():
                    if is_a_mnemonic(part := words[start : start + size]) and are_drawn(part):
                        offset = match.start()
                        return offset + found[start].start(), offset + found[start + size - 1].end()
        at += length + 1
    return None


PHRASE_RULES: Final = (
    Rule(
        "credential.seed_phrase",
        "the recovery phrase of a wallet",
        re.compile(
            r"(?<![^\W_])(?:[a-z]{3,8}+[ \t\r\n\d.,;:)(|/>-]{1,8}+){11,60}[a-z]{3,8}(?![a-z])"
        ),
        (),
        _is_phrase,
        (
            "seed phrase: lantern gravel pistol ocean marble tunnel cactus velvet hammer walnut"
            " ribbon copper",
            "assume tip mimic lunar clever congress place also distance misery snap double",
            "alpha doctor dream bid school mandate detail acquire bamboo obvious aim clump, done",
        ),
        (
            "apple bread milk butter rice onion garlic lemon honey pasta salt pepper",
            "dog cat horse cow sheep goat pig hen duck goose turkey rabbit",
            "Groceries: apple bread milk butter rice onion garlic lemon honey pasta salt pepper",
            "seed potatoes, onion, carrot, beans, peas, corn, squash, kale, chard, leek, fennel, "
            "beet,"
            " garlic",
        ),
    ),
)
