"""Mathematics as MathML, which browsers typeset by themselves: docutils writes it from LaTeX, and no script is fetched."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml


def inline(self: Any, node: nodes.Element) -> None:
    self.body.append(latex2mathml.tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(self: Any, node: nodes.Element) -> None:
    """A displayed equation; what a label refers to carries the label's name as its number."""
    self.body.append(self.starttag(node, "div", CLASS="equation"))
    self.body.append(latex2mathml.tex2mathml(node.astext(), as_block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
