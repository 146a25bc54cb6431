"""Renders the pages of docs/ as a static site: navigation, search without a server, light and dark, no request to anybody else.

    python3 docs/site/render.py ROOT OUT          called by tools/make_site

Markdown becomes HTML by cmark-gfm, code gets its colours from Pygments. What is done here is the rest: the frame of the pages, anchors of
headings as GitHub makes them, links between pages, links to sources (which become pages of their own), the reference of the Python package from its
docstrings, bars beside the tables of measured speeds, and the index for the search.
"""

import ast
import html
import json
import os
import re
import subprocess
import sys
import textwrap
from html.parser import HTMLParser
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

ROOT, OUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
HERE = Path(__file__).resolve().parent
FORMAT = HtmlFormatter(nowrap=True, classprefix="k-")
# Pages outside of docs/ that are part of the documentation, and where they go.
OUTSIDE = {
    "README.md": "overview.html",
    "CHANGELOG.md": "changes.html",
    "SECURITY.md": "security.html",
    "ARCHITECTURE.md": "architecture.html",
    "CONTRIBUTING.md": "contributing.html",
    "examples/README.md": "examples.html",
    "docs/README.md": "contents.html",
    "bindings/js/README.md": "npm.html",
    "bindings/python/README.md": "python-package.html",
}
# Tables of measured numbers that are drawn, too: page, heading, unit.
DRAWN = {
    ("docs/comparisons.md", "counting-compared-with-fastfilter"): "nanoseconds per key; shorter is faster",
    ("docs/comparisons.md", "dleft-compared-with-a-cuckoo-filter"): "nanoseconds per key; shorter is faster",
}


def target_of(page: str) -> str:
    """Where a Markdown file of the tree goes on the site."""
    if page in OUTSIDE:
        return OUTSIDE[page]
    path = Path(page).relative_to("docs")
    return str(path.parent / "index.html") if path.name == "README.md" else str(path.with_suffix(".html"))


def slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading; heading is HTML."""
    text = html.unescape(re.sub(r"<[^>]+>", "", heading)).strip().lower()
    return re.sub(r"[^a-z0-9 _-]", "", text).replace(" ", "-")


def relative(target: str, page: str) -> str:
    """A link from one page of the site to another."""
    path, mark, anchor = target.partition("#")
    return os.path.relpath(path, os.path.dirname(page) or ".").replace(os.sep, "/") + mark + anchor


class Sources:
    """Files of the tree that pages link to: each becomes a page that shows it."""

    def __init__(self) -> None:
        self.wanted: dict[str, str] = {}

    def page_of(self, path: str) -> str:
        self.wanted[path] = f"source/{path}.html" if (ROOT / path).is_file() else f"source/{path}/index.html"
        return self.wanted[path]

    def write(self, frame: "Frame") -> None:
        done: set[str] = set()
        while todo := sorted(set(self.wanted) - done):
            for path in todo:
                done.add(path)
                if (ROOT / path).is_dir():
                    files = subprocess.run(["git", "-C", str(ROOT), "ls-files", path], capture_output=True, text=True, check=False).stdout.split()
                    files = files or [str(one.relative_to(ROOT)) for one in sorted((ROOT / path).rglob("*")) if one.is_file()]
                    rows = "".join(f'<li><a href="{relative(self.page_of(one), self.wanted[path])}">{html.escape(one)}</a></li>' for one in files if readable(one))
                    frame.write(self.wanted[path], path, f"<h1><code>{html.escape(path)}</code></h1><ul>{rows}</ul>", section="Sources", searched=False)
                    continue
                try:
                    text = (ROOT / path).read_text()
                except UnicodeDecodeError:
                    text = "(not a text)"
                body = highlight(text, lexer_of(path), FORMAT)
                frame.write(self.wanted[path], path, f"<h1><code>{html.escape(path)}</code></h1><pre class=\"code\"><code>{body}</code></pre>", section="Sources", searched=False)


def readable(path: str) -> bool:
    return (ROOT / path).stat().st_size < 200_000 and not path.endswith((".eb", ".ebs", ".gz", ".zst", ".png"))


def lexer_of(path: str):
    try:
        return get_lexer_for_filename(path)
    except ClassNotFound:
        return TextLexer()


def coloured(match: re.Match) -> str:
    """A block of code as cmark-gfm writes it."""
    language, code = match[1] or "text", html.unescape(match[2])
    if language == "math":  # as on GitHub; MathML needs no script and no letters of its own
        done = subprocess.run(["katex", "--format", "mathml", "--display-mode"], input=code, capture_output=True, text=True, check=True,
                              env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})  # where Debian has its modules
        return f'<div class="formula">{done.stdout.strip()}</div>'
    try:
        lexer = get_lexer_by_name({"console": "console", "text": "text", "js": "javascript"}.get(language, language))
    except ClassNotFound:
        lexer = TextLexer()
    return f'<pre class="code"><code>{highlight(code, lexer, FORMAT)}</code></pre>'


def markdown(text: str) -> str:
    """HTML of a page."""
    done = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "--github-pre-lang"],
                          input=text, capture_output=True, text=True, check=True)  # fmt: skip
    body = re.sub(r"<!--.*?-->", "", done.stdout, flags=re.S)
    body = re.sub(r'<pre(?: lang="([^"]*)")?><code>(.*?)</code></pre>', coloured, body, flags=re.S)
    used: dict[str, int] = {}

    def with_anchor(match: re.Match) -> str:
        level, text = match[1], match[2]
        anchor = slug(text)
        count = used.get(anchor, 0)
        used[anchor] = count + 1
        anchor += f"-{count}" if count else ""
        return f'<h{level} id="{anchor}">{text}<a class="anchor" href="#{anchor}" aria-label="Link to this heading">#</a></h{level}>'

    body = re.sub(r"<h([1-6])>(.*?)</h\1>", with_anchor, body, flags=re.S)
    return re.sub(r"<table>(.*?)</table>", r'<div class="wide"><table>\1</table></div>', body, flags=re.S)


class Text(HTMLParser):
    """The words of a page by headings, for the search."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[list[str]] = [["", "", ""]]  # anchor, heading, words
        self.level = ""
        self.skipping = 0

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag in ("h1", "h2", "h3"):
            self.parts.append([found.get("id", ""), "", ""])
            self.level = tag
        if found.get("class") == "anchor" or tag == "svg":
            self.skipping += 1

    def handle_endtag(self, tag):
        if tag == self.level:
            self.level = ""
        if self.skipping and tag in ("a", "svg"):
            self.skipping -= 1

    def handle_data(self, data):
        if not self.skipping:
            self.parts[-1][1 if self.level else 2] += data if self.level else data + " "


