"""The Polish phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_W: Final = r"[^\s,:;()]++"
_PL_VERB: Final = (
    r"(?:zapamietuj(?:cie)?|zapamietywac|zapamietywal\w*|zapisuj(?:cie)?|zapisywac"
    r"|zapisz(?:cie)?|zapisal\w*|zapisywal\w*|zachowuj(?:cie)?|zachowywac|przechowuj(?:cie)?"
    r"|przechowywac|notuj(?:cie)?|notowac|rejestruj|rejestrowac|loguj|logowac|archiwizuj"
    r"|utrwalaj|utrwalac|pamietaj|pamietac|zapamietal\w*|zapamietac)\b"
)
POLISH: Final = Tongue(
    name="Polish",
    cues=words(
        "zapami|zapis|zacho|przecho|notuj|notow|rejestr|loguj|logow|pamiet|miedzy nami|zapomn"
        "|zapomin|usun|skasuj|wymaz|poufn|prywatn|incognito|tajem|sekret|siebie|archiw|utrwal"
        "|zanotuj"
    ),
    joins=Phrases(r"\b(?:i|ale|a) "),
    lead=Phrases(
        r"(?:prosze|prosze cie|i|ale|a|hej|ok|teraz|tak|od teraz|odtad|od tej pory|na razie"
        r"|w tej rozmowie|do konca (?:tej )?rozmowy),? ?(?<![a-z])"
    ),
    ask=Phrases(
        r"(?:tego |tej \w+ |nic |nigdy |niczego )*nie (?:(?:tego|mi|sobie|nic|nigdy"
        rf"|niczego) )*{_PL_VERB}",
        r"(?:tego )?nie (?:musisz|trzeba|ma potrzeby|powinienes|powinnas|powinno sie|warto"
        rf"|wolno|chce|chcialbym|chcialabym)(?:,? {_W}){{0,4}}? {_PL_VERB}|(?:przestan"
        rf"|unikaj) {_PL_VERB}|{_W} ?nie (?:zapisywac|zapamietywac)",
        r"(?:(?:niech |to )*(?:to )?(?:zostanie|zostaje|pozostanie|zostaje) |tylko |tak "
        r"|mowiac )*(?:tylko )?(?:po)?miedzy nami(?: mowiac)?(?= ?(?:$|[,:;–-]))",
        r"(?:zachowaj|zatrzymaj) to (?:dla siebie|w tajemnicy|w poufnosci)"
        r"|(?:wlacz )?tryb (?:prywatny|incognito)(?= ?(?:$|[,:;]))|nieoficjalnie(?= ?[,:])"
        r"|off the record(?= ?(?:$|[,:;–-]))|traktuj to jako (?:poufne|tajne)",
    ),
    doubt=Phrases(
        r"to (?:jest )?(?:scisle |bardzo )?(?:poufne|prywatne|tajne|tajemnica|sekret)(?= ?(?:$"
        r"|[,:;–-]))|nie mow(?:cie)? (?:o tym |tego )?nikomu|nikomu (?:o tym )?nie mow"
    ),
    erase=Phrases(
        r"(?:(?:mozesz|mozesz prosze|chce,? zebys|czy mozesz) )?(?:zapomnij|zapomniec"
        r"|zapomnial\w*|usun|usunac|skasuj|wymaz|wykasuj)(?: prosze)?(?: o)?(?: (?:wszystko"
        r"|wszystkim|tym|to|wszystkie))*,? (?:co |o co|ze |moj|moje|moja|mojej|mojego|mnie"
        r"|notatk\w+|wspomnieni\w*|o mo\w+|ta (?:rozmow\w+|wiadomosc)|te (?:rozmow\w+|wiadomosc)"
        r"|swoj\w+|z pamieci)",
        r"udawaj,? ze ",
    ),
    lift=Phrases(
        r"mozesz (?:juz )?(?:znowu|znow|ponownie) (?:\w+ )?(?:zapamietywac|zapisywac|notowac"
        r"|pamietac)|wylacz tryb (?:prywatny|incognito)"
    ),
    keep=Phrases(
        r"nie (?:zapomnij|zapominaj|zapomnijcie)|pamietaj\b|zapamietaj\b|zapisz\b|zanotuj\b"
        r"|miej na uwadze|przypomnij mi|(?:jesli|zanim|gdybym) zapomn"
    ),
    coming=Phrases(
        r"(?:(?:moja|moje|mojej|ta|tej) )?(?:nastepn|kolejn)\w+\b(?! (?:tydzien|tygodni|miesiac"
        r"|rok))|(?:tego,? )?co (?:zaraz|teraz) (?:po)?wiem"
    ),
    session=Phrases(
        r"\b(?:od teraz|odtad|od tej pory|tej (?:calej )?rozmow\w*|te rozmowe|do konca|dopoki"
        r"|na razie|wszystkiego,? co|dzis|dzisiaj|incognito|tryb prywatny|nic wiecej|nic(?=$|,"
        r"| z tego)|niczego(?=$|,))|\bnic nie (?:zapisuj|zapamietuj|notuj)"
    ),
    topic=Phrases(
        r"\b(?:nic|niczego|nigdy|informacji|szczegolow|danych)(?: [^\s,:;()]+){0,4}? (?:o"
        r"|na temat|dotyczac\w+) (?:moi\w+|moj\w+|nasz\w+|\w+)|\b(?:kiedy|gdy|ilekroc) mowie o"
    ),
    reported=Phrases(
        r"\b(?:powiedzial\w*|mowi|poprosil\w*|napisal\w*|odpowiedzial\w*|przetlumacz)\W*$"
    ),
)
