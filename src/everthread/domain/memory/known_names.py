"""Well-known names by what they are: products that do the same job, towns, countries, departments.

`We switched the shop to PostgreSQL` tells nothing of the theme of the shop, and `I moved to Linux` nothing of
where somebody lives. No list is whole: a name that stands in none of them is of no known sort.
"""

from __future__ import annotations

from functools import cache

_JOBS = """
    database: postgres postgresql mysql mariadb sqlite mongodb mongo oracle redis cassandra dynamodb
        cockroachdb clickhouse duckdb elasticsearch opensearch neo4j couchdb firestore supabase mssql
    language: python java javascript typescript rust go golang kotlin swift ruby php scala perl elixir
        haskell c++ c# zig lua julia clojure dart
    build: maven gradle bazel webpack vite rollup esbuild cmake make npm pnpm yarn poetry uv pip cargo
    ci: jenkins circleci travis buildkite teamcity bamboo drone github+actions gitlab+ci azure+pipelines
        bitbucket+pipelines
    host: aws azure gcp heroku hetzner render netlify vercel fly.io digitalocean linode ovh cloudflare
        railway scaleway exoscale google+cloud
    cluster: kubernetes k8s nomad swarm openshift docker podman
    system: linux windows macos ubuntu debian fedora arch android ios freebsd nixos alpine
    editor: vim neovim emacs vscode intellij pycharm sublime zed webstorm vs+code
    browser: firefox chrome safari edge brave opera vivaldi
    chat: slack teams mattermost discord zulip telegram whatsapp signal microsoft+teams
    tracker: jira linear asana trello clickup redmine basecamp monday.com youtrack
    forge: github gitlab bitbucket gitea codeberg forgejo
    mail: gmail outlook fastmail protonmail mailchimp sendgrid postmark mailgun
    payment: stripe paypal adyen mollie braintree klarna square
    framework: react vue angular svelte django flask fastapi rails laravel spring express nextjs next.js
        nuxt symfony
    interface: graphql rest grpc soap
    markup: markdown asciidoc latex html docx
    wiki: confluence notion obsidian evernote roam onenote
    drawing: figma sketch canva photoshop illustrator gimp
    meeting: zoom webex jitsi meet google+meet
    speech: english german french spanish italian dutch danish swedish norwegian polish portuguese russian
        chinese japanese korean arabic hindi turkish
    team: sales marketing backend frontend support engineering product finance legal operations hr design
        research procurement logistics accounting security devops platform data management
    stage: done review backlog production staging testing
"""
"""What does one job at a time; `+` is the blank within a name."""

