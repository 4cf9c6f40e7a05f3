"""Trees as text: plain (which parses back), with the letters of a terminal, as LaTeX, and as MathML.

Long LaTeX is broken into lines. Browsers typeset MathML by themselves, without a script, a font or the network; but they do not
break lines inside a formula. So MathML comes in pieces, one for each term: a page that puts every piece into a `math` element of
its own has lines that are broken where it is narrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from html import escape
from itertools import pairwise

from lagrangian.equations.algebra.numbers import as_float
from lagrangian.equations.algebra.ring import terminating_decimal
from lagrangian.equations.writing.notation import GREEK, Notation, split_index, unicode_expression, unicode_superscript
from lagrangian.equations.writing.tree import Name, Power, Product, Sum, Tree, count_operators

# the width of a line in em: that of an A4 page with narrow margins
LATEX_WIDTH = 40.0

# what must be closed in the row in which it is opened
UNBREAKABLE = (("{", "}"), (r"\left(", r"\right)"))

# fractions with a denominator up to this are written as such; others, if they end, as decimals
MAX_DENOMINATOR = 64
PLAIN_DENOMINATORS = (1, 2, 4, 8)  # but of these denominators a short decimal, such as 0.06 for 3/50, is plainer

# numerators longer than this, in characters of LaTeX, stand beside their fraction: no line can be broken inside of one
MAX_NUMERATOR_LENGTH = 80
MAX_UNBROKEN_WIDTH = 12.0  # of brackets that no line is broken inside of, in em

# formulas in brackets with no more operators than this are kept on one line
MAX_UNBROKEN_OPERATORS = 5
_PIECES = re.compile(r"[_^]\{[^{}]*\}|\\[A-Za-z]+|\\,|[A-Za-z0-9.]|[+=-]|[(),/]")
TIMES = '<mo rspace=".15em">\u2062</mo>'  # an invisible multiplication sign
DOT = "<mo>·</mo>"
OPEN, CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
FRACTION_HEIGHT = "2.4em"
_FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "sqrt", "sgn", "abs", "atan", "atan2", "asin", "acos", "tanh", "sinh", "cosh")
_TOKENS = re.compile(r"\s*(?:([A-Za-z_][A-Za-z_0-9.]*)|(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(\S))")
_DOTS = {1: ".", 2: ".."}  # as accents, dots would be set into the letter by some browsers
_LETTER_HEIGHT = "0.7em"  # the height of the tallest letters


def plain_style(notation: Notation, rounding: NumberFormat | None = None) -> FormulaStyle:
    """The style of plain ASCII text, as an expression in a TOML file is written."""
    return FormulaStyle(
        notation.plain,
        lambda b, e: f"{b}^{e}",
        "*",
        "*",
        lambda a, b: f"{a}/{b}",
        lambda t: f"({t})",
        rounding or NumberFormat(),
        notation.denominator_text,
    )


def unicode_style(notation: Notation, rounding: NumberFormat | None = None) -> FormulaStyle:
    """The style of a terminal, with Greek letters, subscripts and superscripts."""
    return FormulaStyle(
        notation.unicode,
        lambda b, e: b + unicode_superscript(e),
        " ",
        "·",
        lambda a, b: f"{a}/{b}",
        lambda t: f"({t})",
        rounding or NumberFormat(),
        lambda name: unicode_expression(notation.denominator_text(name)),
    )


def latex_style(notation: Notation, rounding: NumberFormat | None = None) -> FormulaStyle:
    """The style of LaTeX."""
    return FormulaStyle(
        notation.latex,
        lambda b, e: f"{b}^{{{e}}}",
        r" \, ",
        r" \cdot ",
        lambda a, b: rf"\frac{{{a}}}{{{b}}}" if len(a) < MAX_NUMERATOR_LENGTH else rf"\frac{{1}}{{{b}}} \, {a}",
        _latex_brackets,
        rounding or NumberFormat(),
        notation.denominator_latex,
    )


def _latex_brackets(t: str) -> str:
    """LaTeX in brackets as high as fractions; if it is long, in brackets inside of which a line may be broken."""
    if r"\frac" not in t:
        return f"({t})"
    return rf"\left({t}\right)" if latex_width(t) < MAX_UNBROKEN_WIDTH else rf"\Bigl({t}\Bigr)"


class FormulaStyle:
    """A way of writing formulas: how names, powers, products (`dot` between two numbers) and fractions look."""

    def __init__(
        self,
        name: Callable[[str], str],
        power: Callable[[str, int], str],
        times: str,
        dot: str,
        fraction: Callable[[str, str], str],
        brackets: Callable[[str], str],
        rounding: NumberFormat,
        denominator_of: Callable[[str], str] = lambda name: "",
    ) -> None:
        """`denominator_of` gives what a name is the inverse of, and "" for names that are no inverses."""
        self.name, self.power, self.times, self.dot = name, power, times, dot
        self.fraction, self.brackets, self.rounding, self.denominator_of = fraction, brackets, rounding, denominator_of

    def write(self, tree: Tree) -> str:
        return self._write_sum(tree) if isinstance(tree, Sum) else self._write_term(tree)

    def _write_term(self, tree: Tree) -> str:
        """One term, with its minus if it has one."""
        if self._denominator(tree):
            tree = Product(Fraction(1), (tree,))
        if isinstance(tree, Name):
            return self.name(tree.name)
        if isinstance(tree, Power):
            inner = self.write(tree.base)
            simple = isinstance(tree.base, Name) and not inner.startswith(r"\frac")
            return self.power(inner if simple else self.brackets(inner), tree.exponent)
        if isinstance(tree, Sum):
            return self.brackets(self._write_sum(tree))
        top, bottom = self.rounding.fraction_parts(abs(tree.coefficient))
        if self._is_latex:  # powers of ten as such
            top = re.sub(r"e([+-])0*(\d+)", lambda m: rf" \cdot 10^{{{m[1].strip('+')}{m[2]}}}", top)
        denominators = [word for factor in tree.factors if (word := self._denominator(factor))]
        numerators = [factor for factor in tree.factors if not self._denominator(factor)]
        words = [self._write_term(factor) for factor in numerators]
        if top or not words:
            words.insert(0, top or "1")
        if tree.coefficient == 0:
            words = ["0"]
        text = words[0]
        for before, word in pairwise(words):
            numbers = before[-1].isdigit() and word[0].isdigit() and self.times != "*"
            text += (self.dot if numbers else self.times) + word
        denominators = [bottom, *denominators] if bottom else denominators
        if denominators:
            denominator = self.times.join(denominators)
            if (
                self._is_latex
                and len(words) == 1
                and len(denominators) > bool(bottom)
                and numerators
                and isinstance(numerators[0], Sum)
            ):
                inner = self._write_sum(numerators[0])  # above a line it needs no brackets
                text = inner if len(inner) < MAX_NUMERATOR_LENGTH else text
            text = self.fraction(
                text, self.brackets(denominator) if len(denominators) > 1 and not self._is_latex else denominator
            )
        return "-" + text if tree.coefficient < 0 else text

    @property
    def _is_latex(self) -> bool:
        return self.dot.strip() == r"\cdot"

    def _denominator(self, tree: Tree) -> str:
        """The denominator that a factor stands for; "" if it is no inverse."""
        base, exponent = (tree.base, tree.exponent) if isinstance(tree, Power) else (tree, 1)
        word = self.denominator_of(base.name) if isinstance(base, Name) else ""
        return self.power(word, exponent) if word and exponent != 1 else word

    def _write_sum(self, tree: Sum) -> str:
        text = self._write_term(tree.terms[0])
        for term in tree.terms[1:]:
            word = self._write_term(term)
            text += f" - {word[1:]}" if word.startswith("-") else f" + {word}"
        return text


class NumberFormat:
    """How numbers are written: exactly, or rounded to some digits; remembers whether any was rounded."""

    def __init__(self, digits: int | None = None) -> None:
        self.digits = digits
        self.rounded = False

    def fraction_parts(self, c: Fraction) -> tuple[str, str]:
        """The numerator and the denominator of a positive number as texts; "" for 1."""
        top, bottom = c.numerator, c.denominator
        if (
            bottom <= MAX_DENOMINATOR
            and top < 10**6
            and (bottom in PLAIN_DENOMINATORS or len((terminating_decimal(c) or "0.1234567").replace(".", "")) > 7)
        ):
            return ("" if top == 1 else str(top)), ("" if bottom == 1 else str(bottom))
        exact = terminating_decimal(c)
        if self.digits is None:
            return (exact, "") if exact else ("" if top == 1 else str(top), str(bottom))
        if exact and len(exact.replace(".", "").lstrip("0")) <= self.digits:
            return exact, ""
        self.rounded = True
        return f"{as_float(c):.{self.digits}g}", ""


def break_lines(left: str, right: str, width: float = LATEX_WIDTH) -> list[str]:
    """`left &= right` as rows of an aligned block, broken before a plus or minus where a row gets full.

    A row ends between two terms of the sum. A term that is wider than a row is broken within its brackets, but never in a
    fraction, nor in brackets that must be closed in the same row.
    """
    limit = 100 * width - _width_in_hundredths(left)
    rows, line, line_width = [], "", 0
    for term in _split_terms(right, (*UNBREAKABLE, ("(", ")"))):
        parts = [term] if _width_in_hundredths(term) <= limit else _split_terms(term, UNBREAKABLE)
        if line and line_width + _width_in_hundredths(term) > limit:
            rows.append(line)
            line, line_width = "", 0
        for part in parts:
            part_width = _width_in_hundredths(part)
            if line and line_width + part_width > limit:
                rows.append(line)
                line, line_width = "", 0
            line, line_width = f"{line} {part}" if line else part, line_width + part_width
    rows.append(line)
    return [f"{left} &= {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]


def _split_terms(text: str, brackets: tuple[tuple[str, str], ...]) -> list[str]:
    """A text, cut before each plus or minus that is in none of these brackets."""
    terms, words = [], []
    depths = [0] * len(brackets)
    for word in re.split(r" (?=[+-] )", text):
        words.append(word)
        depths = [depth + word.count(a) - word.count(b) for depth, (a, b) in zip(depths, brackets, strict=True)]
        if not any(depths):
            terms.append(" ".join(words))
            words = []
    return [*terms, " ".join(words)] if words else terms


def latex_width(latex: str) -> float:
    """The approximate width of LaTeX when it is typeset, in em."""
    return _width_in_hundredths(latex) / 100


def _width_in_hundredths(latex: str) -> int:
    return sum(map(_piece_width, _PIECES.findall(latex)))


@cache
def _piece_width(piece: str) -> int:
    if piece[0] in "_^":
        return 36 * len(re.sub(r"\\[A-Za-z]+", "x", piece[2:-1]))
    if piece == "\\,":
        return 17
    if piece in (r"\dot", r"\ddot", r"\mathit", r"\mathrm", r"\left", r"\right", r"\Bigl", r"\Bigr"):
        return 0
    if piece in (r"\sin", r"\cos"):
        return 150
    if piece in "+=-":
        return 125
    return 42 if piece in "(),/" else 55


class MathML:
    """Writes trees as MathML: `pieces` are terms between which a line may be broken, `row` is the whole tree in one element."""

    def __init__(self, notation: Notation, rounding: NumberFormat | None = None) -> None:
        self.notation, self.rounding = notation, rounding or NumberFormat()

    def row(self, tree: Tree) -> str:
        return f"<mrow>{''.join(self.pieces(tree))}</mrow>"

    def pieces(self, tree: Tree) -> list[str]:
        terms = tree.terms if isinstance(tree, Sum) else (tree,)
        pieces: list[str] = []
        for term in terms:
            negative, words = self._term(term)
            if pieces:
                words[0] = f'<mo form="infix">{"−" if negative else "+"}</mo>{words[0]}'
            elif negative:
                words[0] = f'<mo form="prefix">−</mo>{words[0]}'
            pieces += words
        return pieces

    def _term(self, tree: Tree) -> tuple[bool, list[str]]:
        """Whether a term has a minus, and the pieces that follow it."""
        if self._denominator(tree):
            tree = Product(Fraction(1), (tree,))
        if not isinstance(tree, Product):
            return False, self._factor(tree)
        if tree.coefficient == 0:
            return False, ["<mn>0</mn>"]
        top, bottom = self.rounding.fraction_parts(abs(tree.coefficient))
        words, numeric = [""], False  # whether a number came last: the next must not touch it
        numerators = [f for f in tree.factors if not self._denominator(f)]
        denominators = [f"<mn>{bottom}</mn>"] * bool(bottom) + [self._denominator(f) for f in tree.factors if f not in numerators]
        denominator = denominators[0] if len(denominators) == 1 else f"<mrow>{TIMES.join(denominators)}</mrow>"
        is_fraction = bool(denominators) and not any(isinstance(f, Sum) for f in numerators)  # all of it above a fraction's line
        if top or not numerators or (denominators and not is_fraction):
            number = number_markup(top or "1")
            words, numeric = (
                [f"<mfrac><mrow>{number}</mrow>{denominator}</mfrac>" if denominators and not is_fraction else number],
                True,
            )
        for factor in numerators:
            more = self._factor(factor)
            if words[0]:
                words[-1] += DOT if numeric and more[0].startswith(("<mn>", "<msup><mn>")) else TIMES
            words = [*words[:-1], words[-1] + more[0], *more[1:]]
            numeric = more[-1].startswith("<mn>")
        if is_fraction:
            words = [f"<mfrac><mrow>{''.join(words)}</mrow>{denominator}</mfrac>"]
        return tree.coefficient < 0, words

    def _denominator(self, tree: Tree) -> str:
        """The markup of the denominator that a factor stands for; "" if it is no inverse."""
        base, exponent = (tree.base, tree.exponent) if isinstance(tree, Power) else (tree, 1)
        word = self.notation.denominator_text(base.name) if isinstance(base, Name) else ""
        if not word:
            return ""
        length = self.notation.system.scalars.lengths.get(f"1/{word}")
        inner = f"<mrow>{expression_markup(word) if length is None else self.name(f'{length.quantity}({length.owner})')}</mrow>"
        return inner if exponent == 1 else with_scripts(inner, "", f"<mn>{exponent}</mn>")

    def _factor(self, tree: Tree) -> list[str]:
        if isinstance(tree, Name):
            return [self.name(tree.name)]
        if isinstance(tree, Power):
            exponent = f"<mn>{tree.exponent}</mn>"
            if isinstance(tree.base, Name):
                base, subscript, superscript = self._scripts(tree.base.name)
                if not superscript:
                    return [with_scripts(base, subscript, exponent)]
                return [with_scripts(f"<mrow>{with_scripts(base, subscript, superscript)}</mrow>", "", exponent)]
            return [with_scripts("".join(in_brackets(["".join(self.pieces(tree.base))])), "", exponent)]
        words = self.pieces(tree)
        return in_brackets(words if count_operators(tree) > MAX_UNBROKEN_OPERATORS else ["".join(words)])

    def name(self, word: str) -> str:
        return with_scripts(*self._scripts(word))

    def _scripts(self, word: str) -> tuple[str, str, str]:
        """The base, subscript and superscript of a name, as `Notation.latex` has them."""
        notation = self.notation
        symbol = notation.symbol(word)
        kind = symbol.kind if symbol else "sine"
        if notation.is_written_in_full(word):
            return f"<mrow>{expression_markup(notation.meaning(word))}</mrow>", "", ""
        if kind in ("sine", "cosine"):
            prefix = notation.angle_prefix(word)
            return f"<mi>{prefix}</mi>", index_markup(word[len(prefix) :].lstrip("_").replace("_", ",")), ""
        if symbol is not None and kind in ("coordinate", "speed", "acceleration", "sign"):
            dots, word = {"coordinate": 0, "acceleration": 2}.get(kind, 1), notation.coordinate(symbol.index)
            if notation.writer.speeds and kind in ("speed", "acceleration"):  # in place of rates
                dots, word = dots - 1, notation.writer.speeds[symbol.index]
            base, subscript = symbol_markup(word, dots)
            if kind == "sign":
                return f"<mrow><mi>sgn</mi>{OPEN}{with_scripts(base, subscript)}{CLOSE}</mrow>", "", ""
            return base, subscript, ""
        length_definition = notation.system.scalars.lengths.get(word)
        if length_definition is not None:
            letter = "ℓ" if length_definition.quantity == "length" else "h"
            length = f"<msub><mi>{letter}</mi><mtext>{escape(length_definition.owner)}</mtext></msub>"
            return length if kind == "root" else f"<mfrac><mn>1</mn>{length}</mfrac>", "", ""
        if kind == "drive":
            return time_derivative("<mi>φ</mi>", 1), f"<mtext>{escape(word[8:-1])}</mtext>", ""
        if kind in ("constant_sine", "constant_cosine", "root"):
            return f"<mrow>{expression_markup(word)}</mrow>", "", ""
        if kind in ("inverse", "function"):
            return f"<mrow>{OPEN}{expression_markup(word)}{CLOSE}</mrow>", "", ""
        if word[0].isdigit():
            return f"<mn>{escape(word)}</mn>", "", ""
        original = notation.original_name(word)
        return *symbol_markup(original), "" if original == word else "<mi>R</mi>"


def math_element(inner: str, display: bool = False) -> str:
    """A `math` element."""
    block = ' display="block"' if display else ""
    return f"<math{block}>{inner}</math>"


def matrix(rows: Sequence[Sequence[str]]) -> str:
    """A matrix in square brackets, of the markup of its entries."""
    body = "".join(f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
    return f"<mrow><mo>[</mo><mtable>{body}</mtable><mo>]</mo></mrow>"


def name_markup(word: str, dots: int = 0) -> str:
    return with_scripts(*symbol_markup(word, dots))


def symbol_markup(name: str, dots: int = 0) -> tuple[str, str]:
    """The letter of a name, with dots above for a rate or an acceleration such as `theta1''`, and the subscript."""
    if name.endswith("''") and split_index(name[:-2]):
        return symbol_markup(name[:-2], 2)
    letters_and_index = split_index(name)
    if letters_and_index is None:
        base, subscript = f"<mi>{escape(name)}</mi>", ""
    else:
        base, subscript = (
            letter_markup(GREEK.get(letters_and_index[0], letters_and_index[0])),
            index_markup(letters_and_index[1]) if letters_and_index[1] else "",
        )
    return time_derivative(base, dots) if dots else base, subscript


def letter_markup(word: str) -> str:
    """A letter or word; Greek capitals stand upright."""
    upright = ' mathvariant="normal"' if word in "ΓΔΘΛΞΠΣΦΨΩ" else ""
    return f"<mi{upright}>{escape(word)}</mi>"


def index_markup(text: str) -> str:
    """The letters and digits of a subscript."""
    words = re.findall(r"[\d,+-]+|[^\d,+-]+", text)
    elements = [f"<mn>{word}</mn>" if word[0].isdigit() else f"<mi>{escape(word)}</mi>" for word in words]
    if not elements:
        return ""
    return elements[0] if len(elements) == 1 else f"<mrow>{''.join(elements)}</mrow>"


def time_derivative(base: str, dots: int) -> str:
    """The first or second derivative by time: dots above the letter alone.

    It counts as no higher than a letter, so that an exponent beside it stands where it does beside other letters, as in TeX.
    """
    return f'<mpadded height="{_LETTER_HEIGHT}"><mover>{base}<mo>{_DOTS[dots]}</mo></mover></mpadded>'


def with_scripts(base: str, subscript: str = "", superscript: str = "") -> str:
    """A base with a subscript and a superscript, of which either may be missing."""
    if subscript and superscript:
        return f"<msubsup>{base}{subscript}{superscript}</msubsup>"
    if subscript:
        return f"<msub>{base}{subscript}</msub>"
    return f"<msup>{base}{superscript}</msup>" if superscript else base


def number_markup(text: str) -> str:
    """A number; an exponent is typeset as a power of ten."""
    mantissa, e, exponent = text.partition("e")
    if not e:
        return f"<mn>{text}</mn>"
    power = f"<mn>{abs(int(exponent))}</mn>"
    if int(exponent) < 0:
        power = f"<mrow><mo>−</mo>{power}</mrow>"
    return f"<mn>{mantissa}</mn>{DOT}<msup><mn>10</mn>{power}</msup>"


def in_brackets(pieces: Sequence[str]) -> list[str]:
    """Pieces in brackets as high as what they hold; brackets that stand in different pieces do not stretch by themselves."""
    opening, closing = OPEN, CLOSE
    if any("<mfrac>" in piece for piece in pieces):
        min_size = "" if len(pieces) == 1 else f' minsize="{FRACTION_HEIGHT}"'
        opening, closing = f"<mo{min_size}>(</mo>", f"<mo{min_size}>)</mo>"
    if len(pieces) == 1:
        return [f"<mrow>{opening}{pieces[0]}{closing}</mrow>"]
    return [f"{opening}{pieces[0]}", *pieces[1:-1], f"{pieces[-1]}{closing}"]


def expression_markup(text: str) -> str:
    """A short expression in plain text, such as a definition, as MathML; other text is written as it stands."""
    tokens = [match.groups() for match in _TOKENS.finditer(text)]
    markup, position = _sequence(tokens, 0)
    return markup if position == len(tokens) else f"<mtext>{escape(text)}</mtext>"


def _sequence(tokens: list[tuple[str, ...]], position: int) -> tuple[str, int]:
    """The markup of tokens up to a closing bracket or the end, and the position there."""
    parts: list[str] = []
    while position < len(tokens):
        mark = tokens[position][2]
        if mark == ")":
            break
        position += 1
        if mark == "^" and parts and position < len(tokens):
            superscript, position = _atom(tokens, position)
            parts[-1] = f"<msup><mrow>{parts[-1]}</mrow><mrow>{superscript}</mrow></msup>"
        elif mark == "*":
            numbers = bool(parts) and parts[-1].startswith("<mn>") and position < len(tokens) and bool(tokens[position][1])
            parts.append(DOT if numbers else TIMES)
        elif mark and mark != "(":
            parts.append(f"<mo>{'−' if mark == '-' else escape(mark)}</mo>")
        else:
            atom, position = _atom(tokens, position - 1)
            parts.append(atom)
    return "".join(parts), position


def _atom(tokens: list[tuple[str, ...]], position: int) -> tuple[str, int]:
    """The markup of a number, a name, a function with its argument, or an expression in brackets, and the position after it."""
    word, number, mark = tokens[position]
    if number:
        return number_markup(number.lower()), position + 1
    if word in _FUNCTIONS and position + 1 < len(tokens) and tokens[position + 1][2] == "(":
        inner, position = _sequence(tokens, position + 2)
        if word == "sqrt":
            return f"<msqrt>{inner}</msqrt>", position + 1
        return f"<mi>{word}</mi>{OPEN}{inner}{CLOSE}", position + 1
    if mark == "(":
        inner, position = _sequence(tokens, position + 1)
        return f"{OPEN}{inner}{CLOSE}", position + 1
    return (name_markup(word) if word else f"<mo>{escape(mark)}</mo>"), position + 1
