"""Formulas as MathML: well formed, and what a reader reads is what the formula says.

The markup is read back by a small parser of its own, with numbers in the place of names, exactly: every sign, power, fraction
and bracket counts.
"""

from __future__ import annotations

import xml.etree.ElementTree as xml
from fractions import Fraction

import pytest

import lagrangian as lg
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.printers import MathML, NumberFormat
from lagrangian.equations.writing.tree import Name, Power, Product, Sum, evaluate_tree, tree_names

Node = xml.Element
TIMES, DOT = "\u2062", "·"


class Reader:
    """Sums, products and powers of elements whose values are known by their markup."""

    def __init__(self, values: dict[str, Fraction]) -> None:
        self.values = values

    def row(self, nodes: list[Node]) -> Fraction:
        result, rest = self._sum(nodes)
        assert not rest, [xml.tostring(x) for x in rest]
        return result

    def _sum(self, nodes: list[Node]) -> tuple[Fraction, list[Node]]:
        sign = 1
        if _mark(nodes[0]) == "−":
            assert nodes[0].get("form") == "prefix"
            sign, nodes = -1, nodes[1:]
        total, nodes = self._product(nodes)
        total *= sign
        while nodes and _mark(nodes[0]) in ("+", "−"):
            assert nodes[0].get("form") == "infix"  # else it would be set as a sign where a line begins with it
            term, rest = self._product(nodes[1:])
            total, nodes = total + (term if _mark(nodes[0]) == "+" else -term), rest
        return total, nodes

    def _product(self, nodes: list[Node]) -> tuple[Fraction, list[Node]]:
        total, nodes = self._factor(nodes)
        while nodes and _mark(nodes[0]) in (TIMES, DOT):
            factor, nodes = self._factor(nodes[1:])
            total *= factor
        return total, nodes

    def _factor(self, nodes: list[Node]) -> tuple[Fraction, list[Node]]:
        if _mark(nodes[0]) == "(":
            result, rest = self._sum(nodes[1:])
            assert _mark(rest[0]) == ")"
            return result, rest[1:]
        return self.value(nodes[0]), nodes[1:]

    def value(self, node: Node) -> Fraction:
        markup = xml.tostring(node, encoding="unicode")
        if markup in self.values:
            return self.values[markup]
        match node.tag:
            case "mn":
                return Fraction(node.text or "")
            case "mrow":
                return self.row(list(node))
            case "mfrac":
                above, below = node
                return self.value(above) / self.value(below)
            case "msup":
                base, exponent = node
                return self.value(base) ** int(self.value(exponent))
            case "msubsup":
                base, below, exponent = node
                whole = f"<msub>{xml.tostring(base, encoding='unicode')}{xml.tostring(below, encoding='unicode')}</msub>"
                return self.values[whole] ** int(self.value(exponent))
        raise AssertionError(f"not understood: {markup}")


def _mark(node: Node) -> str | None:
    return node.text if node.tag == "mo" else None


def check(formula: Formula) -> None:
    """The markup has the formula's value, whatever its names stand for."""
    style = MathML(formula.writer.notation)
    met = [*tree_names(formula.tree), *tree_names(formula.denominator_tree)]
    plain = {name: Fraction(7 + 3 * k, 5 + 2 * (k % 11)) for k, name in enumerate(dict.fromkeys(met))}
    markup = {xml.tostring(xml.fromstring(style.name(name)), encoding="unicode"): x for name, x in plain.items()}
    assert len(markup) == len(plain), "two names look the same"
    element = xml.fromstring(formula.mathml())
    assert element.tag == "math"
    expected = evaluate_tree(formula.tree, plain.__getitem__) / evaluate_tree(formula.denominator_tree, plain.__getitem__)
    assert Reader(markup).row(list(element)) == expected
    assert "".join(formula.pieces(style)) == formula.mathml().removeprefix("<math>").removesuffix("</math>")
    for piece in formula.pieces(style):
        xml.fromstring(f"<math>{piece}</math>")  # each stands for itself


def every(*matrices: FormulaMatrix) -> None:
    for matrix in matrices:
        for _, formula in matrix.entries:
            check(formula)


