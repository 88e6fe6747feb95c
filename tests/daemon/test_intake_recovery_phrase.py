"""A wallet's recovery phrase: every valid one is found, and prose about such phrases passes.

The words are drawn afresh from three hundred of the kind that phrases are made of, among them
those that prose is made of as well ("also", "never", "secret").
"""

from __future__ import annotations

import random

import pytest

from cognid_daemon.intake.credential_phrases import _PROSE
from cognid_daemon.intake.credentials import find_credentials

_LISTED = (
    "ability able about across again agent airport alarm alien all also alter always amateur"
    " amazing among anchor anger ankle antenna anxiety april arena arrow ask august aunt"
    " author avoid bachelor ball banner barely because below benefit betray better between"
    " bitter blind blossom blue bracket bunker burger bus cake camp captain carbon case casino"
    " catalog ceiling celery century cereal chalk champion change chaos charge chief child"
    " choice cinnamon clever cliff clock clog clutch coconut comfort common connect coral crew"
    " crisp cry damp dance daughter degree deposit depth desert detect doll donkey drastic"
    " drink drive eager earth easily east echo egg elephant else embrace enable enough exclude"
    " expose eye face final fine flush focus foot fork forum frown future gap garment gather"
    " gentle gesture giant goat gorilla grace grant gravity grief guilt half hello hidden hip"
    " hole hollow honey hood horn horror idea initial insane intact into jeans just kangaroo"
    " keep key knife knock ladder lawsuit legend leisure leopard like link list live load loan"
    " logic lonely loud mask mean mechanic merge mind misery mobile month morning motion must"
    " need negative neutral never normal notable nut olive online only opera option other"
    " owner paddle palace palm panic paper pause pear person phrase piano please poem polar"
    " position poverty practice prevent property puzzle quantum rain receive reflect relief"
    " remember require ride rough round rubber salad scan season secret seed sense settle"
    " shadow share shield shine short shoulder silk six sketch skull slice snack someone song"
    " sorry space spin sport stadium steak stereo stove street student style such symptom that"
    " then there they this thunder tilt time tomorrow tonight tool topic track trade trap"
    " travel tray tree trend trip tuition tumble twelve twenty under unique unlock until"
    " unveil upon vague vanish vault venture very vessel viable vicious voice wage want"
    " warfare waste wedding welcome when where will window wolf word wreck write you zoo"
)
_WORDS = tuple(_LISTED.split())

_ANNOUNCED = (
    "my seed phrase is {}",
    "metamask: {}",
    "metamask phrase, keep it safe: {}",
    "ledger recovery words {}",
    "my ledger's 24 words\n{}",
    "here's the wallet backup {}",
    "trezor seed: {} ok?",
    "{} that's my phantom wallet phrase",
    "please remember my secret recovery phrase: {}",
    "write down these twelve words: {}",
    "electrum gave me {}",
    "mi frase semilla es {}",
    "Meine zwölf Wörter: {}",
    "recovery phrase for the coinbase wallet -> {}",
    "the mnemonic:\n{}",
)

