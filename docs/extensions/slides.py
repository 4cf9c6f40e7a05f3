"""Slides from a notebook: one offline page, with its pictures, formulas as MathML and animations inside.

Cells say by their slideshow metadata where they stand, as in Jupyter: `slide` and `subslide` begin a slide, a `fragment`
appears with the next key, `skip` and `notes` are left out, and all others go on with the slide before them.

`python docs/extensions/slides.py NOTEBOOK OUT.html` writes one deck. The site's build writes one for every lecture.
"""

from __future__ import annotations

import base64
import html
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from notebooks import Output, language, notebooks, outputs, source, tags

LOOKS = Path(__file__).with_name("slides.css")
MOVES = Path(__file__).with_name("slides.js")
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{looks}
{code}
</style>
</head>
<body>
<main>
{slides}
</main>
<div class="progress"><div></div></div>
<nav aria-label="Slides">
<button type="button" data-go="-1" aria-label="Previous slide">‹</button>
<output></output>
<button type="button" data-go="1" aria-label="Next slide">›</button>
<button type="button" data-do="look" aria-label="Light or dark">◐</button>
</nav>
<script>
{moves}
</script>
</body>
</html>
"""


def mathematics(latex: str, displayed: bool) -> str:
    from docutils.utils.math import latex2mathml
    from mathml import subscripts

    return subscripts(str(latex2mathml.tex2mathml(latex, as_block=displayed)))


def prose(text: str) -> str:
    """Markdown as HTML; links within the documentation are words only, because a deck stands alone."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def formula_html(latex: str, options: dict[str, Any]) -> str:
        displayed = bool(options.get("display_mode"))
        markup = mathematics(latex, displayed)
        return f'<div class="equation">{markup}</div>' if displayed else markup

    reader = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=formula_html, double_inline=True)
    actual = str(reader.render(text))
    return re.sub(r'<a href="(?!https?:)[^"]*">(.*?)</a>', r"\1", actual, flags=re.DOTALL)


def highlight_code(code: str, kind: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    return str(highlight(code, get_lexer_by_name(kind), HtmlFormatter(cssclass="code")))


def data(picture: bytes, suffix: str) -> str:
    return f"data:image/{suffix[1:]};base64,{base64.b64encode(picture).decode('ascii')}"


def output_html(output: Output) -> str:
    if output.kind == "text":
        return f'<pre class="printed">{html.escape(output.text)}</pre>'
    if output.kind == "math":
        return f'<div class="equation">{mathematics(output.text, True)}</div>'
    if output.kind == "picture":
        return f'<img class="plot" alt="" src="{data(output.picture, output.suffix)}">'
    if output.kind == "animation":
        page = html.escape(output.text, quote=True)
        still = f'<img alt="Animation" src="{data(output.picture, output.suffix)}">'
        return f'<div class="player">{still}<iframe title="Animation" data-page="{page}"></iframe></div>'
    return output.text


def content(cell: dict[str, Any]) -> str:
    if cell["cell_type"] == "markdown":
        return prose(source(cell))
    code = source(cell)
    return highlight_code(code, language(code)) + "".join(map(output_html, outputs(cell)))


def kind_of(cell: dict[str, Any]) -> str:
    return str(cell["metadata"].get("slideshow", {}).get("slide_type", "-"))


def slides(notebook: dict[str, Any]) -> Iterator[str]:
    """The HTML of each slide. One that has no heading of its own goes on under the heading before it."""
    parts: list[str] = []
    heading = ""
    for cell in notebook["cells"]:
        kind = kind_of(cell)
        if cell["cell_type"] == "raw" or kind in ("skip", "notes") or "solution" in tags(cell):
            continue
        if kind in ("slide", "subslide"):
            if parts:
                yield "".join(parts)
            parts = []
        html = content(cell)
        if match := re.search(r"<h2>.*?</h2>", html, re.DOTALL):
            heading = match.group(0)
        elif kind == "subslide":
            html = heading + html
        parts.append(f'<div class="fragment">{html}</div>' if kind == "fragment" else f"<div>{html}</div>")
    if parts:
        yield "".join(parts)


def deck(notebook: dict[str, Any]) -> str:
    """The whole page."""
    from pygments.formatters import HtmlFormatter

    light = HtmlFormatter(style="tango").get_style_defs(":root .code")
    dark = HtmlFormatter(style="monokai").get_style_defs(":root.dark .code")
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    title = source(first).splitlines()[0].lstrip("# ")
    sections = [f"<section>{slide}</section>" for slide in slides(notebook)]
    sections[0] = sections[0].replace("<section>", '<section class="title">', 1)
    return PAGE.format(
        title=html.escape(title),
        looks=LOOKS.read_text(encoding="utf-8"),
        code=f"{light}\n{dark}",
        slides="\n".join(sections),
        moves=MOVES.read_text(encoding="utf-8"),
    )


def write(notebook: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(deck(json.loads(notebook.read_text(encoding="utf-8"))), encoding="utf-8")


def write_all(app: Any, failed: Exception | None) -> None:
    if failed is None and app.builder.format == "html":
        for file in notebooks(Path(app.srcdir)):
            write(file, Path(app.outdir) / file.parent.relative_to(app.srcdir) / "slides" / f"{file.stem}.html")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", write_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(Path(sys.argv[1]), Path(sys.argv[2]))
