"""Trees as text: plain (which parses back), with the letters of a terminal, and typeset."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from lagrangian.equations.algebra.exact import decimal
from lagrangian.equations.algebra.numbers import as_float
from lagrangian.equations.writing.lines import width
from lagrangian.equations.writing.notation import Notation, superscript, with_letters
from lagrangian.equations.writing.tree import Name, Power, Product, Sum, Tree

# fractions with a denominator up to this are written as such; others, if they end, as decimals
FRACTIONS = 64
SIMPLE = (1, 2, 4, 8)  # but of these denominators a short decimal, such as 0.06 for 3/50, is plainer
# typeset products longer than this are not put above a fraction's line, which no line could be broken in
LONG = 80
NARROW = 12.0  # of what is never broken, in units of the font's size


class Rounding:
    """How numbers are written: exactly, or rounded to some digits; remembers whether any was rounded."""

    def __init__(self, digits: int | None = None) -> None:
        self.digits = digits
        self.rounded = False

    def pieces(self, c: Fraction) -> tuple[str, str]:
        """Of a positive number: what multiplies ("" for 1) and what divides ("" for 1)."""
        top, bottom = c.numerator, c.denominator
        if bottom <= FRACTIONS and top < 10**6 and (bottom in SIMPLE or len((decimal(c) or "0.1234567").replace(".", "")) > 7):
            return ("" if top == 1 else str(top)), ("" if bottom == 1 else str(bottom))
        exact = decimal(c)
        if self.digits is None:
            return (exact, "") if exact else ("" if top == 1 else str(top), str(bottom))
        if exact and len(exact.replace(".", "").lstrip("0")) <= self.digits:
            return exact, ""
        self.rounded = True
        return f"{as_float(c):.{self.digits}g}", ""


class Style:
    """One way of writing: how names, powers, products (`dot` between two numbers) and fractions look."""

    def __init__(
        self,
        name: Callable[[str], str],
        power: Callable[[str, int], str],
        times: str,
        dot: str,
        over: Callable[[str, str], str],
        brackets: Callable[[str], str],
        rounding: Rounding,
        below: Callable[[str], str] = lambda name: "",
    ) -> None:
        """`below` gives what stands below the line for a name that is an inverse, and "" for others."""
        self.name, self.power, self.times, self.dot = name, power, times, dot
        self.over, self.brackets, self.rounding, self.below = over, brackets, rounding, below

    def write(self, tree: Tree) -> str:
        return self._sum(tree) if isinstance(tree, Sum) else self._signed(tree)

    def _signed(self, tree: Tree) -> str:
        """One term, with its minus if it has one."""
        if self._under(tree):
            tree = Product(Fraction(1), (tree,))
        if isinstance(tree, Name):
            return self.name(tree.name)
        if isinstance(tree, Power):
            inner = self.write(tree.base)
            simple = isinstance(tree.base, Name) and not inner.startswith(r"\frac")
            return self.power(inner if simple else self.brackets(inner), tree.exponent)
        if isinstance(tree, Sum):
            return self.brackets(self._sum(tree))
        top, bottom = self.rounding.pieces(abs(tree.coefficient))
        if self._typeset:  # powers of ten as such
            top = re.sub(r"e([+-])0*(\d+)", lambda m: rf" \cdot 10^{{{m[1].strip('+')}{m[2]}}}", top)
        under = [word for factor in tree.factors if (word := self._under(factor))]
        above = [factor for factor in tree.factors if not self._under(factor)]
        words = [self._signed(factor) for factor in above]
        if top or not words:
            words.insert(0, top or "1")
        if tree.coefficient == 0:
            words = ["0"]
        text = words[0]
        for before, word in pairwise(words):
            numbers = before[-1].isdigit() and word[0].isdigit() and self.times != "*"
            text += (self.dot if numbers else self.times) + word
        under = [bottom, *under] if bottom else under
        if under:
            all_of_it = self.times.join(under)
            if self._typeset and len(words) == 1 and len(under) > bool(bottom) and above and isinstance(above[0], Sum):
                inner = self._sum(above[0])  # above a line it needs no brackets
                text = inner if len(inner) < LONG else text
            text = self.over(text, self.brackets(all_of_it) if len(under) > 1 and not self._typeset else all_of_it)
        return "-" + text if tree.coefficient < 0 else text

    @property
    def _typeset(self) -> bool:
        return self.dot.strip() == r"\cdot"

    def _under(self, tree: Tree) -> str:
        """What a factor puts below the line; "" if it stands above."""
        base, exponent = (tree.base, tree.exponent) if isinstance(tree, Power) else (tree, 1)
        word = self.below(base.name) if isinstance(base, Name) else ""
        return self.power(word, exponent) if word and exponent != 1 else word

    def _sum(self, tree: Sum) -> str:
        text = self._signed(tree.terms[0])
        for term in tree.terms[1:]:
            word = self._signed(term)
            text += f" - {word[1:]}" if word.startswith("-") else f" + {word}"
        return text


def plain(notation: Notation, rounding: Rounding | None = None) -> Style:
    """ASCII, as an expression of the TOML file would be written."""
    return Style(
        notation.plain,
        lambda b, e: f"{b}^{e}",
        "*",
        "*",
        lambda a, b: f"{a}/{b}",
        lambda t: f"({t})",
        rounding or Rounding(),
        notation.below,
    )


def unicode(notation: Notation, rounding: Rounding | None = None) -> Style:
    return Style(
        notation.unicode,
        lambda b, e: b + superscript(e),
        " ",
        "·",
        lambda a, b: f"{a}/{b}",
        lambda t: f"({t})",
        rounding or Rounding(),
        lambda name: with_letters(notation.below(name)),
    )


def latex(notation: Notation, rounding: Rounding | None = None) -> Style:
    return Style(
        notation.latex,
        lambda b, e: f"{b}^{{{e}}}",
        r" \, ",
        r" \cdot ",
        lambda a, b: rf"\frac{{{a}}}{{{b}}}" if len(a) < LONG else rf"\frac{{1}}{{{b}}} \, {a}",
        _tall,
        rounding or Rounding(),
        notation.below_in_latex,
    )


def _tall(t: str) -> str:
    """Brackets as high as fractions; around much, those that a line may be broken inside of."""
    if r"\frac" not in t:
        return f"({t})"
    return rf"\left({t}\right)" if width(t) < NARROW else rf"\Bigl({t}\Bigr)"