@pytest.mark.parametrize(
    "name", ["two_r", "puma560", "stanford", "furuta", "cart_pendulum", "four_bar", "three_rpr", "delta", "bricard"]
)
def test_what_is_read_is_what_is_meant(name: str) -> None:
    eom = lg.derive(lg.library(name))
    every(eom.M, eom.G, eom.F)
    if eom.n < 5:
        every(eom.C)
    if eom.constraint_names:
        every(eom.closure, eom.Psi, eom.Psi_dot)


def test_symbols_and_groups() -> None:
    eom = lg.derive(lg.library("stanford"), symbols="all").in_base_parameters()
    every(eom.M, eom.G)
    assert any("<mi>R</mi>" in x.mathml() for _, x in eom.M.entries)


def test_quotients_are_written_as_fractions() -> None:
    check(lg.derive(lg.library("two_r")).cartesian("tip", ("x", "y")).M_x[0, 1])


def test_known_formulas() -> None:
    eom = lg.derive(lg.library("two_r"))
    r2 = "<msubsup><mi>r</mi><mn>2</mn><mn>2</mn></msubsup>"
    m2, i2 = "<msub><mi>m</mi><mn>2</mn></msub>", "<msub><mi>I</mi><mn>2</mn></msub>"
    assert eom.M[1, 1].mathml() == f'<math>{m2}{printers.TIMES}{r2}<mo form="infix">+</mo>{i2}</math>'
    rate = "<mover><mi>θ</mi><mo>.</mo></mover>"  # the dot is above the letter alone
    assert f'<msub><mpadded height="0.7em">{rate}</mpadded><mn>2</mn></msub>' in eom.C[0, 0].mathml()
    assert "<msub><mi>c</mi><mn>12</mn></msub>" in eom.G[1].mathml()


def test_matrices_are_written_as_tables() -> None:
    matrix = lg.derive(lg.library("two_r")).M
    rows = xml.fromstring(matrix.mathml()).findall("mrow/mtable/mtr")
    assert [len(row) for row in rows] == [2, 2]
    assert f"<math>{''.join(xml.tostring(x, encoding='unicode') for x in rows[1][1])}</math>" == matrix[1, 1].mathml()


def test_numbers_have_powers_of_ten_and_are_rounded() -> None:
    """Powers of ten, rounding, and a number beside a number."""
    writer = lg.derive(lg.library("two_r")).writer
    style = MathML(writer.notation, NumberFormat(3))
    tiny = "<mn>1.23</mn><mo>·</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>7</mn></mrow></msup>"
    assert "".join(style.pieces(Product(Fraction(123456, 10**12)))) == tiny
    assert style.row(Product(Fraction(-314159, 100000))) == '<mrow><mo form="prefix">−</mo><mn>3.14</mn></mrow>'
    assert style.rounding.rounded
    squared = Power(Sum((Name("m1"), Product(Fraction(2), (Name("m2"),)))), 2)
    half = "".join(style.pieces(Product(Fraction(3, 2), (Name("r1"), squared.base))))
    assert half.startswith("<mfrac><mrow><mn>3</mn></mrow><mn>2</mn></mfrac>")
    assert "".join(style.pieces(squared)).endswith("</mrow><mn>2</mn></msup>")


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("cos(theta1 + q2)", "<mi>cos</mi>"),
        ("sqrt(a^2 + b^2)", "<msqrt>"),
        ("2*3*x", f"<mn>2</mn>{printers.DOT}<mn>3</mn>{printers.TIMES}<mi>x</mi>"),
        ("Izz1 + (l1^2)*m2", "<msub><mi>I</mi><mrow><mi>zz</mi><mn>1</mn></mrow></msub>"),
        ("<b>&", "&lt;"),
        ("a) b", "<mtext>a) b</mtext>"),
        ("1.5e-3*x", "<msup><mn>10</mn>"),
        ("x^", "<mi>x</mi>"),
        ("", ""),
    ],
)
def test_words_of_texts_become_markup(text: str, markup: str) -> None:
    actual = printers.expression_markup(text)
    xml.fromstring(f"<math>{actual}</math>")
    assert markup in actual