_PROSE_TRAPS = (
    (
        "my seed phrase is twelve words long and I keep it in a safe place at home so nobody "
        "finds it"
    ),
    (
        "Never share your recovery phrase with anyone online, they will always ask because then"
        " someone can take everything"
    ),
    (
        "Please write your seed phrase down on paper twice, then hide both copies where nobody "
        "else could ever find them"
    ),
    ("My wallet recovery phrase got lost when we moved house last year, support could not help"),
    (
        "Where should people keep seed words? Some like metal plates, others prefer paper "
        "inside home safes"
    ),
    "The ledger asks for twelve words, then shows them once more before continuing",
    "A mnemonic phrase encodes entropy plus checksum bits using words from lists",
    (
        "Metamask wants me to confirm the secret phrase again, word by word, and I am stuck at "
        "number seven"
    ),
    ("Trezor shipped late, battery cover cracked, screen works fine though support seems slow"),
    (
        "Packing list: wallet, passport, charger, socks, shirts, toothbrush, sunscreen, towel, "
        "hat, book, snacks, water"
    ),
    (
        "wallet, keys, phone, charger, glasses, mask, tissues, gum, lipstick, pen, notebook, "
        "mirror, comb"
    ),
    "Phantom of the Opera tickets cost ninety dollars each, seats near middle row left side",
    "BIP39 words come from a list with 2048 entries, each four letters unique",
    (
        "My phone backup failed yesterday because storage ran full, please explain what options"
        " there are"
    ),
    "Restore from backup took three hours while everyone waited outside the office",
    (
        "Exodus is the second book, and then Leviticus, Numbers, Deuteronomy, Joshua, Judges, "
        "Ruth, Samuel, Kings, Chronicles, Ezra"
    ),
    (
        "The ledger shows rent, food, fuel, phone, internet, insurance, gym, books, travel, "
        "gifts, savings, taxes"
    ),
    (
        "I learned fifty new words today: apple, table, chair, window, garden, street, bridge, "
        "river, mountain, valley, forest, desert"
    ),
    "Use the seed 42 for the random generator, then shuffle train data before each epoch",
    (
        "Seeds to buy: tomato, carrot, radish, lettuce, spinach, pepper, onion, squash, "
        "pumpkin, basil, parsley, chives"
    ),
    "seed potatoes onion carrot beans peas corn squash kale chard leek fennel beet garlic",
    (
        "My recovery after surgery went well, walking daily, eating better, sleeping deeper, "
        "feeling stronger every week"
    ),
    (
        "Recovery run today: easy pace, flat route, great weather, happy legs, good music, nice"
        " people"
    ),
    ("The secret key exchange uses elliptic curves, see the docs about forward secrecy under TLS"),
    "Someone asked which words belong into that list, please write back when there is time",
    (
        "My secret words of wisdom: always listen, never rush, trust people, stay humble, work "
        "hard, laugh often"
    ),
    ("Bitcoin price fell again while gold rose, many analysts expect further losses next month"),
    ("crypto winter made lots people sell their coins, then prices went through the roof again"),
    (
        "Electrum is a light client that runs on desktop, supports hardware devices, plugins, "
        "multisig"
    ),
    (
        "Coinbase support told me that transfers take three days because banks are closed over "
        "the weekend"
    ),
    ("I bought a leather wallet from that small shop near the station, brown with black thread"),
    ("In other words, the backup plan needs more people, less money, better tools and clear goals"),
    ('The phrase "seed capital" means early money from angels, family, friends or small funds'),
    ("Without recovery words the wallet cannot be opened again, not even by the company itself"),
    ("Ask twelve people about twenty words they always remember, then compare the lists with ours"),
    (
        "Backup your photos, music, videos, documents, emails, contacts, notes, calendars, "
        "messages, settings, bookmarks, passwords"
    ),
    "I wrote my seed phrase on steel plates because paper burns, fades, tears and gets wet",
    (
        "Vocabulary words this week: curious, gentle, fragile, ancient, modern, distant, "
        "silent, narrow, shallow, bitter, sour, tender"
    ),
    (
        "Wallet colors available: black, brown, navy, olive, tan, red, grey, cream, burgundy, "
        "forest, charcoal, sand"
    ),
    (
        "Crypto tax tools list trades, fees, gains, losses, income, gifts, mining, staking, "
        "forks, airdrops, margin, futures"
    ),
    (
        "Please help me think about where people could safely hide their twenty four seed words"
        " without using banks"
    ),
)


def _is_found(text: str) -> bool:
    return any(finding.rule == "credential.seed_phrase" for finding in find_credentials(text))


@pytest.mark.parametrize("length", [12, 15, 18, 21, 24])
@pytest.mark.parametrize("separator", [" ", "\n", ", "])
def test_every_drawn_phrase_is_found(length: int, separator: str) -> None:
    """Any words of the list, announced in any of the ways, on one line or many."""
    rng = random.Random(length)
    texts = [
        rng.choice(_ANNOUNCED).format(separator.join(rng.choices(_WORDS, k=length)))
        for _ in range(100)
    ]
    assert [text for text in texts if not _is_found(text)] == []


def test_numbered_and_grouped_words_are_found() -> None:
    """ "1. … 2. …", and commas or line ends after every few words."""
    rng = random.Random(3)
    for _ in range(100):
        words = rng.choices(_WORDS, k=12)
        numbered = " ".join(f"{place}. {word}" for place, word in enumerate(words, 1))
        grouped = ",\n".join(" ".join(words[at : at + 4]) for at in range(0, 12, 4))
        assert _is_found(f"seed phrase: {numbered}")
        assert _is_found(f"my recovery phrase: {grouped}")


def test_no_word_of_a_phrase_counts_as_prose() -> None:
    """A word of the list that ended the count would hide the phrase it stands in."""
    assert _PROSE.isdisjoint(_WORDS)
    assert len(set(_WORDS)) >= 300


@pytest.mark.parametrize("text", _PROSE_TRAPS)
def test_prose_and_lists_pass(text: str) -> None:
    """What is said of phrases, wallets and words, and lists of other things, are none."""
    assert find_credentials(text) == []


def test_words_that_come_again_are_no_phrase() -> None:
    """Of a long text out of eight words of the list some twelve have a right checksum by chance."""
    draw = random.Random(3)
    words = ["ladder", "engine", "meadow", "copper", "window", "thread", "violin", "garden"]
    text = ". ".join(" ".join(draw.choices(words, k=12)) for _ in range(2_000))
    assert find_credentials(text) == []
    assert find_credentials(" ".join(draw.choices(words, k=12))) == []
