"""A page for every mechanism of the library, written before the site is built: picture, motion, equations and description.

`docs/library_pages.py` makes the motions and the equations. Where they are not made, the pages do without them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "library"
MADE = DOCS / "_made"
LONGEST = 20_000  # characters of LaTeX that a page shows; longer equations are a file to download

FRAME = """```{{raw}} html
<iframe class="motion" src="../pages/{name}.html" title="A motion of {name}, with sliders" loading="lazy"></iframe>
```

The sliders change lengths, masses, starts and gains; the page computes the motion again at once. Open it
<a href="../pages/{name}.html">as a page of its own</a>, or write it yourself:
"""

WITHOUT = "Two commands show its equations and its motion:\n"

COMMANDS = """```{{code-block}} sh
lagrangian derive {name}
lagrangian simulate {name} --plot --animate
```
"""


def equations(name: str) -> str:
    """The equations as a section, or a file to download where they are long."""
    page = MADE / "equations" / f"{name}.md"
    if not page.exists():
        return ""
    text = page.read_text(encoding="utf-8")
    if len(text) > LONGEST:
        size = f"{len(text) / 1000:.0f} kB"
        file = f"{{download}}`{size} of Markdown <../_made/equations/{name}.md>`"
        return f"## Equations of motion\n\nThe equations in closed form are long. Download them: {file}.\n\n"
    _, _, body = text.partition("$$")
    return "## Equations of motion\n\n$$" + re.sub(r"^## ", "### ", body, flags=re.MULTILINE) + "\n"


def source(text: str) -> str:
    """Where the numbers come from, as a sentence."""
    if text == "Constructed.":
        return "Its numbers are constructed.\n"
    return f"Source of its numbers: {text}\n" if text else ""


def page(entry: Any) -> str:
    from importlib import resources

    name = entry.name
    described = entry.description or entry.summary
    toml = resources.files("lagrangian.mechanism_library").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    parts = [
        "---\nnosearch: true\norphan: true\n---\n",
        f"# {name}\n",
        f'{described.rstrip(".")}. It is a mechanism of the [library](../reference/library.md): `lg.library("{name}")`.\n',
        f"![{name}](../pictures/library/{name}.png)\n",
        source(entry.source),
        "## Motion\n",
        FRAME.format(name=name) if (MADE / "extra" / "pages" / f"{name}.html").exists() else WITHOUT,
        COMMANDS.format(name=name),
        equations(name),
        "## Description\n\nThe mechanism is this file of the [TOML format](../reference/toml.md):\n",
        f"````{{code-block}} toml\n{toml}\n````\n",
    ]
    return "\n".join(part for part in parts if part)


def write(_app: Any) -> None:
    """Only what changed, so that the site is built again only where it has to be."""
    import lagrangian

    FOLDER.mkdir(exist_ok=True)
    entries = {entry.name: entry for entry in lagrangian.library().entries}
    for path in FOLDER.glob("*.md"):
        if path.stem not in entries:
            path.unlink()
    for name, entry in entries.items():
        path, text = FOLDER / f"{name}.md", page(entry)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
