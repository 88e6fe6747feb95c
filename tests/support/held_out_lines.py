"""Two hundred lines to examine the two text filters with, written without sight of their rules.

As a person would type them to an agent. Every secret is made up; those with a shape of their own
are put together here from pieces, so that no scanner takes this file for a leak. The labels were
fixed before the filters first saw a line. Never tune a rule on these: once a rule is written for
one of them, it measures nothing any more.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Line(NamedTuple):
    """One thing typed, and the class it belongs to."""

    kind: str
    text: str


_NPM = "npm" + "_" + "ScfkI5JMHvIsikfByhRjbalg" + "Adh4xM3UmJV2"
_PYPI = (
    "pypi" + "-" + "AgEIcHlwaS5vcmcCUTuPi25ONBKHBnAaLvwtoKs8PINZVm3Z7zZ6p6vGGi4Cvjfxa4skLQxb4Fptf2k"
    "2Z-sqVBbtTaQZYNwON9PFm4vFfItSFD6VzuLYNx4c0FEN3OpFFSyPXT--g1n4Cra4XjkVzUxkAioN_aFH8hLuYs"
)
_ANTHROPIC = (
    "sk-ant" + "-api03-" + "435haP1qCztPfSScEN_yfGriE4mJDlwFJqyBJ8RFFGcCCnq0jTZRpk--_Pl2ddm_xO"
    "bPR4bk0jxJY8oJ6rc9FCmQdoKNEAA"
)
_OPENAI = (
    "sk-" + "proj-" + "RtSR4ZGrU_Ndqpq0VNbruNA5rb30D2byydVNFsEdUKYZ8Y2fUMPahNTTfIaderxe-JfP658_zo"
    "T3Blbk" + "FJKmSXY5CP1IDjZPW-L3a4c2lMpx5-IOyAVBd6xXiPlAGrEsA-UUzmpGBnynzTnGIHkhK7FV4P4T"
)
_AWS_ID = "AKI" + "A2ZNQW5ZX" + "TP6F5KDX"
_AWS_KEY = "hU1JkmHFMCwTdVr6fTvz" + "WHus1y1e8rvzpveKFNTA"
_HEAD = "eyJhbGciOiJIUzI1" + "NiIsInR5cCI6IkpXVCJ9"
_JWT = (
    _HEAD + ".eyJzdWIiOiJ1LTU1MTIiLCJyb2xlIjoiZWRpdG9yIiwiaWF0IjoxNzM4NzcxMjAwfQ"
    ".EazFrRKz_r6Daem_tPaFjvZfD2acu3L1kuwPdsMraSU"
)
_JWT_IN_COOKIE = (
    _HEAD + ".eyJ1aWQiOjc3LCJleHAiOjE3NDEwMDAwMDAsInNjb3BlIjoicmVhZCB3cml0ZSJ9"
    ".jtC_PtODX8KxGbxnU1RyHc6pX0p2Cn6EoJwmPS8tK7U"
)
_DASHES = "-" * 5
_PEM = "\n".join(
    (
        _DASHES + "BEGIN OPENSSH " + "PRIVATE KEY" + _DASHES,
        "1mRp5z/OOk/3nuJBbOVg4LRXTsewT8STLsanGJ8ZwXy0QDzHBGMupZT3Hoeloucb",
        "cxjjxaI62JgxyV5ZVVZLngQP1ZE0YmeTuFkxbWZA8PcMdglGLYITnEn5NJU9lfpr",
        "oW3rvA22zOq4ye8jxaGv/p5MTG+3pB8Re00LgYviW1fPngAShB2cNa/uGA+r+Z7v",
        _DASHES + "END OPENSSH " + "PRIVATE KEY" + _DASHES,
    )
)
_PEM_IN_JSON = (
    '{"type": "service_account", "private_key": "'
    + _DASHES
    + "BEGIN "
    + "PRIVATE KEY"
    + _DASHES
    + r"\noJ7CWOD7rMXh3Y78xgKeEOjgM08yNE3yufRP8+p7rdLmyBte3clM+NDncuHKXwBr"
    + r"\no+maT8hNlqJJkpN84v4xr9MIHFTxQFjrPj90jZCifTRvoGtRVdCq2j8PDLz6C2Hw\n"
    + _DASHES
    + "END "
    + "PRIVATE KEY"
    + _DASHES
    + r'\n"}'
)

SECRETS: Final = (
    Line("token", "can you rotate this for me? ghp" + "_PFYoZJkJi9NcBuXqmTdi" + "RBkX3dVxqd0l9Qdg"),
    Line(
        "token",
        "the fine grained pat i made this morning: github" + "_pat_" + "OTXK9Al2KdPhObAPkQaVQv"
        "_qx0CNlP3ljREtuSC6yt1M18TTf6Zm6dYDFjNKcS3XFPmcO6zifEQ93UKwie",
    ),
    Line(
        "token", "gitlab says the runner can't register, token is glpat" + "-NcJTWmz7sd_umqGQxkCo"
    ),
    Line(
        "token",
        "bot token for the standup app → xoxb" + "-918551816080-1233736823696-"
        "pAqrefaVH2A9u8AHgHLV47Uu",
    ),
    Line(
        "token",
        "post it here when you're done https://hooks." + "slack.com/services/"
        "T0DDYYKO1KS/B07GIARJ5DK/JhG9csgFerEMAkmu9GRG37d1",
    ),
    Line(
        "token",
        "why does it say no such customer? stripe.api_key = 'sk" + "_live_" + "51bwL2ZdJA6XPdzL"
        "qTWlHaBL'",
    ),
    Line("token", f"aws configure asked for both so: {_AWS_ID} and {_AWS_KEY}, region eu-west-1"),
    Line("token", f"here's the claude key for the side project {_ANTHROPIC} , budget 20 dollars"),
    Line("token", f"I get 429 with {_OPENAI}"),
    Line(
        "token",
        "sendgrid: SG" + ".Dp6Rarj6UkZfAvxxrNoY7S" + ".TPWIcaVBuSir1EkkZaoSOvUECDW6Y7KhuCuiaqdJvzv",
    ),
    Line("token", f"my .npmrc has //registry.npmjs.org/:_authToken={_NPM} and publish still fails"),
    Line("token", f"twine upload -u __token__ -p {_PYPI} dist/*"),
    Line(
        "token",
        "BotFather gave me 7889899991" + ":AA" + "NFQOtxVuUVWMO6nExmVBPx49rjxHy-7UT, set it up",
    ),
    Line("token", "huggingface-cli login --token hf" + "_rnzJkhjXdcjhxDCi" + "JTeEDzUIuMTLqTVVhq"),
    Line("token", "the twilio auth token is fbf5b78efc4c85b1" + "943403b8172536b9"),
    Line(
        "stated",
        "Our wifi is called Pinecone and the password is marmalade77, give it to guests when they "
        "ask",
    ),
    Line("stated", "login for the scheduling site: user ines.k, pass Qv!82lantern"),
    Line("stated", "the code for the back gate is 7719# by the way"),
    Line("stated", "alarm code: 0482, you have 30 seconds to disarm it"),
    Line("stated", "My voicemail PIN's 5530."),
    Line("stated", "I set the router admin password to Blue-kettle-19 yesterday"),
    Line("stated", "for the NAS it's root / Wintermoth!4, ssh is on 2222"),
    Line("stated", "Das WLAN-Passwort lautet Kastanie#2291, falls die Gäste fragen."),
    Line("stated", "le mot de passe du wifi c'est Tournesol_84"),
    Line("stated", "Le code de l'immeuble est 38B41, puis tu prends l'escalier à gauche."),
    Line("stated", "mi contraseña de Netflix es girasol.2018"),
    Line("stated", "la password del gestionale è Ciliegia!907"),
    Line("stated", "a senha do Wi-Fi da casa de praia é maresia2023"),
    Line("stated", "het wachtwoord van de boekhouding is Stroopwafel-66"),
    Line("stated", "пароль от почты: Sneg1r-2041"),
    Line("stated", "我的银行卡密码是 620917，别忘了"),
    Line(
        "connection",
        "prod is postgres://" + "ledger:" + "Vn7Qk2-moth" + "@db.internal.acme.io:5432/ledger",
    ),
    Line("connection", "REDIS_URL is rediss://" + ":" + "hT9sWq41zLp" + "@cache-2.acme.io:6380/0"),
    Line(
        "connection",
        "Server=tcp:reports.database.windows.net,1433;Database=reports;User ID=svc_rep;"
        + "Password="
        + "Gr4nite$Lake;"
        + "Encrypt=true",
    ),
    Line(
        "connection",
        "jdbc:mysql://10.4.0.12:3306/shop?user=shop&" + "password=" + "Aprikose9931",
    ),
    Line("pem", f"is this the right one for the bastion?\n{_PEM}"),
    Line("pem", f"here is the file google gave me {_PEM_IN_JSON}"),
    Line("jwt", f"what's inside this thing {_JWT}"),
    Line(
        "jwt", f"curl -b 'sid={_JWT_IN_COOKIE}' https://app.acme.io/me works, the browser doesn't"
    ),
    Line("header", "Authorization: Basic " + "c3ZjLXJlcG9ydHM6" + "T3R0ZXImUGx1bTMx"),
    Line("header", "X-Api-Key: " + "nEk6y7XptD1orKJ4" + "Gji1DMPUC0pPLIfI gives me 403 since noon"),
    Line("header", "curl -u " + "backup:" + "t1nRoof-Sparrow https://files.acme.io/export.tgz"),
    Line("card", "book it with my visa 4539 4136 " + "4592 5592 exp 08/29"),
    Line("card", "the amex is 3714" + "48254574462, cvv on the front is 4417"),
    Line("card", "use 5412" + "441136209076 for the hotel deposit"),
    Line(
        "recovery",
        "metamask phrase, keep it safe: fatigue boil chuckle purpose oyster paper spin require "
        "three glide discover produce",
    ),
    Line(
        "recovery",
        "my ledger's 24 words\nridge carry law dutch still dish\nstrategy field slam oil night left"
        "\nsince feed debris shift language ankle\nsquare exotic dry castle salad chest",
    ),
    Line(
        "env", "APP_ENV=prod\nDB_USER=ledger\nDB_" + "PASSWORD=" + "pelican-Dune-40\nDB_PORT=5432"
    ),
    Line(
        "env",
        "export SECRET_" + "KEY_BASE=" + "efb03cb0e7cddc3500bbd98dff8434ba"
        "cbc9f6b04c164fc9c761e21edfbb4a4f",
    ),
    Line("env", "environment:\n  POSTGRES_USER: app\n  POSTGRES_" + "PASSWORD: " + "kz81Larch\n"),
)
"""Each holds a secret: the credential filter must find at least one."""

HARMLESS: Final = (
    Line("talk", "I forgot my PIN, how do I get a new one from the bank?"),
    Line("talk", "Is it bad that I use the same password for everything?"),
    Line("talk", "The password policy at work wants 14 characters and a symbol, every 90 days."),
    Line("talk", "My wifi password is too long to type on the TV remote."),
    Line("talk", "The door code changes every Monday, ask Lena at reception."),
    Line("talk", "Der PIN-Code ist abgelaufen, ich muss zur Bank."),
    Line("talk", "j'ai encore oublié le mot de passe du wifi"),
    Line("talk", "La contraseña es demasiado corta, dice la página."),
    Line("talk", "la password è scaduta ieri"),
    Line("talk", "password is incorrect, it says, and after the third try the account locks"),
    Line("talk", "There's no API key in this repo, I checked twice."),
    Line("talk", "Never share your recovery phrase with anyone, not even support."),
    Line("talk", "The password is stored as an argon2 hash, never in plain text."),
    Line("talk", "I think a passkey is better than a password plus an SMS code."),
    Line("placeholder", "DATABASE_URL=postgres://user:password@localhost:5432/mydb"),
    Line("placeholder", "Authorization: Bearer <your token here>"),
    Line("placeholder", "export ANTHROPIC_API_KEY=sk-ant-..."),
    Line("placeholder", "password: ********"),
    Line("placeholder", "stripe keys start with sk_live_ and test ones with sk_test_, right?"),
    Line("placeholder", "the .env.example says API_KEY=changeme"),
    Line("placeholder", 'client_secret = "YOUR_CLIENT_SECRET"'),
    Line("placeholder", "git remote add origin https://<token>@github.com/acme/site.git"),
    Line("code", "const key = process.env.STRIPE_SECRET_KEY"),
    Line("code", "password = os.environ['DB_PASSWORD']"),
    Line("code", "token: ${{ secrets.GITHUB_TOKEN }}"),
    Line("code", "if not check_password(user.password_hash, form.password.data): abort(403)"),
    Line("code", "PASSWORD=$(op read op://Infra/db/password)"),
    Line("code", "def reset_password(self, token: str) -> None:"),
    Line("code", "auth_token = await get_token(scope='read')"),
    Line("code", "valueFrom:\n  secretKeyRef:\n    name: db-creds\n    key: password"),
    Line("digest", "bisect lands on 03561d5f0906c902f4850de5c91bd1f4c1e72a34, that's my refactor"),
    Line("digest", "md5 of the dump: bb943cbaad748d7f53419723400f85f2"),
    Line(
        "digest",
        "pull registry.acme.io/web@sha256:70cc808b7dcd3ad4b406dadb1ba0fabce93a8a086214a2553dc2cf5d"
        "be60bc4d",
    ),
    Line(
        "digest",
        '"integrity": "sha512-I4bk3N6Jw3fZwFxm05GAnE14ZTHhuYpt5s50uC2ErLCqQqf/6UnU8ljS2kIGIlSjDn04'
        'oFvXLIkNhLbJDbvT/Q=="',
    ),
    Line("uuid", "request id 761ab6b7-07c1-41ea-bf97-bab054accf39 timed out twice"),
    Line("uuid", "tenant = 1dc86e44-1ff1-428e-b05c-5cc01130516b in staging"),
    Line(
        "public_key",
        "add this to authorized_keys: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIaqQ+9iDcx6FNDo9U+kdziKDa"
        "+M+tf1MAOm1XDn7G35H noor@desk",
    ),
    Line(
        "public_key",
        "-----BEGIN PUBLIC KEY-----\n"
        "NpUmuj5ub0IGqp1hfblkcsIMvaUEK+IPnOyqcSP8OpuWHA3/dl1PUUIjAHHBxLHt\n"
        "-----END PUBLIC KEY-----",
    ),
    Line("numbers", "call me on +49 151 2345 6789 after six"),
    Line("numbers", "order 5704417555221709 still hasn't shipped"),
    Line("numbers", "The IMEI is 350211047030969, they need it for the repair."),
    Line("numbers", "ISBN 978-0-306-40615-7 is out of print"),
    Line("numbers", "We met on 14.07.2019 at 18:30, table 12, and paid 84.20."),
    Line("numbers", "the event has ts 1738771200123 and offset 90417"),
    Line("numbers", "Booking reference is K7QX2M, flight LH 1821 on the 9th."),
    Line("numbers", "my postcode is 1017 and the house number is 284"),
    Line("words", "eggs flour sugar butter vanilla lemon cream salt yeast milk honey almond"),
    Line("words", "The secret to good rice is rinsing it four times."),
    Line("words", "the key is to start early, the song itself is in the key of D minor"),
    Line(
        "link",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLx0sYbCqOb8TBPRdmBHs5Iftvv9TPboYG",
    ),
)
"""None holds a secret: the credential filter must find nothing."""

WITHHELD: Final = (
    Line("message", "don't keep this one: I think my manager is drinking again"),
    Line("message", "This stays out of your memory: I failed the driving test twice."),
    Line("message", "not for your notes, but Kim is pregnant"),
    Line("message", "pls dont save this, my salary is 61k"),
    Line("message", "No record of this please. I hit a parked car yesterday."),
    Line("message", "I'd rather you didn't remember that I cried at work today."),
    Line("message", "You can forget I said this, but I never liked the wedding plan."),
    Line("message", "strictly between us and not to be stored: we're selling the house"),
    Line("message", "Off the record: the merger is dead."),
    Line("message", "Could you leave this out of your memory? My sister's in rehab."),
    Line("message", "don't add this to memory, testing the mic one two"),
    Line("message", "I don't want this saved anywhere: my test came back positive."),
    Line("message", "Keep this out of the log, ok? I lied on the form."),
    Line("message", "please do not memorize the following address, it's my ex's: 12 Harbour Lane"),
    Line("message", "Bitte nicht speichern: ich habe gekündigt."),
    Line("message", "Merk dir das bitte nicht, aber ich mag seine Frau nicht."),
    Line("message", "N'enregistre pas ça, mais je compte démissionner en mars."),
    Line("message", "Ne garde pas de trace de ce message : je dois 4000 euros à mon frère."),
    Line("message", "No quiero que recuerdes esto: ayer me hicieron la prueba."),
    Line("message", "Non memorizzare questo: ho litigato con mia madre."),
    Line("message", "Não salve isto, por favor: vou pedir o divórcio."),
    Line("message", "Sla dit niet op: ik solliciteer ergens anders."),
    Line("message", "Nie zapisuj tego: chcę rzucić studia."),
    Line("message", "Не запоминай это: я увольняюсь в пятницу."),
    Line("message", "これは覚えないでください。来月転職します。"),
    Line("message", "这个不要记下来：我和他分手了。"),
    Line("next", "Don't store my next message."),
    Line("next", "The next thing I send is private, please don't keep it."),
    Line("next", "skip remembering the next two messages"),
    Line("next", "Was ich als Nächstes schreibe, bitte nicht speichern."),
    Line("next", "ne mémorise pas mon prochain message"),
    Line("next", "lo que te mande ahora no lo guardes"),
    Line("next", "What follows isn't for storage."),
    Line("session", "Nothing from this chat should be remembered."),
    Line("session", "please turn memory off for this session"),
    Line("session", "Let's go incognito for the rest of this conversation."),
    Line("session", "From here on don't record anything until I say so."),
    Line("session", "Everything I say today stays unsaved, deal?"),
    Line("session", "Für dieses Gespräch bitte nichts merken."),
    Line("session", "no guardes nada de esta conversación"),
    Line("session", "Ne retiens rien de cette discussion, s'il te plaît."),
    Line("session", "I'm on a friend's account, so don't save anything from this session."),
    Line("topic", "Please never remember anything about my marriage."),
    Line("topic", "don't keep notes on my kids"),
    Line("topic", "Anything about my finances should not be saved."),
    Line("topic", "Stop recording what I eat."),
    Line("topic", "I don't want you storing details of my therapy."),
    Line("topic", "Speichere nie etwas über meine Gesundheit."),
    Line("topic", "No guardes nunca información sobre mi hija."),
    Line("topic", "My drinking is off limits for your memory."),
)
"""Each asks not to be stored: the request read from it must withhold."""

KEPT: Final = (
    Line("remember", "don't forget I moved the dentist to Thursday"),
    Line("remember", "Please don't forget to save the file before the build."),
    Line("remember", "Never forget: Rosa can't have gluten."),
    Line("remember", "Remember not to book anything on Fridays."),
    Line("remember", "Remember that I don't save receipts."),
    Line("remember", "remember to not schedule calls before ten"),
    Line("remember", "Make sure you don't lose this: the plumber's name is Aldo."),
    Line("remember", "Vergiss nicht, dass Ole am Montag kommt."),
    Line("remember", "N'oublie pas que je ne mange pas de porc."),
    Line("remember", "No olvides que mi hermano no bebe."),
    Line("remember", "Non dimenticare che il codice fiscale va nel modulo."),
    Line("remember", "não esqueça que eu não como carne"),
    Line("remember", "niet vergeten: donderdag oud papier"),
    Line("remember", "Не забудь, что я не пью кофе."),
    Line("remember", "忘れないで、金曜日は休みです"),
    Line("own_memory", "I do not remember my PIN, what now?"),
    Line("own_memory", "I don't remember where I parked."),
    Line("own_memory", "I can't remember the name of that film with the lighthouse."),
    Line("own_memory", "We don't store the bikes in the hall anymore, they're in the shed."),
    Line("own_memory", "I don't save much, maybe 200 a month."),
    Line("own_memory", "My dad doesn't remember my name on bad days."),
    Line("own_memory", "Ich erinnere mich nicht an den Namen des Arztes."),
    Line("own_memory", "no me acuerdo de la dirección del hotel"),
    Line("own_memory", "je ne me souviens plus de son prénom"),
    Line("reported", "She told me not to remember her that way."),
    Line("reported", "My therapist said I shouldn't write it down, just talk."),
    Line("reported", "The sign says do not record in the museum."),
    Line("reported", "He asked the reporter not to record the interview, and she did anyway."),
    Line("reported", 'They said "don\'t save my number" and then called the next day.'),
    Line("reported", "Our lawyer told us not to keep emails older than two years."),
    Line("reported", "Mum always said don't keep anything you don't use."),
    Line("idiom", "Forget it, let's just order pizza."),
    Line("idiom", "The off-the-record bar on Canal Street has good jazz."),
    Line("idiom", "Save it for a rainy day is my motto."),
    Line("idiom", "In the nineties he had an off-the-books job at the docks."),
    Line("idiom", "It was a night to forget, we lost 5 to 0."),
    Line("code", "git config --global credential.helper store doesn't save anything on my box"),
    Line("code", "the cache shouldn't store 404 responses"),
    Line("code", "Cache-Control: no-store, private on the /account route"),
    Line("code", "The form doesn't save when I press enter, can you debug it?"),
    Line("code", "Don't log request bodies in production."),
    Line("code", "the session isn't stored in redis anymore since the upgrade"),
    Line("code", "Don't save the model every epoch, only the best one."),
    Line("code", "Please don't store the passwords in plain text, hash them in users.py."),
    Line("question", "What do you remember about my sister?"),
    Line("question", "Why didn't you remember my allergy?"),
    Line("question", "Do you store what I write here?"),
    Line("question", "Is it true you don't save our chats?"),
    Line("question", "Don't you have my address saved?"),
    Line("question", "How do I turn off memory in this app?"),
)
"""None asks not to be stored: the request read from it must not withhold."""
