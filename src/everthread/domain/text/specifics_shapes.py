"""What a specific looks like: the shapes of paths, numbers, names, errors and commands."""

from __future__ import annotations

import re

from .patterns import lazy_pattern

LONGEST = 400
"""Characters of a line or a command that are kept."""

_EXTENSIONS = """
    adoc asm avi bash bat bin bmp bz2 c cc cert cfg cjs class clj cmake cmd cnf conf cpp cs css csv cxx
    dart db diff dll doc docx ejs el elm env erb ex exs exe fish flac go gif gql gradle graphql groovy gz
    h hbs hcl hpp hs htm html ico ini ipynb jar java jpeg jpg js json json5 jsonl jsx key kt kts less lock
    log lua m4a m make md mdx mjs mk ml mm mov mp3 mp4 mts nix odt ogg org parquet patch pdf pem php pl pm
    png po pp prisma properties proto ps1 psd pub py pyc pyi pyx r rar rb rdb rmd rs rst rtf sass scala
    scss sh snap so sol sql sqlite sqlite3 svelte svg swift tar tex tf tfvars tgz tmpl toml ts tsv tsx ttf
    txt vb vim vue wasm wav webm webp whl woff woff2 xls xlsx xml xz yaml yml zig zip zsh
"""
EXTENSIONS = frozenset(_EXTENSIONS.split())

_BARE = """
    Makefile Dockerfile Containerfile Gemfile Rakefile Procfile Vagrantfile Jenkinsfile Justfile README
    LICENSE CHANGELOG NOTICE CODEOWNERS
"""
BARE = frozenset(_BARE.split())
"""Files without an extension that everybody knows."""

_NO_FILES = """
    console.log process.env import.meta.env math.log np.log node.js next.js vue.js react.js three.js nuxt.js
    express.js d3.js p5.js
"""
NO_FILES = frozenset(_NO_FILES.split())
"""What is spelt like a file and is code, or the name of a library."""

_WORDS = "c class db diff doc el env ex h key lock log m make map org patch po pp pub r snap so"
WORDS = frozenset(_WORDS.split())
"""Extensions that are words of code as well."""

_PROGRAMS = """
    adb ansible apt apt-get awk aws az bash bat black brew bun bundle cargo cat cd chmod chown clang cmake
    conda cp curl cut deno diff dig docker docker-compose dotnet du echo env eslint export fd ffmpeg find
    firebase flake8 flask fly gcc gcloud gem gh git go gradle grep gunzip gunicorn head helm heroku htop
    isort java javac jest journalctl jq kill kubectl less ln ls make mkdir mongosh mv mvn mypy mysql nc
    next nginx ninja node npm npx nvm openssl php pip pip3 pipenv pipx playwright pnpm podman poetry
    pre-commit prettier psql pwd pyright pytest python python3 rails rake redis-cli rg rm rsync ruby ruff
    rustc scp sed sh sleep sort source sqlite3 ssh sudo supabase swift systemctl tail tar tee terraform
    time tmux touch tox tree tsc uniq unzip uv uvicorn vercel vim vite vitest wc wget xargs yarn zip
"""
PROGRAMS = frozenset(_PROGRAMS.split())

_SHELLS = "sh bash shell zsh fish console shell-session powershell ps1 cmd bat"
SHELLS = frozenset(_SHELLS.split())
PLAIN = frozenset(("", "text", "txt", "log", "output", "plaintext", "plain", "md", "markdown"))
"""A fenced block marked so holds a command's output or prose, not code."""

_SIGNS = r"A-Za-z0-9_./:@#$€£%+~*?=&\\-"
TOKEN = lazy_pattern(
    # Words that tell nothing by their shape are passed over where they begin.
    rf"(?<![{_SIGNS}])(?!(?![A-Z][a-z]+file\b)[A-Za-z]?[a-z]*+[.:?*-]*+(?![{_SIGNS}]))(?>(?:[{_SIGNS}]|(?<=\d),(?=\d)"
    # A folder of a path that stands for any name, or groups others: `app/[id]/page.tsx`.
    r"|(?<=/)\[{1,2}[\w.-]+\]{1,2}(?=[/.])|(?<=/)\([\w.-]+\)(?=/))+)"
)
WORD = lazy_pattern(r"[^\W\d_][\w'’-]*")

