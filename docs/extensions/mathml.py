"""Mathematics as MathML, which browsers typeset by themselves: docutils writes it from LaTeX, and no script is fetched."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging

ACCENTED = re.compile(r"<munderover>\s*(<mi.*?</mi>)\s*(.*?)\s*(<mo[^>]*>[˙¨ˆˉ]</mo>)\s*</munderover>", re.DOTALL)


def subscripts(mathml: str) -> str:
    """The index of a letter with an accent stands beside it: docutils puts it below."""
    return ACCENTED.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', mathml)


def formula_markup(node: nodes.Element, displayed: bool) -> str:
    try:
        return subscripts(latex2mathml.tex2mathml(node.astext(), as_block=displayed))
    except MathError as error:
        logging.getLogger(__name__).warning("%s in %s", error, node.astext(), location=node)
        return ""


def inline(self: Any, node: nodes.Element) -> None:
    self.body.append(formula_markup(node, displayed=False))
    raise nodes.SkipNode


def number(label: str) -> str:
    """g27-5 is equation (5) of lecture 27; other labels have no number."""
    lecture, _, result = label.partition("-")
    return result if lecture == "g27" else ""


def block(self: Any, node: nodes.Element) -> None:
    """A displayed equation, with the number it has in the lecture."""
    self.body.append(self.starttag(node, "div", CLASS="equation"))
    self.body.append(formula_markup(node, displayed=True))
    if result := number(node.get("label") or ""):
        self.body.append(f'<span class="number">({result})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def keep_numbers(app: Any, env: Any) -> None:
    """References show the lecture's number, not one counted here."""
    equations = env.domains.math_domain.equations
    for label, (page, counted) in list(equations.items()):
        equations[label] = (page, int(number(label) or counted))


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("env-updated", keep_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
