"""How languages say what a password is: a table, one row a language or a family of them.

Owns: the words, nothing of how they are matched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cognid_daemon.intake.credential_rule import listed


@dataclass(frozen=True, slots=True)
class Tongue:
    """How one language says that a password is something."""

    code: str
    words: tuple[str, ...]
    verbs: str
    joins: str
    caught: tuple[str, ...]
    passed: tuple[str, ...]
    plain: bool = False
    """Whether an everyday word may be the value ("my password is marigold")."""
    spaced: bool = True
    """Whether words stand apart; where they do not, the value is a run of ASCII."""


TONGUES: Final = (
    Tongue(
        "en",
        listed(
            "password|passphrase|pass phrase|pass-phrase|passcode|passwd|pwd|pw|passwrd|pass word|"
            "wifi key|wi-fi key|wlan key|wpa key|wpa2 key|wpa3 key|network key|login code|psk|temp"
            " pass|temporary pass|"
            "wifi pass|admin pass|master pass|router pass"
        ),
        r"'s|is|was|are|will be|would be|should be|equals|reads|goes(?! with| to| for| along| on)"
        r"|remains|stays|became|"
        r"has been|have been",
        "for|to|of|on|at|in|from|i|we|that|which|he|she|they|you|there|here|now|field|again",
        (
            "my password is hunter2",
            "wifi password: marigold",
            "password for the router is admin1234",
        ),
        (
            "the password is too weak",
            "password: string",
            "the password is on the back of the router",
            "my password is 12 characters",
        ),
        plain=True,
    ),
    Tongue(
        "de",
        listed(
            "passwort|kennwort|passwörter|zugangswort|wlan-schlüssel|wlan-key|wlan schlüssel|"
            "netzwerkschlüssel|geheimzahl|zugangscode|passphrase"
        ),
        "ist|lautet|heißt|heisst|war|wäre|sind|lauten",
        "für|fürs|zu|zum|zur|vom|von|im|am|beim|des|der|meines|meiner|in|bei",
        ("mein Passwort lautet Seeotter71", "das WLAN-Passwort ist BlauerTang77"),
        ("mein Passwort ist abgelaufen", "mein Passwort ist 12-stellig"),
    ),
    Tongue(
        "es",
        ("contraseña", "contrasena", "clave", "palabra clave", "código secreto"),
        "es|era|son|será|sería",
        "de|del|para|en|que|al",
        ("la clave del wifi es nutria2024",),
        ("la clave es la paciencia", "mi contraseña es muy larga"),
    ),
    Tongue(
        "fr",
        ("mot de passe", "mdp", "clé wifi", "clef wifi", "clé wi-fi", "code secret", "code wifi"),
        "est|c'est|était|sera|reste",
        "de|du|pour|des|au|sur|d'|que|à",
        ("le mot de passe du wifi est LoutreBleue77",),
        ("le mot de passe est trop court",),
    ),
    Tongue(
        "pt",
        ("senha", "palavra-passe", "palavra passe"),
        "é|e|eh|era|são|será",
        "de|do|da|para|no|na|que",
        ("a senha do wifi é LontraAzul77",),
        ("a senha é muito fraca",),
    ),
    Tongue(
        "it",
        listed(
            "parola d'ordine|la password|mia password|password del|password di|password per|"
            "password della|chiave wifi|codice segreto"
        ),
        "è|e'|é|era|sono|sarà",
        "di|del|della|per|dell'|al|la|il|che|wifi|wi-fi",
        ("la mia password è LontraBlu77", "la password del wifi è lontra2024"),
        ("la password è troppo corta",),
    ),
    Tongue(
        "nl",
        ("wachtwoord", "toegangscode", "wachtzin"),
        "is|was|luidt|zijn",
        "van|voor|op|bij|het|de",
        ("mijn wachtwoord is BlauweOtter77",),
        ("mijn wachtwoord is verlopen",),
    ),
    Tongue(
        "north",
        ("lösenord", "passord", "adgangskode", "kodeord", "salasana", "lykilorð"),
        "är|er|on|var",
        "för|til|till|for|på|av",
        ("mitt lösenord är BlåUtter77", "passordet er oter2024", "salasanani on saukko2024"),
        ("mitt lösenord är för kort",),
    ),
    Tongue(
        "slavic",
        ("hasło", "haslo", "heslo", "lozinka", "geslo", "пароль", "пароля", "парола", "лозинка"),
        "to|jest|brzmi|je|это|такой|теперь|є|е|був|был",
        "do|od|na|k|pro|za|от|для|к|на|до|від",
        ("moje hasło to wydra2024", "мой пароль: Vydra2024", "пароль от вайфая - vydra2024"),
        ("мой пароль слишком простой",),
    ),
    Tongue(
        "more",
        listed(
            "şifre|parola|jelszó|parolă|mật khẩu|kata sandi|κωδικός|סיסמה|סיסמא|كلمة السر|"
            "كلمة المرور|पासवर्ड|kata laluan"
        ),
        "este|e|adalah|ialah|là|είναι|है|היא|הוא|هي|هو|az|:",
        "de|la|pentru|untuk|của|για|του|wifi|wi-fi|का|של",
        ("şifrem: susamuru2024", "mật khẩu wifi là raica2024", "كلمة السر هي otter2024"),
        ("şifremi unuttum",),
    ),
    Tongue(
        "cjk",
        ("密码", "密碼", "口令", "パスワード", "暗証番号", "合言葉", "비밀번호", "암호", "รหัสผ่าน"),
        "是|为|為|就是|は|が|는|은|가|이|คือ",
        "",
        ("wifi密码是otter2024", "パスワードはotter2024です", "비밀번호는 otter2024"),
        ("我忘记了密码", "密码是什么"),
        spaced=False,
    ),
)