SHAPE = lazy_pattern(
    r"""
    (?P<url>(?:https?|ftp|ssh|wss?|git|file|postgres(?:ql)?|redis|mongodb)://[^\s/].*|www\.\w.*
        |[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|ai|app|edu|gov|co|land)/.+)
  | (?P<person>[\w.+-]+@(?!v?\d+(?:\.\d+)+)[\w-]+(?:\.[\w-]+)+)  # but not npm@11.4.2
  | (?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})
  | (?P<number>
        [$€£]?\d[\d_]*(?:[.,:]\d+)*(?:%|[a-zA-Z]{1,3}|[+])?(?:/(?:s|min|h|day|\d+))?
      | v\d+(?:\.\d+)*[\w.+-]*
      | \d+(?:\.\d+)+[\w.+-]*
      | \d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z?)?
      | [\d.]+x[\d.]+ | 0x[0-9a-fA-F]+ | [+-]\d[\d.,]*%
    )
  | (?P<ticket>\#\d+|(?!L\d+-)[A-Z][A-Z0-9]{1,9}-\d+|GH-\d+)
  | (?P<flag>--[a-z][\w-]+(?:=\S+)?|\$[A-Za-z_]\w+|@[A-Za-z][\w/-]+)
  | (?P<name>
        [A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_]\w*)*(?:\(\))?
      | [a-z0-9]+(?:-[a-z0-9]+)+
      | [A-Za-z]\w*[+#]{1,2}
    )
    """,
    re.VERBOSE | re.ASCII,
)
COMMIT = lazy_pattern(r"(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
ENDED = lazy_pattern(r"[^/\\]\.\w{1,10}$|/(?:Makefile|Dockerfile|Jenkinsfile|LICENSE|README)$")
"""So ends the path of a file, and not of a folder."""
WINDOWS = lazy_pattern(
    r"(?<!\w)[A-Za-z]:\\(?:[^\\/:*?\"<>|\n]{1,80}\\){1,20}[^\\/:*?\"'<>|\s()\[\],;]{1,80}"
)
"""A whole path with signs that no other path has: its folders may have names of several words."""
PLACE = lazy_pattern(r"(?::\d+)+(?:-\d+)?$|#L\d+.*$")
"""Where in a file: not part of its name."""

GLUED = lazy_pattern(
    r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}|\w_\w|__\w|\w\(\)|::|->|[a-z]\.[a-z]\w*\.[a-z]"
)
CAPITALS = lazy_pattern(r"[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|[A-Z]{2,}\d+|[A-Z]+\d[A-Z\d]*")

_FORMS = "GmbH gGmbH mbH AG KG KGaA OHG UG Ltd LLC LLP PLC plc Inc Corp SARL SAS SpA Srl BV NV ApS Oy Oyj"
FORMS = frozenset(_FORMS.split())
"""What kind of company it is: a part of its name, and nothing without it."""

_LETTERS = [chr(code) for code in range(0x00C0, 0x0250)]
_UPPER = "A-Z" + "".join(letter for letter in _LETTERS if letter.isupper())
_LOWER = "a-z" + "".join(letter for letter in _LETTERS if letter.islower())
_RAISED = f"[{_UPPER}][{_LOWER}]+"
_FORM = f"(?:{'|'.join(sorted(FORMS, key=len, reverse=True))})"
NAMES = lazy_pattern(
    rf"(?<![\w./@-]){_RAISED}(?:(?: & |[ -]){_RAISED}){{0,4}}"
    rf"(?P<form> {_FORM}(?: & Co\.? KG(?:aA)?)?| & Co\b\.?(?: {_FORM})?)?(?!\w)"
)
"""Capitalized words, and what kind of company they name."""
WITHIN = lazy_pattern(rf"[{_LOWER},] $")
"""So ends what stands before a word that has its capital for itself."""
PLACES = lazy_pattern(
    r"\b(?:in|at|from|to|near|via|using|through|into|onto|named|called|on) $", re.IGNORECASE
)
_CALENDAR = """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July
    August September October November December English Christmas
"""
CALENDAR = frozenset(each for day in _CALENDAR.split() for each in (day, f"{day}s"))

HINT = lazy_pattern(
    r"rror|RROR|xception|FAIL|ailed|ailure|atal|anic|denied|not found|o such|ERR!|:\d+:\d+: |^E  ",
    re.MULTILINE,
)
"""Where none of this is, there is no error: asked of a whole text before its lines are looked at."""

