"""The Turkish phrases."""

from __future__ import annotations

from typing import Final

from cognid_daemon.intake.phrases.tongue import Phrases, Tongue, words

_TR_NO: Final = (
    r"(?:kaydetme|hatirlama|saklama|not alma|not etme|ezberleme|aklinda tutma"
    r"|hafizan?a? ?(?:alma|kaydetme|atma)|depolama|arsivleme|kayit tutma|kayda gecirme"
    r"|kayda alma|loglama|bir yere yazma)(?:yin(?:iz)?|sana|salar)?\b"
)
TURKISH: Final = Tongue(
    name="Turkish",
    cues=words(
        "kayd|kaydet|hatirla|sakla|not al|not et|ezber|aklinda|hafiza|depola|arsiv|aramizda|unut"
        "|sil|gizli|sir|kayit|logla|yazma"
    ),
    joins=Phrases(r"(?!)"),
    lead=None,
    ask=Phrases(
        r"(?:\b(?:bunu|sunu|onu|bunlari|bu|hicbir ?sey\w*|hic|soyle\w+|anlat\w+|hakkinda\w*"
        r"|ilgili|mesaj\w*|konusma\w*|sohbet\w*|asla|lutfen|artik|dedik\w+"
        rf"|yazdik\w+)(?: [^\s,:;()]+){{0,4}}? |^){_TR_NO}(?! (?:yetene|islem|ozelli|sekl|dedi"
        r"|diye|gucu|hizi|icin|butonu|tusu|ve\b))",
        r"(?:kaydetme|hatirlama|saklama|not alma|ezberleme)(?:n[ae]|niz[ae]|n|y[ae])? (?:gerek"
        r"|luzum|ihtiyac) (?:yok|duyma)|(?:kaydetmeni|hatirlamani|saklamani|not almani"
        r"|kaydedilmesini|saklanmasini)(?:zi)? (?:istemiyorum|istemem)|(?:kaydetmez|hatirlamaz"
        r"|saklamaz|not almaz) misin",
        r"(?:bu )?(?:soz )?(?:sadece )?(?:aramizda|ikimizin arasinda"
        r"|aramizda bir sir)(?: (?:kalsin|kalacak|kalmali|olsun|bir sir))?(?= ?(?:$|[,:;.!–-]"
        r"| kal))|gizli mod(?:u|a)?(?: (?:ac|gec|aktif)\w*)?(?= ?$|,)"
        r"|kayit disi(?: kalsin)?(?= ?(?:$|[,:;–-]))",
    ),
    doubt=Phrases(
        r"\bbu (?:bir )?(?:sir|gizli|ozel|mahrem)(?: bir bilgi)?(?= ?(?:$|[,:;.!–-]))"
        r"|kimseye (?:soyleme|anlatma)(?:yin)?\b"
    ),
    erase=Phrases(
        r"(?:soyledi\w+|hakkinda\w*|anlatti\w+|(?<!ki )her ?sey\w*|bildi\w+|dedi\w+|mesaj\w*"
        r"|hafiza\w*"
        r"|notu\w*|konusma\w*|bilgi\w*)(?: [^\s,:;()]+){0,4}? (?:unut|sil|unutabilir\w*"
        r"|silebilir\w*|temizle)(?:un(?:uz)?|in(?:iz)?|er misin)?(?= ?(?:$|[,:;.!?]| lutfen"
        r"| misin))|\bhafizani (?:sil|temizle)"
    ),
    lift=Phrases(
        r"(?:tekrar|yeniden|artik|yine)(?: [^\s,:;()]+){0,2}? (?:kaydedebilir|hatirlayabilir"
        r"|not alabilir|saklayabilir)\w*|gizli mod(?:u|dan)? (?:kapat|cik)\w*"
    ),
    keep=Phrases(
        r"\b(?:sakin )?unutma(?:yin(?:iz)?)?\b(?! beni cicegi)|\b(?:bunu )?hatirla\b"
        r"|aklinda (?:tut|bulunsun)|\bnot (?:al|et)\b|\bkaydet\b|unutmadan|unutursam"
    ),
    coming=Phrases(
        r"\b(?:bir )?sonraki (?:mesaj|soz|cumle|soyleye)\w*|birazdan (?:soyle|anlat)\w+"
        r"|simdi (?:soyleyece|anlataca)\w+"
    ),
    session=Phrases(
        r"\b(?:bundan sonra|bundan boyle|simdiden sonra|su andan itibaren|bu (?:konusma|sohbet"
        r"|oturum)\w*|ben \w+ kadar|artik|bugun|hicbir ?sey\w*|gizli mod)\b"
    ),
    topic=Phrases(
        r"\b(?:hakkinda|ilgili|konusunda|dair)(?:ki)?\b(?: [^\s,:;()]+){0,4}? (?:hicbir|asla"
        r"|bilgi|sey|kaydetme|hatirlama|saklama|not)"
    ),
    reported=Phrases(
        r"(?:me|ma|meyin|mayin|kalsin|unut)[,\"']* (?:dedi|diye|dendi|soyledi|diyor|demis|yaziyor)"
    ),
    anywhere=True,
)
