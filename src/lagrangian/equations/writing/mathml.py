"""Trees as MathML, which browsers typeset by themselves: no script, no font, no network.

Browsers do not break lines inside a formula. So a formula comes in pieces, one for each term; a page that puts every piece
into a `math` element of its own has lines that are broken where it is narrow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from html import escape

from lagrangian.equations.writing.notation import GREEK, Notation, divided
from lagrangian.equations.writing.text import Rounding
from lagrangian.equations.writing.tree import Name, Power, Product, Sum, Tree, operators

TIMES = '<mo rspace=".15em">\u2062</mo>'  # not seen, but known for what it is
DOT = "<mo>·</mo>"
OPEN, CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
FRACTION = "2.4em"  # the height of one
# what stands in brackets and has no more operators than this is kept on one line
TOGETHER = 5
_FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "sqrt", "sgn", "abs", "atan", "atan2", "asin", "acos", "tanh", "sinh", "cosh")
_TOKENS = re.compile(r"\s*(?:([A-Za-z_][A-Za-z_0-9.]*)|(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(\S))")
_MARKS = {1: ".", 2: ".."}  # as accents, dots would be set into the letter by some browsers
_LETTER = "0.7em"  # the height of the tallest ones


def math(inner: str, display: bool = False) -> str:
    """A whole element."""
    block = ' display="block"' if display else ""
    return f"<math{block}>{inner}</math>"


def matrix(rows: Sequence[Sequence[str]]) -> str:
    """In square brackets."""
    body = "".join(f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
    return f"<mrow><mo>[</mo><mtable>{body}</mtable><mo>]</mo></mrow>"


def scripted(base: str, below: str = "", above: str = "") -> str:
    """With an index and an exponent, of which either may be missing."""
    if below and above:
        return f"<msubsup>{base}{below}{above}</msubsup>"
    if below:
        return f"<msub>{base}{below}</msub>"
    return f"<msup>{base}{above}</msup>" if above else base


def index(text: str) -> str:
    """Letters and digits below the line."""
    words = re.findall(r"[\d,+-]+|[^\d,+-]+", text)
    made = [f"<mn>{word}</mn>" if word[0].isdigit() else f"<mi>{escape(word)}</mi>" for word in words]
    if not made:
        return ""
    return made[0] if len(made) == 1 else f"<mrow>{''.join(made)}</mrow>"


def letter(word: str) -> str:
    """Greek capitals stand upright."""
    upright = ' mathvariant="normal"' if word in "ΓΔΘΛΞΠΣΦΨΩ" else ""
    return f"<mi{upright}>{escape(word)}</mi>"


def symbol(name: str, dots: int = 0) -> tuple[str, str]:
    """A name's letter, with dots above if it is a rate or an acceleration such as `theta1''`, and its index."""
    if name.endswith("''") and divided(name[:-2]):
        return symbol(name[:-2], 2)
    found = divided(name)
    if found is None:
        base, below = f"<mi>{escape(name)}</mi>", ""
    else:
        base, below = letter(GREEK.get(found[0], found[0])), index(found[1]) if found[1] else ""
    return dotted(base, dots) if dots else base, below


def dotted(base: str, dots: int) -> str:
    """The first or second derivative by time: dots above the letter alone. It counts as no higher than a letter, so that an
    exponent beside it stands where it does beside other letters, as in TeX.
    """
    return f'<mpadded height="{_LETTER}"><mover>{base}<mo>{_MARKS[dots]}</mo></mover></mpadded>'


def name(word: str, dots: int = 0) -> str:
    return scripted(*symbol(word, dots))


def decimal(text: str) -> str:
    """A number, powers of ten as such."""
    mantissa, e, exponent = text.partition("e")
    if not e:
        return f"<mn>{text}</mn>"
    power = f"<mn>{abs(int(exponent))}</mn>"
    if int(exponent) < 0:
        power = f"<mrow><mo>−</mo>{power}</mrow>"
    return f"<mn>{mantissa}</mn>{DOT}<msup><mn>10</mn>{power}</msup>"


