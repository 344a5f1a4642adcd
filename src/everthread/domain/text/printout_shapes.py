"""The shapes of a program's lines, and of those in which a person is heard among them."""

from __future__ import annotations

import re

from .patterns import lazy_pattern

CERTAIN = lazy_pattern(
    r"""\s*+(?:
        [\u2500-\u257f\u276f\u279c\u2800-\u28ff]\s*\S                      # a prompt, a tree
      | [\w.-]+@[\w.-]+[: ][^\s,]*\s?[$%\#>]\s | \([\w.-]+\)\s[\w~/.:@-]*\s?[$%\#>\u276f\u279c]
      | (?:\([\w.-]+\)\s)?PS\s[A-Z]:\\ | [A-Z]:\\\S*> | \(\w+:\d+\)\s
      | (?:npm|yarn|pnpm|pip|cargo|gradle)\s(?:ERR!|WARN|warn|error|notice|info)\b
      | at\s+\S.*[(:]\S*:\d+ | at\s(?:async|new|Object|Module|Function)\b
      | File\s"[^"]+",\sline\s\d+
      | [\w.~/-]+\s(?:git|hg|svn):\([^)\n]*\)
      | (?:<\d+>)?(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s[\s\d]\d\s\d\d:\d\d:\d\d[\d.]*
          |\d{4}-\d\d-\d\d[T\s]\d\d:\d\d:\d\d\S*)\s[\w.-]+\s[\w./@()-]+(?:\[\d+\])?:\s  # a journal
      | \[?\d{4}[-/]\d\d[-/]\d\d[T\s]\d\d:\d\d:\d\d[\w.,:+\]-]*\s+[\[(]?
          (?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\b
      | \[\d\d/[A-Z][a-z][a-z]/\d{4}[:\s]\d\d:\d\d:\d\d[^\]\n]*\]\s"            # a web server
      | [^\s:]++\s?:\s(?:fatal\s|Command\sline\s)?(?:error|warning|note)\s[A-Z]{1,4}\d{2,5}\s?:\s
      | [\w.-]+/[\w./-]+:\s[A-Z][^\n]*\.\.\.\s*$
      | VM\d+:\d+\s | Line\s\d+:\d+:\s | [\w.]++\s*+=\s*+\S++\s\s++\#\s
    )""",
    re.VERBOSE,
)
"""Nobody writes so by hand: one such line is enough."""

SHAPED = lazy_pattern(
    r"""\s*+(?:
        [\u03bb\u2a2f]\s*\S | \$\s[a-z./] | >\s\S+@\d
      | [\u2139\u25b2\u26a0\u2713-\u2718]\s*(?:\S*[\w/][./(_:]+\w|.*(?:\(\d|\.{3}\s*$))
      | \[?(?:\d{4}[-/]\d\d[-/]\d\d[T\s])?\d\d:\d\d:\d\d[\w.,:+\]-]*\s+\S | \[\+\]\s
      | (?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL)(?:\s{2,}|\s+[\[(\d|-]|:\s{2,}|:\s*\[|\s?\|)
      | \#\d+\s+\d+\.\d+s?\s\S | \d+\.(?:\d{3,}s?|\d\ds)\s\S
      | =>\s+(?:=>|\[|[A-Z]{4,}\b|(?:transferring|exporting|naming|writing|resolve|extracting|sha256)\b)
      | \#\d+\s+(?:\[|\d|DONE|CACHED|ERROR)
      | (?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s/\S*\s+(?:HTTP\S*\s+)?\d{3}\b
      | (?:[A-Za-z_][\w.]*\.)?(?:[A-Z]\w*)?(?:Error|Exception|Warning)(?:\s\[\w+\])?:\s
      | Uncaught\b | Unhandled\s | Caused\sby: | Traceback\s | During\shandling\sof
      | The\sabove\sexception\swas\s | Exception\sin\sthread\s | [A-Z]{2,5}\d{3,5}:\s[A-Z]
      | (?:Error:\s)?Process\s(?:completed|exited|finished)\swith\s(?:exit\s)?code\s
      | [^\n]*?(?:\{\u2026\}|,\s\u2026[}\]]) | \[\[[A-Z]\w+\]\]\s*$ | \{\w+:\s[^\n]*\}\s*$  # a browser's data
      | [^\n]*\S\s\{\s*$ | [A-Z$][^\n]*?\s\{\s[^{}\n]*\s\}\s*$ | \S[^\n]*?\s\s(?:\#|//|[\u2190\u2192])\s\S
      | \S+\.\w{1,5}[:(]\d+[:,)]\d* | \S+\(\d+,\d+\):
      | >?\s*\d*\s?\|\s\S | [\^~]+\s*$ | -->\s\S+:(?:\d|\s\s) | Node\.js\sv\d         # a frame of code
      | /\*\*?\s | \*/ | <!-- | \#!/                             # a comment in code
      | (?:added|removed|changed|audited|found)\s\d+\s(?:packages?|vulnerabilit)
      | \[(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|info|warn|error|debug)\]\s+\S
      | \d+:\d+\s+(?:[Ww]arning|[Ee]rror|info)\b | \S+\s@\s\S+:\d+\s*$
      | On\sbranch\s\S+$ | Your\sbranch\s(?:is|and)\s | \(use\s"git\s | Untracked\sfiles:
      | Changes\s(?:not\sstaged|to\sbe\scommitted) | no(?:thing|\schanges)\s(?:added\s)?to\scommit
      | Step\s\d+/\d+ | \d+\s(?:passing|failing|passed|failed)\b
      | (?:const|let|var|import|export|function|class|def|return|from|async|await|public|private|CREATE|
          SELECT|INSERT|UPDATE|ALTER|DROP)\s.*[;{(=]\s*$ | (?:const|let|var)\s[\w$]+\s=\s\S
      | [\w.$\[\]'"]+\s?[=:]\s?(?:\S.*)?[;{(\[]\s*$ | [)}\]]+[,;)}\]]*\s*$
      | [\w.$]+\([^()]*\)[;,{]\s*$ | ["'][^"']+["']\s?:\s(?:\S.*,\s*$|-?\d|["'{\[]|(?:true|false|null)\b)
    )""",
    re.VERBOSE,
)
COMMENT = lazy_pattern(r"\s*//\s")
WEAK = lazy_pattern(
    r"""\s*(?:[\u2139\u25b2\u26a0\u2713-\u2718]\s* | \?\s(?=[A-Z]) | \u00d7\s+(?=[A-Z]) | =>\s | -->\s | //\s
      | \d+\.\d\d\s | ["'][^"']+["']\s?:\s)(?=\S)""",
    re.VERBOSE,
)
"""Programs write so, and people as well, who tick off and point: beside a surer line it is a program's."""

