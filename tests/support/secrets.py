"""Made-up secrets in many surroundings, from a seed; no secret in here ever opened anything."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .surroundings import Half

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
B64 = ALNUM + "+/"


class Sample(NamedTuple):
    """A text with one secret in it; what stands before and after must survive."""

    family: str
    before: str
    secret: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.secret + self.after


Maker = Callable[[random.Random], str]


def run(rng: random.Random, alphabet: str, length: int) -> str:
    """Random characters; a long one has letters and digits, where the alphabet has both."""
    kinds = [kind for kind in (str.isdigit, str.isalpha) if any(map(kind, alphabet))]
    while True:
        text = "".join(rng.choice(alphabet) for _ in range(length))
        if length < 10 or all(any(map(kind, text)) for kind in kinds):
            return text


def prefixed(prefix: str, alphabet: str, length: int, *, longest: int = 0) -> Maker:
    return lambda rng: prefix + run(rng, alphabet, rng.randint(length, max(length, longest)))


def one_of(*makers: Maker) -> Maker:
    return lambda rng: rng.choice(makers)(rng)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


# ---- what the services hand out

_BASE32 = string.ascii_uppercase + "234567"


def _openai(rng: random.Random) -> str:
    prefix = rng.choice(["sk-proj-", "sk-svcacct-", "sk-"])
    side = rng.choice([20, 58, 74])
    if prefix == "sk-":
        side = 20
    alphabet = ALNUM if side == 20 else URLSAFE
    return f"{prefix}{run(rng, alphabet, side)}T3BlbkFJ{run(rng, alphabet, side)}"


def _slack(rng: random.Random) -> str:
    numbers = "-".join(run(rng, string.digits, 12) for _ in range(rng.choice([2, 3])))
    kind = rng.choice(["xoxb", "xoxp", "xoxa", "xoxr"])
    return f"{kind}-{numbers}-{run(rng, ALNUM, rng.choice([24, 32]))}"


def _webhook(rng: random.Random) -> str:
    tail = f"T{run(rng, _BASE32, 8)}/B{run(rng, _BASE32, 8)}/{run(rng, ALNUM, 24)}"
    return f"https://hooks.slack.com/services/{tail}"


def _discord(rng: random.Random) -> str:
    user = base64.urlsafe_b64encode(str(rng.randint(10**17, 10**18 - 1)).encode()).decode()
    return f"{user.rstrip('=')}.{run(rng, URLSAFE, 6)}.{run(rng, URLSAFE, rng.choice([27, 38]))}"


def _jwt(rng: random.Random) -> str:
    def part(value: Mapping[str, object]) -> str:
        raw = json.dumps(value, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    head = part({"alg": rng.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"})
    claims = {"sub": str(rng.randint(1, 10**9)), "name": run(rng, ALNUM, 12), "iat": 1_516_239_022}
    return f"{head}.{part(claims)}.{run(rng, URLSAFE, rng.choice([43, 86, 342]))}"


TOKENS: dict[str, Maker] = {
    "aws key id": one_of(prefixed("AKIA", _BASE32, 16), prefixed("ASIA", _BASE32, 16)),
    "google api key": prefixed("AIza", URLSAFE, 35),
    "google oauth": one_of(
        prefixed("ya29.", URLSAFE, 60, longest=180),
        prefixed("GOCSPX-", URLSAFE, 28),
        prefixed("1//0", URLSAFE, 80, longest=100),
    ),
    "github": one_of(
        *(prefixed(f"gh{kind}_", ALNUM, 36) for kind in "pousr"),
        lambda rng: f"github_pat_{run(rng, ALNUM, 22)}_{run(rng, ALNUM, 59)}",
    ),
    "gitlab": one_of(
        prefixed("glpat-", URLSAFE, 20),
        prefixed("gldt-", URLSAFE, 20),
        prefixed("glrt-", URLSAFE, 20),
    ),
    "slack": one_of(
        _slack,
        _webhook,
        lambda r: f"xapp-1-A{run(r, _BASE32, 10)}-{run(r, string.digits, 13)}-{run(r, HEX, 64)}",
    ),
    "stripe": one_of(
        *(
            prefixed(p, ALNUM, 24, longest=99)
            for p in ("sk_live_", "rk_live_", "sk_test_", "rk_test_")
        ),
        prefixed("whsec_", ALNUM, 32),
    ),
    "twilio": one_of(prefixed("SK", HEX, 32)),
    "sendgrid": lambda r: f"SG.{run(r, URLSAFE, 22)}.{run(r, URLSAFE, 43)}",
    "npm": prefixed("npm_", ALNUM, 36),
    "pypi": prefixed("pypi-AgEIcHlwaS5vcmc", URLSAFE, 70, longest=160),
    "hugging face": prefixed("hf_", string.ascii_letters, 34),
    "openai": _openai,
    "anthropic": lambda r: (
        f"sk-ant-{r.choice(['api03', 'admin01', 'oat01'])}-{run(r, URLSAFE, 93)}AA"
    ),
    "telegram": lambda r: f"{r.randint(10**8, 10**10)}:AA{run(r, URLSAFE, 33)}",
    "discord": _discord,
    "digitalocean": one_of(*(prefixed(f"do{k}_v1_", HEX, 64) for k in "por")),
    "shopify": one_of(*(prefixed(p, HEX, 32) for p in ("shpat_", "shpss_", "shpca_", "shppa_"))),
    "jwt": _jwt,
}


# ---- private keys


def _pem(label: str, length: int) -> Maker:
    def make(rng: random.Random) -> str:
        body = encoded(rng.randbytes(length))
        lines = "\n".join(body[i : i + 64] for i in range(0, len(body), 64))
        return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----"

    return make


def _pgp(rng: random.Random) -> str:
    body = encoded(rng.randbytes(900))
    lines = "\n".join(body[i : i + 64] for i in range(0, len(body), 64))
    crc = encoded(rng.randbytes(3))
    name = "PGP PRIVATE KEY BLOCK"
    return f"-----BEGIN {name}-----\nVersion: GnuPG v2\n\n{lines}\n={crc}\n-----END {name}-----"


PRIVATE_KEYS: dict[str, Maker] = {
    "rsa": _pem("RSA PRIVATE KEY", 1190),
    "ec": _pem("EC PRIVATE KEY", 121),
    "pkcs8": _pem("PRIVATE KEY", 1218),
    "encrypted": _pem("ENCRYPTED PRIVATE KEY", 1300),
    "openssh": _pem("OPENSSH PRIVATE KEY", 400),
    "pgp": _pgp,
}


# ---- values that only their name betrays

_WORDS = [
    "hunter",
    "winter",
    "summer",
    "dragon",
    "sunset",
    "coffee",
    "tiger",
    "rocket",
    "purple",
    "falcon",
    "monkey",
    "copper",
    "shadow",
    "garden",
    "silver",
    "maple",
    "orbit",
    "thunder",
    "castle",
    "marble",
]


def _password(rng: random.Random) -> str:
    first, second = rng.choice(_WORDS), rng.choice(_WORDS)
    return rng.choice(
        [
            f"{first}{rng.randint(1, 9999)}",
            f"{first.title()}{rng.randint(2000, 2030)}!",
            f"{first.title()}-{second.title()}-{rng.randint(10, 99)}",
            f"{first}{second}{rng.randint(1, 99)}",
            run(rng, ALNUM, rng.randint(10, 24)),
            run(rng, ALNUM, 8) + rng.choice("!@%^*+") + run(rng, ALNUM + "!@%^*-_+.~", 6) + "9x",
            f"p@ss{first.title()}{rng.randint(1, 99)}",
        ]
    )


VALUES: dict[str, Maker] = {
    "password": _password,
    "api key": one_of(
        prefixed("", ALNUM, 24, longest=48), prefixed("", HEX, 32), prefixed("", HEX, 40)
    ),
    "token": one_of(
        prefixed("", ALNUM, 24, longest=64), prefixed("", HEX, 32), prefixed("", URLSAFE, 43)
    ),
    "secret": one_of(
        prefixed("", ALNUM, 20, longest=50),
        prefixed("", HEX, 64),
        lambda r: encoded(r.randbytes(32)),
    ),
    "aws secret": prefixed("", B64, 40),
}


# ---- drawing


def samples(half: Half, each: int) -> Iterator[Sample]:
    """So many samples of every family, the same for the same half."""
    for family, draw in FAMILIES.items():
        rng = random.Random(f"{half.seeds.start}:{family}")
        for _ in range(each):
            yield _surrounded(half, rng, family, *draw(half, rng))


Parts = tuple[str, str, str]


def _surrounded(half: Half, rng: random.Random, family: str, *parts: str) -> Sample:
    before, secret, after = parts
    above, below = rng.choice(half.around), rng.choice(half.around)
    before = f"{above}\n{before}" if above else before
    after = f"{after}\n{below}" if below else after
    return Sample(family, before, secret, after)


def _split(template: str, secret: str, **fields: str) -> Parts:
    hole = "\x00"
    before, after = template.format(secret=hole, **fields).split(hole)
    return before, secret, after


def _spellings(name: str) -> dict[str, str]:
    words = name.split("_")
    return {
        "name": name,
        "NAME": name.upper(),
        "flag": "-".join(words),
        "camel": words[0] + "".join(word.title() for word in words[1:]),
        "words": " ".join(words),
    }


_PLAIN_NAMES = ("service_key", "thing", "credentials", "value_one")


def _free(maker: Maker) -> Callable[[Half, random.Random], Parts]:
    def draw(half: Half, rng: random.Random) -> Parts:
        names = _spellings(rng.choice(_PLAIN_NAMES))
        return _split(rng.choice(half.free), maker(rng), **names)

    return draw


def _named(kind: str) -> Callable[[Half, random.Random], Parts]:
    def draw(half: Half, rng: random.Random) -> Parts:
        names = _spellings(rng.choice(half.names[kind]))
        return _split(rng.choice(half.named), VALUES[kind](rng), **names)

    return draw


_URL_SAFE_MARKS = ALNUM + "-_.~!*"


def _fillers(rng: random.Random) -> dict[str, str]:
    user = rng.choice(["app", "admin", "deploy", "svc_user", "mel"])
    key = _pem("PRIVATE KEY", 600)(rng)
    return {
        "bearer": one_of(
            prefixed("", ALNUM, 24, longest=80), prefixed("", URLSAFE, 40), prefixed("", HEX, 40)
        )(rng),
        "basic": encoded(f"{user}:{_password(rng)}".encode()),
        "urlpass": rng.choice([_password(rng).replace("@", "%40"), run(rng, _URL_SAFE_MARKS, 14)]),
        "azure": encoded(rng.randbytes(64)),
        "jsonkey": json.dumps(key + "\n")[1:-1],
        "user": user,
    }


def _line(*holes: str) -> Callable[[Half, random.Random], Parts]:
    def draw(half: Half, rng: random.Random) -> Parts:
        fields = _fillers(rng)
        hole = rng.choice(holes)
        template = rng.choice([line for line in half.lines if f"{{{hole}}}" in line])
        secret, fields[hole] = fields[hole], "\x00"
        before, after = template.format(**fields).split("\x00")
        return before, secret, after

    return draw


def _key_block(_half: Half, rng: random.Random) -> Parts:
    before, after = rng.choice([("", ""), ("cat > id <<EOF\n", "\nEOF"), ("key: |\n", "\n")])
    return before, rng.choice([*PRIVATE_KEYS.values()])(rng), after


def _variable(half: Half, rng: random.Random) -> Parts:
    before, after = rng.choice(
        [("echo ", ""), ('curl -H "X-Auth: ', '" https://example.com'), ("login -p ", " --quiet")]
    )
    return before, rng.choice(half.variables), after


# ---- what people tell each other


def _card(rng: random.Random) -> str:
    first = rng.choice(["4", "51", "55", "2221", "6011", "65", "34", "37"])
    size = 15 if first[0] == "3" else 16
    body = first + run(rng, string.digits, size - 1 - len(first))
    doubled = [int(sign) * 2 for sign in body[::-2]]
    total = sum(n // 10 + n % 10 for n in doubled) + sum(map(int, body[-2::-2]))
    digits = body + str(-total % 10)
    sizes = (4, 6, 5) if size == 15 else (4, 4, 4, 4)
    return _in_groups(digits, sizes, rng.choice(["", " ", "-"]))


def _in_groups(text: str, sizes: Sequence[int], gap: str) -> str:
    ends = [sum(sizes[: n + 1]) for n in range(len(sizes))]
    return gap.join(text[end - size : end] for end, size in zip(ends, sizes, strict=True))


def _iban(rng: random.Random) -> str:
    """Of countries whose accounts are all digits, or have the letters of a bank in them."""
    country, letters, digits = rng.choice(
        [("DE", 0, 18), ("AT", 0, 16), ("BE", 0, 12), ("PL", 0, 24), ("GB", 4, 14), ("NL", 4, 10)]
    )
    body = run(rng, string.ascii_uppercase, letters) + run(rng, string.digits, digits)
    spelled = "".join(str(int(sign, 36)) for sign in f"{body}{country}00")
    text = f"{country}{98 - int(spelled) % 97:02}{body}"
    return text if rng.random() < 0.5 else " ".join(text[n : n + 4] for n in range(0, len(text), 4))


def _phrase(rng: random.Random) -> str:
    return rng.choice([" ", "-"]).join(rng.sample(_WORDS, rng.choice([4, 5, 6, 12])))


def _strange(rng: random.Random) -> str:
    return f"{rng.choice(_WORDS).title()}{rng.randint(1, 99)}{run(rng, string.ascii_letters, 3)}"


_TOLD: dict[str, tuple[Maker, Sequence[str]]] = {
    "card": (_card, ["My card is {}, valid till 12/29.", "Karte: {}", "{}", 'number="{}"', "| {} |"]),
    "iban": (_iban, ["IBAN {}", "Überweise es auf {}.", '"account": "{}",', "{}, please", "({})"]),
    "pin": (
        lambda rng: run(rng, string.digits, rng.choice([4, 6])),
        ["my PIN is {}.", "Die PIN lautet {}", "pin: {}", '{{"pin": "{}"}}', "le code PIN est {},"],
    ),
    "told passphrase": (
        _phrase,
        ["the passphrase: {}.", "My seed phrase is {}", "Die Passphrase lautet {}, sonst nichts."],
    ),
    "told password": (
        _password,
        ["denied for kim using password {}", "log in with the password {} please", "пароль: {}",
         "Mein Passwort lautet {}", "Das Kennwort für das WLAN ist {}", "La contraseña es {}",
         "le mot de passe : {}", "密码是 {}", "パスワードは {} です", "docker login -u kim -p {} a.example",
         "redis-cli -h cache -a {} ping"],
    ),
    "told login": (
        _strange,
        ["The login for the router is kim / {}, I think.", "I logged in as kim with {}.",
         "The credentials are kim:{}", "Die Zugangsdaten lauten kim / {}"],
    ),
}  # fmt: skip


def _told(family: str) -> Callable[[Half, random.Random], Parts]:
    maker, lines = _TOLD[family]

    def draw(_half: Half, rng: random.Random) -> Parts:
        before, after = rng.choice(lines).format("\x00").split("\x00")
        return before, maker(rng), after

    return draw


def _no_word(rng: random.Random) -> str:
    """What people and programs make up that no sentence goes on with."""
    first, second = rng.choice(_WORDS), rng.choice(_WORDS)
    return rng.choice(
        [
            f"{first}-{second.title()}-{rng.randint(10, 99)}",
            f"{first.title()}-{second.title()}{rng.randint(10, 99)}",
            f"{first.title()}{rng.randint(1000, 9999)}",
            f"{first.title()}{rng.choice('!#%+')}{second}{rng.randint(10, 99)}",
            run(rng, ALNUM, rng.randint(20, 32)),
        ]
    )


_BESIDE: dict[str, Maker] = {
    "password": _no_word,
    "token": one_of(
        prefixed("", HEX, 32), prefixed("", HEX, 40), prefixed("", ALNUM, 24, longest=64)
    ),
}


def _beside(kind: str) -> Callable[[Half, random.Random], Parts]:
    def draw(half: Half, rng: random.Random) -> Parts:
        return _split(rng.choice(half.beside[kind]), _BESIDE[kind](rng))

    return draw


FAMILIES: dict[str, Callable[[Half, random.Random], Parts]] = {
    **{name: _free(maker) for name, maker in TOKENS.items()},
    **{f"named {kind}": _named(kind) for kind in VALUES},
    "private key": _key_block,
    "service account": _line("jsonkey"),
    "bearer": _line("bearer"),
    "basic and base64": _line("basic"),
    "url": _line("urlpass"),
    "azure": _line("azure"),
    "variable": _variable,
    **{f"{kind} beside its name": _beside(kind) for kind in _BESIDE},
    **{family: _told(family) for family in _TOLD},
}