def bracketed(pieces: Sequence[str]) -> list[str]:
    """In brackets as high as what they hold. A fraction is taller than a line, which brackets in different pieces do not see."""
    opened, closed = OPEN, CLOSE
    if any("<mfrac>" in piece for piece in pieces):
        least = "" if len(pieces) == 1 else f' minsize="{FRACTION}"'
        opened, closed = f"<mo{least}>(</mo>", f"<mo{least}>)</mo>"
    if len(pieces) == 1:
        return [f"<mrow>{opened}{pieces[0]}{closed}</mrow>"]
    return [f"{opened}{pieces[0]}", *pieces[1:-1], f"{pieces[-1]}{closed}"]


# -- formulas -----------------------------------------------------------------------------------------------------------


class MathML:
    """Writes trees; `pieces` are terms between which a line may be broken, `row` is all of it as one element."""

    def __init__(self, notation: Notation, rounding: Rounding | None = None) -> None:
        self.notation, self.rounding = notation, rounding or Rounding()

    def row(self, tree: Tree) -> str:
        return f"<mrow>{''.join(self.pieces(tree))}</mrow>"

    def pieces(self, tree: Tree) -> list[str]:
        terms = tree.terms if isinstance(tree, Sum) else (tree,)
        made: list[str] = []
        for term in terms:
            negative, words = self._term(term)
            if made:
                words[0] = f'<mo form="infix">{"−" if negative else "+"}</mo>{words[0]}'
            elif negative:
                words[0] = f'<mo form="prefix">−</mo>{words[0]}'
            made += words
        return made

    def _term(self, tree: Tree) -> tuple[bool, list[str]]:
        """Whether it has a minus, and what follows."""
        if self._under(tree):
            tree = Product(Fraction(1), (tree,))
        if not isinstance(tree, Product):
            return False, self._factor(tree)
        if tree.coefficient == 0:
            return False, ["<mn>0</mn>"]
        top, bottom = self.rounding.pieces(abs(tree.coefficient))
        words, numeric = [""], False  # whether a number came last: the next must not touch it
        above = [f for f in tree.factors if not self._under(f)]
        under = [f"<mn>{bottom}</mn>"] * bool(bottom) + [self._under(f) for f in tree.factors if f not in above]
        below = under[0] if len(under) == 1 else f"<mrow>{TIMES.join(under)}</mrow>"
        whole = bool(under) and not any(isinstance(f, Sum) for f in above)  # all of it above a fraction's line
        if top or not above or (under and not whole):
            number = decimal(top or "1")
            words, numeric = [f"<mfrac><mrow>{number}</mrow>{below}</mfrac>" if under and not whole else number], True
        for factor in above:
            more = self._factor(factor)
            if words[0]:
                words[-1] += DOT if numeric and more[0].startswith(("<mn>", "<msup><mn>")) else TIMES
            words = [*words[:-1], words[-1] + more[0], *more[1:]]
            numeric = more[-1].startswith("<mn>")
        if whole:
            words = [f"<mfrac><mrow>{''.join(words)}</mrow>{below}</mfrac>"]
        return tree.coefficient < 0, words

    def _under(self, tree: Tree) -> str:
        """What a factor that is an inverse puts below the line; "" if it stands above."""
        base, exponent = (tree.base, tree.exponent) if isinstance(tree, Power) else (tree, 1)
        word = self.notation.below(base.name) if isinstance(base, Name) else ""
        if not word:
            return ""
        length = self.notation.system.scalars.lengths.get(f"1/{word}")
        inner = f"<mrow>{words(word) if length is None else self.name(f'{length.word}({length.of})')}</mrow>"
        return inner if exponent == 1 else scripted(inner, "", f"<mn>{exponent}</mn>")

    def _factor(self, tree: Tree) -> list[str]:
        if isinstance(tree, Name):
            return [self.name(tree.name)]
        if isinstance(tree, Power):
            exponent = f"<mn>{tree.exponent}</mn>"
            if isinstance(tree.base, Name):
                base, below, above = self._scripts(tree.base.name)
                if not above:
                    return [scripted(base, below, exponent)]
                return [scripted(f"<mrow>{scripted(base, below, above)}</mrow>", "", exponent)]
            return [scripted("".join(bracketed(["".join(self.pieces(tree.base))])), "", exponent)]
        words = self.pieces(tree)
        return bracketed(words if operators(tree) > TOGETHER else ["".join(words)])

    def name(self, word: str) -> str:
        return scripted(*self._scripts(word))

    def _scripts(self, word: str) -> tuple[str, str, str]:
        """What stands on the line, below it and above: as `Notation.latex` has it."""
        notation = self.notation
        symbol_of = notation.symbol(word)
        kind = symbol_of.kind if symbol_of else "sine"
        if notation.in_full(word):
            return f"<mrow>{words(notation.meaning(word))}</mrow>", "", ""
        if kind in ("sine", "cosine"):
            prefix = notation.prefix(word)
            return f"<mi>{prefix}</mi>", index(word[len(prefix) :].lstrip("_").replace("_", ",")), ""
        if symbol_of is not None and kind in ("coordinate", "speed", "acceleration", "sign"):
            dots, word = {"coordinate": 0, "acceleration": 2}.get(kind, 1), notation.coordinate(symbol_of.index)
            if notation.writer.speeds and kind in ("speed", "acceleration"):  # in place of rates
                dots, word = dots - 1, notation.writer.speeds[symbol_of.index]
            base, below = symbol(word, dots)
            if kind == "sign":
                return f"<mrow><mi>sgn</mi>{OPEN}{scripted(base, below)}{CLOSE}</mrow>", "", ""
            return base, below, ""
        length_of = notation.system.scalars.lengths.get(word)
        if length_of is not None:
            letter = "ℓ" if length_of.word == "length" else "h"
            length = f"<msub><mi>{letter}</mi><mtext>{escape(length_of.of)}</mtext></msub>"
            return length if kind == "root" else f"<mfrac><mn>1</mn>{length}</mfrac>", "", ""
        if kind == "drive":
            return dotted("<mi>φ</mi>", 1), f"<mtext>{escape(word[8:-1])}</mtext>", ""
        if kind in ("constant_sine", "constant_cosine", "root"):
            return f"<mrow>{words(word)}</mrow>", "", ""
        if kind in ("inverse", "function"):
            return f"<mrow>{OPEN}{words(word)}{CLOSE}</mrow>", "", ""
        if word[0].isdigit():
            return f"<mn>{escape(word)}</mn>", "", ""
        original = notation.original(word)
        return *symbol(original), "" if original == word else "<mi>R</mi>"