_COUNTRIES = """
    germany austria switzerland france italy spain portugal england scotland wales ireland britain uk
    netherlands belgium luxembourg denmark sweden norway finland iceland poland czechia slovakia hungary
    romania bulgaria greece turkey ukraine russia croatia slovenia serbia estonia latvia lithuania usa
    america canada mexico brazil argentina chile peru colombia india china japan korea vietnam thailand
    indonesia malaysia philippines australia egypt morocco kenya nigeria ghana israel iran iraq pakistan
    europe asia africa california texas florida bavaria saxony hesse tuscany provence brittany ontario
    quebec catalonia andalusia oregon colorado arizona ohio michigan illinois massachusetts pennsylvania
    cornwall yorkshire lancashire sussex essex lombardy sicily sardinia normandy alsace galicia
    deutschland österreich schweiz frankreich italien spanien niederlande belgien dänemark schweden norwegen
    polen tschechien griechenland türkei bayern sachsen hessen thüringen brandenburg niedersachsen saarland
    nordrhein-westfalen rheinland-pfalz schleswig-holstein baden-württemberg mecklenburg-vorpommern tirol
    steiermark kärnten allemagne autriche suisse espagne italie belgique angleterre bretagne normandie
    alemania francia suiza italia inglaterra españa cataluña andalucía germania svizzera spagna toscana
    lombardia sicilia duitsland frankrijk spanje nederland belgië oostenrijk zwitserland
"""
_TOWNS = """
    berlin hamburg munich cologne frankfurt stuttgart dusseldorf düsseldorf dortmund essen leipzig bremen
    dresden hanover hannover nuremberg duisburg bochum wuppertal bielefeld bonn munster münster karlsruhe
    mannheim augsburg wiesbaden kiel aachen freiburg lübeck luebeck erfurt mainz rostock kassel halle
    potsdam göttingen heidelberg ulm würzburg regensburg jena konstanz vienna graz linz salzburg innsbruck
    zurich zürich geneva basel bern lausanne lucerne paris lyon marseille toulouse nice nantes strasbourg
    bordeaux lille rennes grenoble london manchester birmingham leeds liverpool sheffield bristol york
    glasgow edinburgh cardiff belfast dublin cork galway oxford cambridge brighton nottingham newcastle
    southampton leicester bath exeter norwich aberdeen dundee amsterdam rotterdam utrecht eindhoven
    groningen brussels antwerp ghent bruges copenhagen aarhus odense aalborg stockholm gothenburg malmö
    uppsala oslo bergen trondheim stavanger helsinki tampere turku espoo reykjavik warsaw krakow gdansk
    wroclaw poznan lodz prague brno bratislava budapest bucharest cluj sofia athens thessaloniki istanbul
    ankara izmir kyiv lviv zagreb split ljubljana belgrade tallinn tartu riga vilnius kaunas madrid
    barcelona valencia seville bilbao malaga granada zaragoza lisbon porto braga coimbra rome milan naples
    turin florence bologna venice verona genoa palermo catania trieste chicago boston seattle portland
    denver austin dallas houston atlanta miami philadelphia phoenix detroit minneapolis nashville oakland
    baltimore cleveland pittsburgh toronto montreal vancouver ottawa calgary tokyo osaka kyoto seoul
    beijing shanghai shenzhen bangkok singapore mumbai delhi bangalore bengaluru chennai kolkata hyderabad
    pune sydney melbourne brisbane perth adelaide auckland wellington cairo nairobi lagos johannesburg
    capetown casablanca dubai beirut santiago lima bogota quito montevideo washington
"""
_TWO_WORDS = """
    new+york los+angeles san+francisco san+diego las+vegas cape+town tel+aviv rio+de+janeiro são+paulo
    sao+paulo buenos+aires mexico+city hong+kong the+hague new+orleans salt+lake+city
"""
COUNTRIES = frozenset(_COUNTRIES.split())
TOWNS = frozenset(name.replace("+", " ") for name in (_TOWNS + _TWO_WORDS).split())


@cache
def _jobs() -> dict[str, str]:
    found: dict[str, str] = {}
    job = ""
    for word in _JOBS.split():
        if word.endswith(":"):
            job = word[:-1]
        else:
            found[word.replace("+", " ")] = job
    return found


def job_of(name: str) -> str | None:
    """What the named one does, by the longest name it begins with: `Python 3.13` is a language."""
    words = name.lower().rstrip(".!,").removeprefix("the ").split()
    known = _jobs()
    return known.get(" ".join(words[:2])) or known.get(words[0]) if words else None


def _sort_of(name: str) -> str | None:
    return "town" if is_town(name) else "land" if is_country(name) else job_of(name)


def are_of_two_sorts(one: str, other: str) -> bool:
    """Are both known, as different things? A town is no language, and a country no town."""
    a, b = _sort_of(one), _sort_of(other)
    return a is not None and b is not None and a != b


def are_of_one_sort(one: str, other: str) -> bool:
    a = _sort_of(one)
    return a is not None and a == _sort_of(other)


def is_town(name: str) -> bool:
    return name.lower() in TOWNS


def is_country(name: str) -> bool:
    """Or another land in which there are many towns."""
    return name.lower() in COUNTRIES
