"""Notebooks as pages: an .ipynb file is read with the outputs that it has, and nothing is executed.

Markdown cells are parsed by MyST. A code cell is a literal block, and its outputs follow: text, formulas as MathML, pictures,
and animations as pages of their own in a frame. A cell with the tag `solution` is folded. The page offers the notebook for
download and links to its slides, which `slides.py` writes.

`python -m tests.test_lectures --sync` executes the notebooks and stores their outputs.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FRAME = re.compile(r'<img src="data:image/png;base64,([^"]*)".*?<iframe[^>]*? srcdoc="([^"]*)"', re.DOTALL)
PICTURES = {"image/png": ".png", "image/gif": ".gif", "image/jpeg": ".jpg"}
PROGRESS = re.compile(r"^.* \d+% \S+ left$\n?", re.MULTILINE)  # a bar that a terminal would take away again
DOLLARS = re.compile(r"^\s*\$+\s*(?:\\displaystyle)?\s*(.*?)\s*\$+\s*$", re.DOTALL)


@dataclass(frozen=True)
class Output:
    """Something that a cell shows: kind is text, math, picture, animation or html."""

    kind: str
    text: str = ""  # printed text, LaTeX, HTML, or the page of an animation
    picture: bytes = b""  # also the still picture of an animation
    suffix: str = ""
    width: int | None = None


def join_lines(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def source(cell: dict[str, Any]) -> str:
    return join_lines(cell["source"])


def tags(cell: dict[str, Any]) -> list[str]:
    return list(cell.get("metadata", {}).get("tags", []))


def plain(text: str) -> str:
    """Printed text without colours, without lines that were overwritten and without bars of progress."""
    lines = ANSI.sub("", text).replace("\r\n", "\n").split("\n")
    return PROGRESS.sub("", "\n".join(line.rsplit("\r", 1)[-1].rstrip() for line in lines)).strip("\n")


def outputs(cell: dict[str, Any]) -> Iterator[Output]:
    """What a code cell shows, each output in the richest form that a page can have."""
    for result in cell.get("outputs", []):
        if result["output_type"] == "stream":
            if text := plain(join_lines(result["text"])):
                yield Output("text", text)
            continue
        data = result.get("data", {})
        if animation := FRAME.search(join_lines(data.get("text/html", ""))):
            picture, page = animation.groups()
            yield Output("animation", html.unescape(page), base64.b64decode(picture), ".png")
        elif kind := next((kind for kind in PICTURES if kind in data), None):
            size = result.get("metadata", {}).get(kind, {})
            yield Output("picture", "", base64.b64decode(join_lines(data[kind])), PICTURES[kind], size.get("width"))
        elif "text/latex" in data:
            yield Output("math", DOLLARS.sub(r"\1", join_lines(data["text/latex"])))
        elif "text/html" in data:
            yield Output("html", join_lines(data["text/html"]))
        elif "text/plain" in data:
            yield Output("text", plain(join_lines(data["text/plain"])))


def language(code: str) -> str:
    """What a cell is written in: Python, commands of the terminal, or a file."""
    if code.startswith("%%"):
        return "text"
    return "sh" if all(line.startswith("!") for line in code.splitlines() if line.strip()) else "python"


def player(stem: str, cell: int) -> str:
    """The file of an animation, beside the page."""
    return f"players/{stem}-{cell}.html"


def markdown(notebook: dict[str, Any], stem: str) -> str:
    """The notebook as MyST: Markdown cells as they are, and a directive in the place of each code cell."""
    parts, folded = [], False
    for number, cell in enumerate(notebook["cells"]):
        if ("solution" in tags(cell)) != folded:
            folded = not folded
            marks = '<details class="solution"><summary>Solution</summary>' if folded else "</details>"
            parts.append(f"```{{raw}} html\n{marks}\n```")
        if cell["cell_type"] == "markdown":
            parts.append(source(cell))
        elif cell["cell_type"] == "code":
            parts.append(f"```{{notebook-cell}} {number}\n```")
        if number == 0:
            parts.append(
                f"{{download}}`Download the notebook <{stem}.ipynb>` · "
                f'<a class="reference external" href="slides/{stem}.html">Show the slides</a>'
            )
    if folded:
        parts.append("```{raw} html\n</details>\n```")
    return "\n\n".join(parts) + "\n"


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from myst_parser.parsers.sphinx_ import MystParser
    from sphinx.util.docutils import SphinxDirective

    class NotebookParser(MystParser):  # type: ignore[misc]
        supported = ("notebook",)

        def parse(self, inputstring: str, document: nodes.document) -> None:
            notebook = json.loads(inputstring)
            env = document.settings.env
            env.temp_data["notebook"] = notebook
            super().parse(markdown(notebook, env.docname.rsplit("/", 1)[-1]), document)

    class Cell(SphinxDirective):
        """The code of a cell and what it shows."""

        required_arguments = 1
        has_content = True

        def run(self) -> list[nodes.Node]:
            number = int(self.arguments[0])
            cell = self.env.temp_data["notebook"]["cells"][number]
            code = source(cell)
            shown: list[nodes.Node] = [nodes.literal_block(code, code, language=language(code))]
            for output in outputs(cell):
                shown += self.output_nodes(output, number)
            return shown

        def output_nodes(self, output: Output, number: int) -> list[nodes.Node]:
            if output.kind == "text":
                return [nodes.literal_block(output.text, output.text, language="text")]
            if output.kind == "math":
                formula = nodes.math_block(output.text, output.text, number=None, label=None, nowrap=False)
                formula["docname"] = self.env.docname
                return [formula]
            if output.kind == "picture":
                return [self.picture(output)]
            if output.kind == "animation":
                place = player(self.env.docname.rsplit("/", 1)[-1], number)
                frame = f'<iframe class="player" src="{place}" title="Animation" loading="lazy"></iframe>'
                link = (
                    f'<p class="player"><a class="reference external" href="{place}">Open the animation on its own page</a></p>'
                )
                return [nodes.raw("", frame + link, format="html")]
            return [nodes.raw("", output.text, format="html")]

        def picture(self, output: Output) -> nodes.Node:
            folder = Path(self.env.doctreedir) / "notebooks"
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / (hashlib.sha256(output.picture).hexdigest()[:20] + output.suffix)
            file.write_bytes(output.picture)
            place = "/" + Path(relative(file, Path(self.env.srcdir))).as_posix()
            size = {"width": f"{output.width}px"} if output.width else {}
            return nodes.image(uri=place, alt="Output of the cell above", **size)

    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    app.add_directive("notebook-cell", Cell)
    app.add_css_file("notebooks.css")
    app.connect("build-finished", write_players)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def relative(file: Path, folder: Path) -> str:
    import os

    return os.path.relpath(file, folder)


def write_players(app: Any, failed: Exception | None) -> None:
    """The animations of all notebooks, each as a page of its own."""
    if failed is not None or app.builder.format != "html":
        return
    for file in notebooks(Path(app.srcdir)):
        target = Path(app.outdir) / file.parent.relative_to(app.srcdir)
        for number, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"]):
            for output in outputs(cell):
                if output.kind == "animation":
                    page = target / player(file.stem, number)
                    page.parent.mkdir(parents=True, exist_ok=True)
                    page.write_text(output.text, encoding="utf-8")


def notebooks(folder: Path) -> list[Path]:
    return sorted(folder.glob("lectures/*.ipynb"))