# -- plain text ---------------------------------------------------------------------------------------------------------


def words(text: str) -> str:
    """A short expression in plain text, such as a definition, typeset; what is no expression is written as it stands."""
    tokens = [match.groups() for match in _TOKENS.finditer(text)]
    made, at = _sequence(tokens, 0)
    return made if at == len(tokens) else f"<mtext>{escape(text)}</mtext>"


def _sequence(tokens: list[tuple[str, ...]], at: int) -> tuple[str, int]:
    """Up to a bracket that closes, or the end."""
    made: list[str] = []
    while at < len(tokens):
        mark = tokens[at][2]
        if mark == ")":
            break
        at += 1
        if mark == "^" and made and at < len(tokens):
            above, at = _atom(tokens, at)
            made[-1] = f"<msup><mrow>{made[-1]}</mrow><mrow>{above}</mrow></msup>"
        elif mark == "*":
            numbers = bool(made) and made[-1].startswith("<mn>") and at < len(tokens) and bool(tokens[at][1])
            made.append(DOT if numbers else TIMES)
        elif mark and mark != "(":
            made.append(f"<mo>{'−' if mark == '-' else escape(mark)}</mo>")
        else:
            atom, at = _atom(tokens, at - 1)
            made.append(atom)
    return "".join(made), at


def _atom(tokens: list[tuple[str, ...]], at: int) -> tuple[str, int]:
    """A number, a name, a function of something, or what is in brackets."""
    word, number, mark = tokens[at]
    if number:
        return decimal(number.lower()), at + 1
    if word in _FUNCTIONS and at + 1 < len(tokens) and tokens[at + 1][2] == "(":
        inner, at = _sequence(tokens, at + 2)
        if word == "sqrt":
            return f"<msqrt>{inner}</msqrt>", at + 1
        return f"<mi>{word}</mi>{OPEN}{inner}{CLOSE}", at + 1
    if mark == "(":
        inner, at = _sequence(tokens, at + 1)
        return f"{OPEN}{inner}{CLOSE}", at + 1
    return (name(word) if word else f"<mo>{escape(mark)}</mo>"), at + 1
