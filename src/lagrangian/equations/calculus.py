"""Derivatives of formulas, and formulas with other things in place of names."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import Element, Symbol
from lagrangian.equations.reading.system import NUMBER
from lagrangian.equations.texts.evaluation import Quotient, lifted
from lagrangian.equations.texts.names import Names
from lagrangian.equations.texts.node import Node, Thing, number, of_expression, thing
from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.expression import Expression, Scalar, call, symbol
from lagrangian.model.expression.derivative import derivative as slope_of

if TYPE_CHECKING:
    from lagrangian.equations.formula import Formula
    from lagrangian.equations.writing.writer import Writer

Key = tuple[str, int | str]  # what a name stands for: the kind and the number of the coordinate, or a generator's name
_STATE = ("coordinate", "speed", "acceleration")


# -- what a formula depends on -----------------------------------------------------------------------------------------


def key(x: Thing) -> Key:
    return (x.kind, x.index) if x.kind != "symbol" else ("symbol", x.name)


def depends(writer: Writer, generator: Symbol) -> set[Key]:
    """What a generator depends on: itself, or all that a function is made of."""
    if generator.kind in (*_STATE, "sign"):
        return {("speed" if generator.kind == "sign" else generator.kind, generator.index)}
    if generator.kind in ("sine", "cosine"):
        return {("coordinate", k) for k, _ in generator.angle}
    square = writer.system.scalars.lengths.get(generator.name)
    if square is not None:
        return dependencies(writer, square.square)
    inside = _inside(writer, generator)
    if inside is not None:
        return {key(x) for x in of_expression(inside, Names(writer).parameter).things if x.name != "pi"}
    return set() if generator.meaning in (NUMBER, "pi") else {("symbol", generator.name)}


def dependencies(writer: Writer, x: Element) -> set[Key]:
    found: set[Key] = set()
    for generator, degree in zip(x.ring.symbols, x.poly.degrees(), strict=True):
        if degree > 0:
            found |= depends(writer, generator)
    return found


def _inside(writer: Writer, generator: Symbol) -> Scalar | None:
    """The expression that a generator is a function of; None if it is none."""
    scalars = writer.system.scalars
    if generator.name in scalars.atoms:
        made: Scalar = scalars.atoms[generator.name][1]
        return made
    angle = scalars.angles.constants.get(generator.name)
    return None if angle is None else call("sin" if generator.kind == "constant_sine" else "cos", angle)


def names(formula: Formula) -> tuple[str, ...]:
    """Coordinates by their names, rates as they are printed, then the rest in the order of the ring."""
    writer = formula.writer
    found = dependencies(writer, formula.element)
    if formula.denominator is not None:
        found |= dependencies(writer, formula.denominator)
    # c2 is made of c1 and c12, but does not change with q1
    still = {("coordinate", k) for kind, k in found if kind == "coordinate" and formula.diff(int(k)).is_zero}
    state = sorted((_STATE.index(kind), int(k)) for kind, k in found - still if kind in _STATE)
    coordinates, order = writer.system.coordinates, writer.system.ring.number
    rates = {(o, k): writer.names[order[f"q{'d' * o}{k + 1}"]] for o, k in state}
    shown = [coordinates[k] if o == 0 else writer.notation.plain(rates[o, k]) for o, k in state]
    rest = sorted((str(name) for kind, name in found if kind == "symbol"), key=lambda x: (order.get(x, len(order)), x))
    return (*shown, *(writer.names[order[x]] if x in order else x for x in rest))


def _named(formula: Formula, name: Any) -> Thing:
    """What a name stands for of which a derivative is taken, or which is replaced."""
    writer = formula.writer.family.writers[-1]
    found = Names(writer)
    if isinstance(name, int) and not isinstance(name, bool):
        n = writer.system.n
        if not -n <= name < n:
            raise ArgumentError(f"there are {n} coordinates, numbered from 0; {name} is out of range")
        return Thing("coordinate", index=name % n)
    word = str(name)
    if word not in found:
        raise ArgumentError(one_of("name", word, found))
    node = found[word]
    if node.operation != "thing" or node.parts[0].kind not in (*_STATE, "symbol") or node.parts[0].name == "pi":
        raise ArgumentError(f"{word!r} stands for a formula; name a coordinate, a rate or a parameter")
    made: Thing = node.parts[0]
    return made


# -- derivatives -------------------------------------------------------------------------------------------------------


def derivative(formula: Formula, name: Any) -> Formula:
    """By a name; by "t", along the motion."""
    x = _named(formula, name)
    slope = _along_the_motion if x.kind == "symbol" and x.name == "t" else _partial
    top = slope(formula, formula.element, x)
    if formula.denominator is None:
        return top
    below = _plain(formula, formula.denominator)
    return (top * below - _plain(formula, formula.element) * slope(formula, formula.denominator, x)) / (below * below)


def _plain(formula: Formula, element: Element) -> Formula:
    return type(formula)(formula.writer, element)


def _along_the_motion(formula: Formula, x: Element, _: Thing) -> Formula:
    """d/dt = sum d/dq_k q'_k + sum d/dq'_k q''_k + the explicit dependence on t."""
    ring, n = x.ring, formula.writer.system.n
    total = ring.derivative(x, n)
    for k in range(n):
        if x.poly.degrees()[ring.number[f"qdd{k + 1}"]] > 0:
            raise ArgumentError(f"the formula depends on qdd{k + 1}, whose time derivative is not available")
        total = total + ring(ring.derivative(x, k) * ring.generator(f"qd{k + 1}"))
        total = total + ring(ring.partial(x, f"qd{k + 1}") * ring.generator(f"qdd{k + 1}"))
    return _plain(formula, total)


def _partial(formula: Formula, x: Element, by: Thing) -> Formula:
    ring = x.ring
    if by.kind == "coordinate":
        return _plain(formula, ring.derivative(x, by.index))
    if by.kind != "symbol":
        return _plain(formula, ring.partial(x, f"{'qd' if by.kind == 'speed' else 'qdd'}{by.index + 1}"))
    total = _plain(formula, ring.partial(x, by.name) if by.name in ring.number else ring.zero)
    for generator, degree in zip(ring.symbols, x.poly.degrees(), strict=True):
        if degree > 0 and generator.name != by.name and key(by) in depends(formula.writer, generator):
            total = total + _plain(formula, ring.partial(x, generator.name)) * _slope(formula, generator, by)
    return total


def _slope(formula: Formula, generator: Symbol, by: Thing) -> Formula:
    """The derivative of a function, which is a generator, by a parameter in it."""
    writer, ring = formula.writer, formula.element.ring
    of_spring = writer.system.scalars.lengths.get(generator.name)
    if of_spring is not None:  # length' = (length^2)' / (2 length), and (1/length)' = -length' / length^2
        itself = _plain(formula, ring.generator(generator.name))
        change = _partial(formula, of_spring.square, by) / 2
        return change / itself if generator.kind == "root" else -change * itself**3
    inside = _inside(writer, generator)
    made = slope_of(_without_value(inside, by.name), by.name)  # type: ignore[arg-type]
    node = of_expression(made, lambda x: by if x.name == by.name else Names(writer).parameter(x))
    return _formula(formula, *writer.family.quotient(node))


def _without_value(x: Scalar, name: str) -> Scalar:
    """With a name as a variable, by which a derivative can be taken."""
    if not isinstance(x, Expression) or x.operation in ("pi", "number"):
        return x
    if x.operation == "symbol":
        return symbol(name) if x.name == name else x
    return call(x.operation, *(_without_value(a, name) for a in x.arguments))


def _formula(formula: Formula, writer: Writer, made: Quotient) -> Formula:
    return formula.quotient(writer, *made)


# -- other things in place of names ------------------------------------------------------------------------------------


def substituted(formula: Formula, values: Mapping[Any, Any]) -> Formula:
    """All at once: every generator that depends on a name that is replaced is made again of what takes its place."""
    replaced = {key(_named(formula, name)): _node(formula, x) for name, x in values.items()}
    family, made = formula.writer.family, formula
    parts: dict[int, tuple[Writer, Quotient]] = {}
    for k, generator in enumerate(formula.element.ring.symbols):
        used = any(x is not None and x.poly.degrees()[k] > 0 for x in (formula.element, formula.denominator))
        if used and depends(formula.writer, generator) & set(replaced):
            parts[k] = family.quotient(_replaced(_of_generator(formula.writer, generator), replaced))
    if not parts:
        return made
    writer = formula.writer
    for other, _ in parts.values():
        writer = family.wider(writer, other)
    ring = writer.system.ring
    put_in = {k: (lifted(above, ring), lifted(below, ring)) for k, (_, (above, below)) in parts.items()}
    above = _composed(formula, writer, formula.element, put_in)
    return above if formula.denominator is None else above / _composed(formula, writer, formula.denominator, put_in)


def _node(formula: Formula, x: Any) -> Node:
    """A value as a node."""
    if not isinstance(x, type(formula)):
        return formula.writer.family.node(x)
    formula._other(x)  # which must be of the same equations
    above = _of_element(x.writer, x.element)
    return above if x.denominator is None else Node("*", above, Node("inverse", _of_element(x.writer, x.denominator)))


def _of_element(writer: Writer, x: Element) -> Node:
    terms = []
    for monomial, c in x.poly.terms():
        factors = [number(Fraction(int(c.numerator), int(c.denominator)))]
        for k, e in enumerate(monomial):
            if e:
                factors.append(Node("^", _of_generator(writer, x.ring.symbols[k]), number(int(e))))
        terms.append(Node("*", *factors))
    return Node("+", *terms) if terms else number(0)


def _of_generator(writer: Writer, generator: Symbol) -> Node:
    """What a generator stands for, with everything that it depends on in sight."""
    if generator.kind in (*_STATE, "sign"):
        return thing(Thing(generator.kind, generator.name, generator.index))
    if generator.kind in ("sine", "cosine"):
        terms = [Node("*", number(e), thing(Thing("coordinate", f"q{k + 1}", k))) for k, e in generator.angle]
        return Node("sin" if generator.kind == "sine" else "cos", Node("+", *terms))
    of_spring = writer.system.scalars.lengths.get(generator.name)
    if of_spring is not None:
        root = Node("sqrt", _of_element(writer, of_spring.square))
        return root if generator.kind == "root" else Node("inverse", root)
    inside = _inside(writer, generator)
    if inside is not None:
        return of_expression(inside, Names(writer).parameter)
    if generator.meaning == NUMBER:
        return number(str(generator.value))
    return thing(Thing("symbol", generator.name, value=generator.value))


def _replaced(node: Node, values: Mapping[Key, Node]) -> Node:
    if node.operation == "number":
        return node
    if node.operation == "thing":
        x: Thing = node.parts[0]
        if x.kind == "sign" and ("speed", x.index) in values:
            return Node("sign", values["speed", x.index])
        return values.get(key(x), node)
    return Node(node.operation, *(_replaced(part, values) for part in node.parts))


def _composed(formula: Formula, writer: Writer, x: Element, put_in: Mapping[int, Quotient]) -> Formula:
    """A polynomial with quotients in place of generators, over the powers of their denominators that it needs."""
    ring = writer.system.ring
    into = [ring.generators[ring.number[s.name]] for s in x.ring.symbols]
    degrees = x.poly.degrees()
    if all(below.poly.is_constant() for _, below in put_in.values()):
        for k, (above, below) in put_in.items():
            into[k] = (above / below).poly
        return formula.quotient(writer, Element(ring, ring.reduce(x.poly.compose(*into, ctx=ring.context))), ring.one)
    groups: dict[tuple[int, ...], dict[Any, Any]] = {}
    for monomial, c in x.poly.terms():
        powers = tuple(int(monomial[k]) for k in put_in)
        groups.setdefault(powers, {})[tuple(0 if k in put_in else e for k, e in enumerate(monomial))] = c
    total = ring.zero
    for powers, terms in groups.items():
        part = Element(ring, x.ring.context.from_dict(terms).compose(*into, ctx=ring.context))
        for e, (k, (above, below)) in zip(powers, put_in.items(), strict=True):
            part = ring(part * above**e * below ** (max(degrees[k], 0) - e))
        total = total + part
    over = ring.one
    for k, (_, below) in put_in.items():
        over = ring(over * below ** max(degrees[k], 0))
    return formula.quotient(writer, total, over)
