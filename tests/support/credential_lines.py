"""Lines that hold a credential, and lines that only look or sound like one.

All of it is made up. Where a line needs the form of a real token, its random part is made here,
from a fixed seed, so that no scanner finds a key in this file.
"""

from __future__ import annotations

import base64
import random
import string
from typing import Final

ALNUM: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
DIGITS: Final = string.digits
UPPER: Final = string.ascii_uppercase + "234567"


def made(length: int, alphabet: str = ALNUM, seed: int = 1) -> str:
    """A random string that is the same in every run and always holds a letter and a digit."""
    drawn = random.Random(f"{length}/{alphabet}/{seed}").choices(alphabet, k=length)
    digits = [c for c in alphabet if c.isdigit()]
    letters = [c for c in alphabet if c.isalpha()]
    drawn[length // 3], drawn[length // 2] = (
        digits[seed % len(digits)],
        letters[seed % len(letters)],
    )
    return "".join(drawn)


def luhn(stem: str) -> str:
    """The digits with the check digit that makes them a card number."""
    total = 0
    for place, digit in enumerate(reversed(stem)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return stem + str(-total % 10)


def fours(digits: str, separator: str = " ") -> str:
    """The digits in groups of four."""
    return separator.join(digits[i : i + 4] for i in range(0, len(digits), 4))


SEED_WORDS: Final = [
    *("lantern", "gravel", "pistol", "ocean", "marble", "tunnel", "cactus", "velvet", "hammer"),
    *("walnut", "ribbon", "copper", "anchor", "pepper", "saddle", "violin", "magnet", "blanket"),
    *("tiger", "window", "puzzle", "kitten", "rocket", "bamboo"),
]
_NO_LETTERS: Final = str.maketrans("abcdef", "123456")
_BASIC: Final = base64.b64encode(b"dana:" + b"ruby-otter-71").decode()

CAUGHT: Final = (
    # tokens of vendors
    f"the runner uses {'glp' + 'at-'}{made(20)} to clone",
    f"slack bot: {'xo' + 'xb-'}{made(12, DIGITS + 'a')}-{made(12, DIGITS + 'b')}-{made(24)}",
    f"https://hooks.slack.com/{'ser' + 'vices'}/T{made(8, UPPER)}/B{made(8, UPPER)}/{made(24)}",
    f"stripe live key {'sk_' + 'live_'}{made(24)}",
    f"restricted one: {'rk_' + 'live_'}{made(24)}",
    f"here: {'AK' + 'IA'}{made(16, UPPER)} is the access key id",
    f"aws_secret_access_key = {made(40, ALNUM + '+/')}",
    f"{'sk-' + 'ant-'}api03-{made(90, ALNUM + '-_')} for Claude",
    f"export OPENAI_API_KEY={'sk-' + 'proj-'}{made(60, ALNUM + '-_')}",
    f"hugging face: {'hf' + '_'}{made(34)}",
    f"//registry.npmjs.org/:_authToken={'npm' + '_'}{made(36)}",
    f"twine upload -p {'pypi' + '-'}AgEIcHlwaS5vcmc{made(70, ALNUM + '-_')}",
    f"sendgrid says {'S' + 'G.'}{made(22, ALNUM + '-_')}.{made(43, ALNUM + '-_')}",
    f"mailgun {'key' + '-'}{made(32, HEX)}",
    f"TWILIO_AUTH_TOKEN={made(32, HEX)}",
    f"my telegram bot is 6{made(9, HEX).translate(_NO_LETTERS)}:AA{made(33, ALNUM + '-_')}",
    f"digital ocean {'dop_' + 'v1_'}{made(64, HEX)}",
    f"shop token {'shp' + 'at_'}{made(32, HEX)}",
    f"square: {'sq0' + 'atp-'}{made(22, ALNUM + '-_')}",
    f"databricks {'da' + 'pi'}{made(32, HEX)}",
    f"vault login {'hv' + 's.'}{made(90, ALNUM + '-_')}",
    f"client secret {'GOC' + 'SPX-'}{made(28, ALNUM + '-_')} from the console",
    f"{'github' + '_pat_'}{made(22)}_{made(59)} expires in May",
    f"DefaultEndpointsProtocol=https;AccountName=kiln;AccountKey={made(86, ALNUM + '+/')}==",
    f"discord bot M{made(23)}.{made(6)}.{made(38, ALNUM + '-_')}",
    f"discord.com/api/{'web' + 'hooks'}/11{made(17, HEX).translate(_NO_LETTERS)}/{made(68)}",
    f"tailscale up --authkey {'tskey' + '-auth-'}{made(12)}-{made(32)}",
    f"linear {'lin_' + 'api_'}{made(40)}",
    # keys and headers
    f"-----BEGIN OPENSSH {'PRIV' + 'ATE'} KEY-----\n{made(64)}\n-----END",
    f"-----BEGIN ENCRYPTED {'PRIV' + 'ATE'} KEY-----\n{made(64)}",
    f"-----BEGIN PGP {'PRIV' + 'ATE'} KEY BLOCK-----\n\n{made(64)}",
    f"AGE-SECRET-{'KEY-1'}{made(58, UPPER)}",
    f"curl -H 'Authorization: Basic {_BASIC}' https://kiln.test",
    f"Authorization: Bearer {made(40)}",
    f"x-api-key: {made(32)}",
    f"Cookie: theme=dark; sessionid={made(32, HEX)}; lang=en",
    f"otpauth://totp/Kiln:dana?secret={made(32, UPPER)}&issuer=Kiln",
    "curl -u dana:ruby-otter-71 https://kiln.test/api",
    "machine ftp.kiln.test login dana password ruby0tter",
    # addresses with a password inside
    "postgres://app:ruby-otter-71@db.kiln.test:5432/orders",
    "redis://:Ott3rPond@cache.kiln.test:6379/0",
    "amqp://worker:kelp4you@queue.kiln.test/vhost",
    "git clone https://dana:Ott3rPond@git.kiln.test/dana/notes.git",
    "jdbc:mysql://db.kiln.test/orders?user=app&password=Ott3rPond",
    "Server=db.kiln.test;Database=orders;User Id=app;Password=Ott3rPond;",
    # settings and code
    "DB_PASSWORD=ruby-otter-71",
    'password = "ruby-otter-71"',
    '{"user": "dana", "password": "Ott3rPond!"}',
    "  password: Ott3rPond\n  host: db.kiln.test",
    f"SECRET_KEY = '{made(50, ALNUM + '!@#%^&*')}'",
    f"const apiKey = '{made(32, HEX)}';",
    f"JWT_SECRET={made(48)}",
    "mysqldump --user=root --password=Ott3rPond orders",
    f"api_key: {made(8, HEX)}-{made(4, HEX)}-{made(4, HEX)}-{made(4, HEX)}-{made(12, HEX)}",
    # said in English
    "the wifi password is BlueKelp77",
    "Wifi: Casa Kelp, password: marigold",
    "our netflix login is dana@kiln.test and the password is otterpond9",
    "pw = Ott3rPond",
    "username dana, pass kelp4you",
    "My passphrase is violet tractor seventeen moons",
    "I changed my email password to kelp4you last night",
    "password for the router is admin1234",
    'the password to the safe folder: "open sesame please"',
    "BlueKelp77 is the wifi password",
    "use kelp4you as the password for the staging box",
    "my laptop password's Ott3rPond, write it down",
    "what's my wifi password? it's BlueKelp77",
    "the admin credentials are admin / Ott3rPond!",
    "the new passcode is 582914",
    "My PIN is 0417",
    "PIN: 8830",
    "the pin for my debit card is 8 8 3 0",
    "sim pin 8830, puk 48291734",
    "my pin is eight eight three zero",
    "the alarm code is 7741#",
    "door code 4471, up to the third floor",
    "The gate code for my parents' place is 0915",
    "safe combination is 31-7-22",
    "punch in 4471 at the garage keypad",
    "the verification code is 482913, type it quickly",
    "my backup codes are 4821-9930, 1182-4471 and 7730-2218",
    # cards and numbers
    f"my visa is {fours(luhn('453914880343646'))} exp 09/27",
    f"card {luhn('551234567890123')} cvv 382",
    f"amex {luhn('37' + '828224631000')}",
    "the CVV is 382",
    "SSN: 219-45-8830",
    "my social is 219458830",
    # phrases
    f"seed phrase: {' '.join(SEED_WORDS[:12])}",
    f"{' '.join(SEED_WORDS)} is my wallet recovery phrase",
    f"The mnemonic for my ledger is {', '.join(SEED_WORDS[:15])}",
    # other tongues
    "Mein Passwort lautet Seeotter71",
    "das WLAN-Passwort ist BlauerTang77",
    "mi contraseña es NutriaAzul77",
    "la clave del wifi es nutria2024",
    "le mot de passe du wifi est LoutreBleue77",
    "la mia password è LontraBlu77",
    "a senha do wifi é LontraAzul77",
    "mijn wachtwoord is BlauweOtter77",
    "мой пароль: Vydra2024",
    "wifi密码是otter2024",
    "パスワードはotter2024です",
)

PASSED: Final = (
    # talk about secrets
    "There is no API key in this build",
    "I do not remember my PIN",
    "I changed my password yesterday",
    "the password is too weak",
    "My password is expired, so I can't get into the portal.",
    "my PIN is four digits long",
    "The password must be at least 12 characters long.",
    "passwords are hard to remember",
    "the wifi password is on the back of the router",
    "the wifi password is written on a sticky note",
    "My password is stored in 1Password",
    "Is my password strong enough?",
    "What is my wifi password?",
    "password reset emails land in spam",
    "The password is case-sensitive and so is the username.",
    "I think the password is wrong",
    "my password is the same everywhere, I know that's bad",
    "Please remind me to rotate the deploy token on Friday.",
    "the token expired after 3600 seconds",
    "The secret is to let the dough rest overnight.",
    "the key is patience",
    "Her secret ingredient is cardamom.",
    "the code is ready for review",
    "We settled on the passphrase idea instead of passwords",
    "I lost my recovery codes and had to call support",
    "My seed phrase is in a bank vault.",
    "never share your seed phrase with anybody who asks you for it online",
    "The seed phrase is twelve words, written down on paper and stored somewhere very safe",
    "he never told me the alarm code",
    "The gate code changed again, ask Maria for it.",
    "I told them to use a hardware key",
    "My login stopped working after the update",
    "can you generate a strong password for me?",
    "The pin on the map is in the wrong place",
    "I pinned 3 messages in the channel",
    "GPIO pin 18 drives the relay",
    "I bowled 4821 pins last year",
    "you need a 6 digit PIN to open the app",
    "My pin is longer than 4 digits",
    "password managers such as 1Password or KeePass2 are fine",
    # code and placeholders
    "password = getpass.getpass()",
    'password = input("Password: ")',
    "def login(user: str, password: str) -> Token:",
    "token = os.environ['GITHUB_TOKEN']",
    "apiKey: import.meta.env.KEY",
    "const key = process.env.STRIPE_KEY",
    "export TOKEN=${DEPLOY_TOKEN}",
    "OPENAI_API_KEY=your_api_key_here",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "password: ********",
    "api_key = 'xxxxxxxxxxxxxxxxxxxxxxxx'",
    f"token {'gh' + 'p_'}{'x' * 36} is what it looks like",
    "aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE",
    "password: [redacted]",
    "postgres://user:password@localhost:5432/db",
    "https://<user>:<password>@host/path",
    "mongodb://${USER}:${PASS}@localhost/test",
    "if (password.length < 8) throw new Error('too short')",
    "max_tokens: 4096, temperature: 0.2",
    "password_hash = hash_password(password)",
    "set token = response.json()['access_token'] before the call",
    "self.password = password",
    "SELECT id, password FROM users WHERE name = 'dana'",
    'secretKeyRef: {name: "db", key: "password"}',
    "PASSWORD_MIN_LENGTH = 12",
    "ssh-keygen -t ed25519 -C dana@kiln.test",
    "-----BEGIN PUBLIC KEY-----",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{made(43)} dana@kiln",
    "the class is called sk-loading-spinner-container-wrapper-2",
    "basic understanding of tokens is enough",
    "the bearer of this letter is my brother",
    # identifiers
    f"commit {made(40, HEX)} fixes the token refresh",
    f"md5: {made(32, HEX)}",
    f"integrity sha512-{made(86, ALNUM + '+/')}==",
    f"image kiln/api@sha256:{made(64, HEX)}",
    f"ticket {made(8, HEX)}-{made(4, HEX)}-4{made(3, HEX)}-{made(4, HEX)}-{made(12, HEX)} is open",
    f"The cache key is user:4821:profile:{made(32, HEX)}",
    f"primary key is {made(8, HEX)}-{made(4, HEX)}-{made(4, HEX)}-{made(4, HEX)}-{made(12, HEX)}",
    "order 4512-8830-1182-4471 shipped",
    "ISBN 978-3-16-148410-0 is out of print",
    "call me on +49 151 2345 6789 or 555-123-4567",
    "1733000000123456 is the timestamp in microseconds",
    "We are on version 4.18.2-rc1 now",
    "IMEI 356938035643809 belongs to the old phone",
    "my zip code is 94110 and the area code is 415",
    "promo code SAVE20 gives you 20 percent off",
    "exit code is 137",
    "booking code XK4F2P, flight LH1234",
    "IBAN DE89370400440532013000 for the rent",
    "the meeting id is 882 4471 0915",
    "invoice 219-45-883 is unpaid",
    "I was born on 1984-04-17",
    "Shopping: flour sugar butter milk eggs yeast salt basil thyme onion garlic lemon rice",
    # other tongues
    "Ich habe mein Passwort vergessen",
    "mein Passwort ist abgelaufen",
    "he olvidado mi contraseña otra vez",
    "le mot de passe est trop court",
    "我忘记了密码",
    "パスワードを忘れました",
)