ERROR = lazy_pattern(
    r"""
    (?:^|[\s`"'(])(?P<named>(?:[A-Za-z_][\w.]*)?[A-Z]\w*(?:Error|Exception|Fault|Panic):\s\S.*)
  | ^(?P<alone>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))$
  | ^\W*(?P<said>(?i:error|fatal|panic|failure|failed|fatal\serror|unexpected\serror|uncaught\s\w+)
        (?:\[\w+\]|\s[A-Z]+\d+|\s\(\w+\))?[:!]\s?(?!\d)\S.*(?<![;,{(])$)
  | ^\W*(?P<test>(?:---\s)?FAIL(?:ED|URE)?\b:?\s.*\w.*|ERR!\s.*
        |npm\s(?i:err)(?:or|!)\s(?!\s*(?:(?:at|path|command|cwd|errno|syscall|dest|location|workspace)\s
        |code\s(?:\d|ELIFECYCLE)|(?i:lifecycle\sscript|(?:notarget\s)?in\s(?:workspace|most\scases)|notarget\sa\s|to\ssee\sa\slist|node\.js\sv|this\sis\sprobably|failed\sat\sthe
        |exit\sstatus|error:\scommand\sfailed\s*$|test\sfailed\.\s)|A\scomplete|file:|[\^~|{}]|.*;$)).*)
  | ^E\s{2,}(?P<pytest>\S.*)
  | (?P<shell>\S.{0,200}:\s(?i:command\snot\sfound|no\ssuch\sfile\sor\sdirectory|permission\sdenied).*)
  | ^\s*(?P<place>[\w./\\-]+:\d+:\d+:\s\S.*)
  | (?P<code>\berror\s[A-Z]+\d+:\s.*)
    """,
    re.VERBOSE,
)
EXIT = lazy_pattern(
    r"\b(?:exit(?:ed)?|return(?:ed)?)[ _]?(?:with )?(?:code|status)\b[\"']?\s*[:=]?\s*(-?\d{1,4})\b",
    re.IGNORECASE,
)

DEEDS = lazy_pattern(
    r"\b(?:(?P<edited>edited|updated|modified|changed|fixed|refactored|patched|rewrote|rewritten|renamed|"
    r"applied edits? to)|(?P<created>created|wrote|written|generated|saved)|(?P<added>added)|"
    r"(?P<deleted>deleted|removed)|(?P<read>read|opened|viewed|loaded))\b(?!:)",
    re.IGNORECASE,
)
UNDONE = lazy_pattern(
    r"\b(?:not|n['’]t|never|should|will|would|could|must|can|may|might|needs?|to be|if|want|let|[Ii]['’]ll|"
    r"please|when|before|going to)\b|n['’]t\b",
    re.IGNORECASE,
)
JOINED = lazy_pattern(r"\s+to (?:the |this )?(?:chat|context|conversation|session)\b")

PATCHED = lazy_pattern(r"^\*\*\* (Update|Add|Delete) File: (\S+)", re.MULTILINE)
DEFINED = lazy_pattern(
    r"\s*(?:(?:export|default|async|pub|public|private|static|abstract)\s+)*"
    r"(?:def|class|func|fn|function|interface|struct|type|enum|trait)\s+([A-Za-z_]\w{2,})"
)
HEREDOC = lazy_pattern(r"<<-?\s*['\"]?(\w+)")
PROMPT = lazy_pattern(
    r"\s*(?:[\w.@~:/-]{0,60}[$\u276f]|[\w.-]{1,40}@[\w.-]{1,60} \S{1,60} %"
    r"|(?:\(\S{1,20}\) )?PS [A-Za-z]:\\[^>\n]{0,200}>)\s+(?=[a-z./~][\w.+/\\-]*(?:\s|$))"
)
NUMBERED = lazy_pattern("\\s*>?\\s*\\d+(?:[\u2192\u2502\u2588\\t]|[:|]\\s?)")
"""Before a line of a file that a tool shows: the line's number."""
PROGRESS = lazy_pattern(
    r"\s*(?:=>|#\d+\s|\[(?:\+|\d+/\d+)\]|\d+\.\d{3}\s|\u2713\s|(?:GET|POST|PUT|PATCH|DELETE)\s/)"
)
"""A line of a build or a server at work: how long a step took tells nothing later."""

CODE = lazy_pattern(
    r"[;{}(\[\\]\s*$|\w\(.*\)\s*$|\s(?:[=!:+-]?=|=>|->|&&|\|\|)\s|^@@ |^\s*(?://|/\*|"
    r"#include|import |from \w+ import |def |class |return |func |if .*[:)]\s*$|for .*[:)]\s*$|else\b|try:|"
    r"except|raise |assert |with .*:\s*$)"
)
"""A line of code, whose names and numbers are the file's."""
TICKED = lazy_pattern(r"`([^`\n]{2,400})`")
SENTENCE = lazy_pattern("(?<=[.!?])[\"')\\]]?\\s+(?=[^\\W_a-z])|(?<=[\u3002\uff01\uff1f])")