class Table(HTMLParser):
    """The cells of the first table in a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def bars(table: str, unit: str) -> str:
    """A picture of a table: a group per row, a bar per column with numbers. Cells without a number have no bar."""
    reader = Table()
    reader.feed(table)
    head, rows = reader.rows[0], reader.rows[1:]

    def number(cell: str):
        found = re.match(r"\s*([0-9][0-9,]*(?:\.[0-9]+)?)\s*(?:\(|$)", cell)
        return float(found[1].replace(",", "")) if found else None

    columns = [i for i in range(1, len(head)) if head[i].strip() not in ("keys", "bits per key", "FPR") and any(number(r[i]) for r in rows if i < len(r))]
    rows = [r for r in rows if r[0].strip() != "ratio" and any(i < len(r) and number(r[i]) for i in columns)]
    most = max(number(r[i]) or 0 for r in rows for i in columns if i < len(r))
    lines, y = [], 6
    for row in rows:
        lines.append(f'<text x="0" y="{y + 12}" class="name">{html.escape(row[0].strip())}</text>')
        for place, i in enumerate(columns):
            value = number(row[i]) if i < len(row) else None
            if value is None:
                continue
            wide = max(1.0, 300 * value / most)
            lines.append(f'<rect x="180" y="{y}" width="{wide:.1f}" height="12" class="bar-{place % 6 + 1}"><title>{html.escape(head[i])}: {value:g}</title></rect>'
                         f'<text x="{186 + wide:.1f}" y="{y + 11}" class="value">{value:g}  {html.escape(head[i].strip())}</text>')  # fmt: skip
            y += 15
        y += 8
    return (f'<figure class="bars"><svg viewBox="0 0 640 {y}" role="img" aria-label="{html.escape(unit)}">{"".join(lines)}</svg>'
            f"<figcaption>{html.escape(unit)}. Drawn from the table below.</figcaption></figure>")  # fmt: skip


class Frame:
    """The frame around every page: head, navigation, search."""

    def __init__(self, groups, version: str) -> None:
        self.groups = groups
        self.version = version
        self.index: list[list[str]] = []
        self.written: set[str] = set()

    def write(self, page: str, title: str, body: str, section: str = "", searched: bool = True, kind: str = "") -> None:
        navigation = []
        for name, entries in self.groups:
            links = []
            for label, target in entries:
                here = ' aria-current="page"' if target == page else ""
                links.append(f'<li><a href="{relative(target, page)}"{here}>{html.escape(label)}</a></li>')
            is_open = " open" if any(target == page for _, target in entries) or name in ("Start here", "Using the library") else ""
            navigation.append(f"<details{is_open}><summary>{html.escape(name)}</summary><ul>{''.join(links)}</ul></details>")
        up = relative("index.html", page)
        text = TEMPLATE.format(
            title=html.escape(title), up=up, base=up[: -len("index.html")], page_link=relative("page/index.html", page),
            reference=relative("reference/index.html", page), contents=relative("contents.html", page),
            navigation="".join(navigation), body=body, version=self.version, kind=kind)  # fmt: skip
        path = OUT / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.written.add(page)
        if searched:
            words = Text()
            words.feed(body)
            for anchor, heading, content in words.parts:
                content = re.sub(r"\s+", " ", content).strip()
                if heading.strip() or content:
                    self.index.append([page + (f"#{anchor}" if anchor else ""), title, heading.strip().rstrip("#"), content[:2000]])


TEMPLATE = (HERE / "frame.html").read_text()


def links_fixed(body: str, page: str, target: str, known: dict[str, str], sources: Sources) -> str:
    """Links of a page of the tree become links of the site."""

    def fixed(match: re.Match) -> str:
        attribute, link = match[1], html.unescape(match[2])
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return match[0]
        path, mark, anchor = link.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if (ROOT / there).is_dir() and f"{there}/README.md" in known:
            there = f"{there}/README.md"
        if there in known:
            return f'{attribute}="{relative(known[there] + mark + anchor, target)}"'
        if not (ROOT / there).exists():
            raise SystemExit(f"{page}: the link to {link} leads nowhere")
        if attribute == "src" or there.endswith(".svg"):
            copy = OUT / "pictures" / Path(there).name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / there).read_bytes())
            return f'{attribute}="{relative(f"pictures/{Path(there).name}", target)}"'
        return f'{attribute}="{relative(sources.page_of(there) + (mark + anchor if there.endswith(".html") else ""), target)}"'

    return re.sub(r'(href|src)="([^"]*)"', fixed, body)


def drawn(body: str, page: str) -> str:
    for (of_page, anchor), unit in DRAWN.items():
        if of_page != page:
            continue
        at = body.find(f'id="{anchor}"')
        begin = body.find('<div class="wide"><table>', at)
        end = body.find("</table></div>", begin)
        if at < 0 or begin < 0:
            raise SystemExit(f"{page}: there is no table under #{anchor} to draw")
        body = body[:begin] + bars(body[begin:end], unit) + body[begin:]
    return body


def docstring(text: str) -> str:
    """A docstring as HTML: paragraphs of Markdown, with sessions (>>>) as code."""
    made, block = [], []
    for line in textwrap.dedent(text).strip().splitlines() + [""]:
        if line.startswith(">>>") or block and line.strip():
            block.append(line)
            continue
        if block:
            made += ["```pycon", *block, "```"]
            block = []
        made.append(line)
    return markdown("\n".join(made))


def python_reference(frame: Frame) -> None:
    """The public names of the package, from its sources: no extension module is needed."""
    package = ROOT / "bindings/python/everbloom"
    modules = {path.stem: ast.parse(path.read_text()) for path in sorted(package.glob("*.py"))}
    public = next(ast.literal_eval(node.value) for node in modules["__init__"].body
                  if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")  # fmt: skip
    stub = ast.parse((package / "_everbloom.pyi").read_text())

    def signature(node: ast.FunctionDef, name: str) -> str:
        copied = ast.arguments(**{field: getattr(node.args, field) for field in node.args._fields})
        arguments = ast.unparse(copied)
        arguments = re.sub(r"^(self|cls)(: \w+)?(, )?", "", arguments)
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return highlight(f"{name}({arguments}){returns}", get_lexer_by_name("python"), FORMAT).strip()

    def described(node: ast.FunctionDef, owner: str = "") -> str:
        name = f"{owner}.{node.name}" if owner else node.name
        is_property = any(getattr(one, "id", "") == "property" for one in node.decorator_list)
        shown = f"<code>{html.escape(name)}</code>" if is_property else f"<code>{signature(node, name)}</code>"
        text = ast.get_docstring(node)
        return f'<h3 id="{name}">{shown}</h3>' + (docstring(text) if text else "")

    body = ["<h1>Reference of the Python package</h1>", docstring(ast.get_docstring(modules["__init__"]) or "")]
    places = {node.name: (stem, node) for stem, tree in modules.items() for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    places |= {node.name: ("_everbloom", node) for node in stub.body if isinstance(node, ast.ClassDef) and node.name not in places}
    extension = (ROOT / "bindings/python/src").glob("*.c")
    c_text = "\n".join(path.read_text() for path in sorted(extension))
    for name in [*public, "cluster"]:
        if name == "cluster":
            body.append('<h2 id="cluster"><code>everbloom.cluster</code></h2>')
            tree = modules["cluster"]
            body.append(docstring(ast.get_docstring(tree) or ""))
            nodes = [node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")]
        else:
            nodes = [places[name][1]]
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                body.append(described(node))
                continue
            body.append(f'<h2 id="{node.name}"><code>{node.name}</code></h2>')
            text = ast.get_docstring(node)
            if text is None:  # a type of the extension module has its docstring in C
                found = re.search(rf'PyDoc_STRVAR\(\w*{node.name.lower()}\w*,\s*((?:"[^"\\]*(?:\\.[^"\\]*)*"\s*)+)\)|Py_tp_doc, \(void\*\)\s*((?:"[^"]*"\s*)+)', c_text, re.I)
                text = ast.literal_eval("(" + (found[1] or found[2]) + ")") if found else ""
            body.append(docstring(text) if text else "")
            values = [one for one in node.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, int)]
            if values:
                lines = (ROOT / f"bindings/python/everbloom/{places[node.name][0]}.py").read_text().splitlines()
                rows = "".join(f"<tr><td><code>{one.targets[0].id}</code></td><td>{one.value.value}</td><td>{html.escape(lines[one.lineno - 1].partition('#:')[2].strip())}</td></tr>" for one in values)
                body.append(f'<div class="wide"><table><tr><th>name</th><th>value</th><th>meaning</th></tr>{rows}</table></div>')
            for one in node.body:
                if isinstance(one, ast.FunctionDef) and (not one.name.startswith("_") or one.name == "__init__") and (ast.get_docstring(one) or one.name == "__init__"):
                    body.append(described(one, node.name))
    frame.write("reference/python.html", "Python reference", "".join(body))


def navigation() -> list:
    """The groups of docs/README.md, which lists every page: **Group**, then a table with links."""
    groups, page = [], (ROOT / "docs/README.md").read_text()
    for line in page.splitlines():
        if found := re.fullmatch(r"\*\*(.+)\*\*", line):
            groups.append((found[1], []))
        elif found := re.match(r"\| \[([^]]+)\]\(([^)]+)\)", line):
            there = os.path.normpath(os.path.join("docs", found[2]))
            groups[-1][1].append((found[1], target_of(there)))
    return groups


def main() -> None:
    version = re.search(r"^project\(everbloom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    pages = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if "site" not in path.parts[len(ROOT.parts):-1]) + [
        name for name in OUTSIDE if not name.startswith("docs/")]  # fmt: skip
    known = {page: target_of(page) for page in pages}
    groups = navigation()
    missing = sorted(set(known.values()) - {target for _, entries in groups for _, target in entries} - {"contents.html", "npm.html", "python-package.html", "reference.html"})
    if missing:
        raise SystemExit(f"docs/README.md lists every page, but not {', '.join(missing)}")
    extra = [("C++", "reference/cpp/index.html"), ("C", "reference/c/index.html"), ("Python", "reference/python.html"), ("Command line", "cli.html"), ("How it is made", "reference.html")]
    groups.insert(2, ("Reference", [one for one in extra if (OUT / one[1]).exists() or not one[1].startswith("reference/c")]))
    papers = sorted((OUT / "reproduce").glob("*.html"))
    if papers:
        groups.append(("Papers re-run", [(path.stem, f"reproduce/{path.name}") for path in papers]))
    frame, sources = Frame(groups, version), Sources()
    for page in pages:
        target = known[page]
        body = links_fixed(markdown((ROOT / page).read_text()), page, target, known, sources)
        title = re.search(r"<h1[^>]*>(.*?)(?:<a class|</h1>)", body, re.S)
        frame.write(target, html.unescape(re.sub("<[^>]+>", "", title[1])) if title else page, drawn(body, page))
    python_reference(frame)
    entries = "".join(f'<li><a href="{relative(target, "reference/index.html")}">{html.escape(label)}</a></li>' for label, target in groups[2][1])
    frame.write("reference/index.html", "Reference", f"<h1>Reference</h1><ul>{entries}</ul>")
    sources.write(frame)
    home(frame, known, sources)
    for path in papers:  # made by the program; they only get a way back
        text = path.read_text()
        if "site-back" not in text:
            path.write_text(re.sub(r"(<body[^>]*>)", r'\1<p class="site-back"><a href="../index.html">everbloom</a> / papers re-run</p>', text, count=1))
    for name in ("site.css", "site.js"):
        (OUT / name).write_text((HERE / name).read_text())
    (OUT / "search-index.js").write_text("globalThis.everbloomIndex=" + json.dumps(frame.index, ensure_ascii=False, separators=(",", ":")) + ";\n")
    print(f"{len(frame.written)} pages, {len(frame.index)} sections in the search index")


def home(frame: Frame, known: dict[str, str], sources: Sources) -> None:
    """The first page: the page that runs filters in the browser, and below it the README."""
    text = (ROOT / "README.md").read_text()
    body = links_fixed(markdown(text), "README.md", "index.html", known, sources)
    intro, _, rest = body.partition("</p>")
    intro = re.sub(r"<h1.*?</h1>\s*<p>", "", intro, flags=re.S)
    has_page = (OUT / "page/index.html").exists()
    heart = ('<p class="buttons"><a class="button" href="page/index.html">Open the page</a> <a class="button quiet" href="cpp.html">C++</a> '
             '<a class="button quiet" href="python.html">Python</a> <a class="button quiet" href="lists.html">Command line</a></p>'
             '<iframe class="heart" src="page/index.html#laboratory" title="Filters at work, in this browser" loading="lazy"></iframe>') if has_page else ""  # fmt: skip
    frame.write("index.html", "everbloom", f'<div class="hero"><h1>everbloom</h1><p class="lead">{intro}</p>{heart}</div>{rest}', searched=False, kind="home")


main()