MARKED = lazy_pattern(
    r"""\s*+(?:\[[\w:./@\s+-]{2,40}\](?:\s*+:\s | \s++) | [\w-]+\]\s
      | (?:INFO|WARNING|ERROR|DEBUG|FATAL|CRITICAL|NOTICE):\s
      | (?:error|warning|fatal|panic)(?:\[\w+\]|\s[A-Z]+\d+)?:\s
      | [\w./@-]+\.[A-Za-z]{1,6}:\d+\s
      )(?=\S)""",
    re.VERBOSE,
)
"""Programs begin their lines so: `[nodemon] starting`. People do too: `[backend] use one queue`."""

CLOCK = lazy_pattern(r"\[?[\w\s/-]{0,12}\d\d:\d\d:\d\d(?!\d)")
TIMED = lazy_pattern(r"\s\d+(?:\.\d+)?\s?m?s\s*$|\b[0-9a-f]{32,}\b|\bsha256:")
COLUMNS = lazy_pattern(r"\S(?: {3,}|\t+)\S")
VALUE = lazy_pattern(
    r"\s{2,}[\w$-]+:\s(?:'[^'\n]*'|\"[^\"\n]*\"|-?\d[\d.]*|true|false|null|undefined|None)[,;]?\s*$"
)
"""A line inside of what a program prints of its data."""

MIDWAY = lazy_pattern(
    r"""(?<=\S\s)(?=(?:\([\w.-]+\)\s)?PS\s[A-Z]:\\ | Traceback\s\(most | Uncaught\s\w
      | \[\d\d/[A-Z][a-z][a-z]/\d{4}[:\s][\d:]{8}[^\]\n]*\]\s")""",
    re.VERBOSE,
)
"""Where a printing begins in the middle of a line: who pastes does not always begin a new one."""

TAIL = lazy_pattern(r"""(?:"\s\d{3}\s\d+|:\d+:\d+\)|["']\))\s+(?=[^\W\d_A-Z]{1,20}\s[^\W\d_])""")
"""What stands before the words with which a person goes on in the last line of a printing."""

KEY = lazy_pattern(r"(\s*(?:-\s+)?)[A-Za-z_][\w./@$-]*:(?=\s|$)")
"""A key of a configuration, and how far in it stands."""

TOKEN = lazy_pattern(r"\s*(\S+?:(?=\s)|[\w.-]+\s+\|(?=\s))")
SIGN = lazy_pattern(r"[:/@#|.\d]")
VOICE = lazy_pattern(
    r"\?\s*$|\b(?:i|i['’]m|i['’]ve|i['’]d|we|we['’]re|my|our|me|please|pls|let['’]s|can you|could you|"
    r"why|how|what|still|again|now|same|hmm+|ok(?:ay)?|great|nice|good|thanks|wait|so|but|and|it['’]s|"
    r"this|that|there['’]s|here['’]s|fix|try|look|see|read|check|use|make|add|remove|ich|wir|bitte|warum|wie|"
    r"je|nous|pourquoi|yo|por)\b",
    re.IGNORECASE,
)
FAINT = lazy_pattern(
    r"""\s{2,}(?![-*+\u2022\u2023\u25cf\u25e6\u2013\u2014]\s|\d+[.)]\s)\S
      | [A-Z]\w+(?<!th)ing\b.*(?:\.\.\.|\u2026)\s*$
      | \s?\w[^\n]*?[\w:)](?:\ {3,}|\t+)\S
      | [\W\d_]++$ | [\w-]+\.\w{1,5}\s*$ | [^\n:]{1,40}:\s+[-+]?\d+\.\d+%?\s*$ | [^|\n]+\s\|\s[^|\n]+\s\|\s
      | [-=*_]{3,}+\s*+$ | > | [^\s/\\]*+[/\\]\S*+\s*+$ | .*[\[(]\d{1,9}/\d{1,9}[\])]\s*+$""",
    re.VERBOSE,
)
"""No printing begins with such a line, but it may go on with it: set in, counting, a bare path."""

SIGNED = lazy_pattern(
    r"[^\x00-\x7f\w\s\u2705\u2611\u274c\u2753\u2757\u00bf\u00a1\u00ab\u2018-\u201f\u300c\u300e]"
)
"""Beside such lines also one that a sign leads; people tick off and quote with some of them."""
