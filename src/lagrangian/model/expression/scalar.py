"""Scalars of a description: numbers, or expressions of named parameters.

A description may contain `"m1*l1^2/12"`: the closed form keeps the names, the kernels use the value. The small grammar of
`parser` reads such texts; they are never handed to Python. Every node has its numeric value, unless it contains a coordinate or
time.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Union

from lagrangian.errors import DescriptionError, format_value, is_number
from lagrangian.model.expression import parser
from lagrangian.model.expression.turns import quarter_turns

Scalar = Union[int, float, "Expression"]
_BINARY: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
    "atan2": math.atan2,
    "min": min,
    "max": max,
    "mod": operator.mod,  # read as x - y*floor(x/y)
}
_UNARY: dict[str, Callable[[float], float]] = {
    "neg": operator.neg,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "floor": lambda x: float(math.floor(x)),
    # read as x*pi/180 and -floor(-x), so that no node is called so
    "deg": math.radians,
    "ceil": math.ceil,
}
_DOMAINS = {
    "asin": "a number from -1 to 1",
    "acos": "a number from -1 to 1",
    "sqrt": "a number that is not negative",
    "log": "a positive number",
}

# x where the first is positive, else y: text has conditions there, such as t < 5
_TERNARY: dict[str, Callable[[float, float, float], float]] = {"piecewise": lambda c, x, y: x if c > 0 else y}
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*")
FUNCTIONS = sorted({*_UNARY, *_BINARY, *_TERNARY} - {"neg", "+", "-", "*", "/", "^"})
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}


class Expression:
    """A formula of named parameters, coordinates and time.

    You get expressions by computing with parameters: see `lagrangian.parameter`. An expression prints as a formula, and `float`
    of it is its value if it contains parameters only.
    """

    __slots__ = ("_hash", "arguments", "name", "operation", "value")

    def __init__(self, operation: str, arguments: tuple[Scalar, ...], value: float | None, name: str = "") -> None:
        self.operation = operation  # "symbol", "number", "pi", or a key of the tables above
        self.arguments = arguments
        self.value = value
        self.name = name

    def __float__(self) -> float:
        if self.value is None:
            raise DescriptionError(f"'{self}' has no value: it depends on {', '.join(sorted(free_symbols(self)))}")
        return self.value

    def __repr__(self) -> str:
        return f"Expression({str(self)!r})"

    def __str__(self) -> str:
        return _format(self, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self._fields() == other._fields()

    def __hash__(self) -> int:
        try:  # computed once: expressions are long, and they are keys of compiled code
            return self._hash
        except AttributeError:
            self._hash: int = hash(self._fields())
            return self._hash

    def __reduce__(self) -> tuple[type[Expression], tuple[str, tuple[Scalar, ...], float | None, str]]:
        """Pickle without the hash, which differs between processes."""
        return Expression, (self.operation, self.arguments, self.value, self.name)

    def _fields(self) -> tuple[str, str, float | None, tuple[Scalar, ...]]:
        return self.operation, self.name, self.value, self.arguments

    def __add__(self, other: Scalar) -> Scalar:
        return _add(self, other)

    def __radd__(self, other: Scalar) -> Scalar:
        return _add(other, self)

    def __sub__(self, other: Scalar) -> Scalar:
        return _subtract(self, other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return _subtract(other, self)

    def __mul__(self, other: Scalar) -> Scalar:
        return _multiply(self, other)

    def __rmul__(self, other: Scalar) -> Scalar:
        return _multiply(other, self)

    def __truediv__(self, other: Scalar) -> Scalar:
        return self if _equals(other, 1) else _make_node("/", self, other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return 0 if _equals(other, 0) else _make_node("/", other, self)

    def __pow__(self, other: Scalar) -> Scalar:
        return self if _equals(other, 1) else _make_node("^", self, other)

    def __neg__(self) -> Scalar:
        return self.arguments[0] if self.operation == "neg" else _make_node("neg", self)

    def __pos__(self) -> Scalar:
        return self


PI = Expression("pi", (), math.pi)


def parameter(name: str, value: float) -> Expression:
    """Make a named parameter of a mechanism.

    A parameter can be used like a number. A result computed from it is an `Expression`, which keeps the name: closed-form
    equations contain the name, numerical functions use the value, and `Mechanism.with_parameters` changes it.

    Parameters
    ----------
    name : str
        The name: letters, digits and "_", with a letter first. It cannot be "t", "pi" or the name of a function.
    value : float
        The value in SI units.

    Returns
    -------
    Expression
        The parameter.

    Raises
    ------
    DescriptionError
        If the name is not allowed, or if the value is not a finite number.

    Examples
    --------
    >>> import lagrangian as lg
    >>> m, l = lg.parameter("m", 2.0), lg.parameter("l", 0.5)
    >>> inertia = m * l**2 / 12
    >>> print(inertia, "=", round(float(inertia), 4))
    m*l^2/12 = 0.0417
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name in ("t", "pi", *FUNCTIONS):
        raise DescriptionError(
            f"a parameter cannot be called {name!r}; a name has letters, digits and _, begins with a letter, and is not t, pi or "
            f"the name of a function"
        )
    if not is_number(value):
        raise DescriptionError(f"the parameter {name!r} is {format_value(value)}; it must be a finite number")
    return Expression("symbol", (), float(value), name)


def symbol(name: str) -> Expression:
    """A name without a value: a coordinate, a speed, time."""
    return Expression("symbol", (), None, name)


def number(value: float) -> Expression:
    """A number that stays as it is in results: cos(0.3), not 0.955336."""
    return Expression("number", (), float(value))


def keep_symbolic(*scalars: Scalar) -> tuple[Scalar, ...]:
    """Return scalars, of which numbers become nodes if another scalar contains parameters."""
    if not any(isinstance(x, Expression) and parameters(x) for x in scalars):
        return scalars
    return tuple(number(x) if isinstance(x, float) else x for x in scalars)


class NumberWithSource(float):
    """A float that remembers the expression it was computed from, as `source`.

    The closed form needs `-pi/2` exactly, and an initial angle `acos(l1/l2)` follows the lengths.
    """

    source: Scalar

    @staticmethod
    def from_scalar(scalar: Scalar) -> float:
        """Return a scalar as a float, which remembers an expression."""
        if not isinstance(scalar, Expression):
            return scalar if isinstance(scalar, NumberWithSource) else float(scalar)
        number = NumberWithSource(float(scalar))
        number.source = scalar
        return number

    def __reduce__(self) -> Any:
        return NumberWithSource.from_scalar, (self.source,)


def parse(text: str, names: Mapping[str, Scalar] | None = None) -> Scalar:
    """Read an expression over the given names (`pi` is always known)."""
    arguments = {name: 1 if name in _UNARY else 2 if name in _BINARY else None for name in FUNCTIONS}
    grammar = parser.Grammar({} if names is None else names, {"pi": PI}, arguments, call)
    return grammar.parse(text)


def call(operation: str, *arguments: Scalar) -> Scalar:
    """Return a function of scalars, by its name, as a node or as something simpler."""
    simplify = _SIMPLIFIED.get(operation)
    return simplify(*arguments) if simplify else _make_node(operation, *arguments)


def substitute(x: Scalar, names: Mapping[str, Scalar]) -> Scalar:
    """Return the expression with other scalars in place of names without a value."""
    if not isinstance(x, Expression) or not free_symbols(x):
        return x
    if x.operation == "symbol":
        return names.get(x.name, x)
    return call(x.operation, *(substitute(a, names) for a in x.arguments))


def exact_text(x: Scalar) -> str:
    """Return the text that reads back as the same expression: a+(b+c), which is not rounded as a+b+c, keeps its parentheses."""
    return _format(x, 0, exact=True)


def free_symbols(scalar: Scalar) -> set[str]:
    """The names in an expression that have no value."""
    return {node.name for node in walk(scalar) if node.operation == "symbol" and node.value is None}


def parameters(scalar: Scalar) -> dict[str, float]:
    """The named parameters in an expression, with their values."""
    return {n.name: n.value for n in walk(scalar) if n.operation == "symbol" and n.value is not None}


def has_pi(scalar: Scalar) -> bool:
    """Whether an expression contains pi, or `deg`, which contains it."""
    return any(node.operation == "pi" for node in walk(scalar))


def walk(scalar: Scalar) -> Iterator[Expression]:
    """The nodes of an expression; none of a number."""
    stack = [scalar]
    while stack:
        node = stack.pop()
        if isinstance(node, Expression):
            yield node
            stack.extend(node.arguments)


def sin(x: Scalar) -> Scalar:
    """Sine, exact at multiples of 90 degrees."""
    n = _quarter_turns(x)
    if n is not None:
        return (0, 1, 0, -1)[n % 4]
    return _make_node("sin", x) if isinstance(x, Expression) else math.sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine, exact at multiples of 90 degrees."""
    n = _quarter_turns(x)
    if n is not None:
        return (1, 0, -1, 0)[n % 4]
    return _make_node("cos", x) if isinstance(x, Expression) else math.cos(x)


def tan(x: Scalar) -> Scalar:
    """Tangent, exact at multiples of 180 degrees; it has none at 90."""
    n = _quarter_turns(x)
    if n is not None and n % 2:
        raise DescriptionError(f"'tan({x})' is infinite; a finite real number is needed")
    return 0 if n is not None else _make_node("tan", x)


def deg(x: Scalar) -> Scalar:
    """Degrees as radians: x*pi/180, with the exact pi, so that sines and cosines of right angles are exact too."""
    return x * PI / 180


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return _make_node("sqrt", x) if isinstance(x, Expression) else math.sqrt(x)


def ceil(x: Scalar) -> Scalar:
    """The smallest whole number that is not below x."""
    return -_make_node("floor", -x)


def mod(x: Scalar, y: Scalar) -> Scalar:
    """The remainder of x / y, between 0 and y."""
    return (
        x - y * _make_node("floor", x / y) if isinstance(x, Expression) or isinstance(y, Expression) else _make_node("mod", x, y)
    )


def _format(x: Scalar, outer: int, exact: bool = False) -> str:
    if not isinstance(x, Expression):
        text = f"{x:g}" if isinstance(x, float) and float(f"{x:g}") == x else repr(float(x) if isinstance(x, float) else x)
        return f"({text})" if text[0] == "-" and outer > 3 else text  # (-2)^2 is not -2^2
    if x.operation == "symbol":
        return parser.quote_name(x.name)
    if x.operation == "number":
        return _format(x.value if x.value is not None else 0, outer)
    if x.operation == "pi":
        return "pi"
    precedence = _PRECEDENCE.get(x.operation)
    if x.operation == "piecewise":
        condition, *values = (_format(a, 0, exact) for a in x.arguments)
        return f"piecewise({condition} > 0, {', '.join(values)})"
    if precedence is None:
        return f"{x.operation}({', '.join(_format(a, 0, exact) for a in x.arguments)})"
    if x.operation == "neg":
        text = "-" + _format(x.arguments[0], precedence, exact)
    else:
        left = _format(x.arguments[0], precedence + (x.operation == "^"), exact)
        right = _format(x.arguments[1], precedence + (x.operation in ("-/+*" if exact else "-/")), exact)
        text = f"{left}{x.operation}{right}"
    return f"({text})" if precedence < outer else text


def _quarter_turns(x: Scalar) -> int | None:
    """Return n if x is n quarter turns, as 1.57079632679 in a URDF is meant to be: sin and cos are then exact integers."""
    if _value(x) is None or any(n.operation == "symbol" for n in walk(x)):
        return None
    return quarter_turns(x)


# functions that texts may call, and that may return something simpler than a node of their own
_SIMPLIFIED: dict[str, Callable[..., Scalar]] = {"sin": sin, "cos": cos, "tan": tan, "deg": deg, "ceil": ceil, "mod": mod}


def _make_node(operation: str, *arguments: Scalar) -> Scalar:
    values = [_value(a) for a in arguments]
    value: float | None = None
    if None not in values:
        function: Callable[..., float] = (_UNARY, _BINARY, _TERNARY)[len(values) - 1][operation]
        try:
            value = function(*values)
        except (ZeroDivisionError, ValueError, OverflowError) as error:
            expression_text = _format(Expression(operation, arguments, None), 0)
            domain = _DOMAINS.get(operation) if isinstance(error, ValueError) else None
            reason = f"{operation} needs {domain}, and its argument is {values[0]:.6g}" if domain else error
            raise DescriptionError(f"'{expression_text}' cannot be computed: {reason}") from None
        if isinstance(value, complex) or not math.isfinite(value):
            expression_text = _format(Expression(operation, arguments, None), 0)
            raise DescriptionError(f"'{expression_text}' is {value}; a finite real number is needed")
    return Expression(operation, arguments, value)


def _value(x: Scalar) -> float | None:
    return x.value if isinstance(x, Expression) else float(x)


def _add(a: Scalar, b: Scalar) -> Scalar:
    if _equals(a, 0):
        return b
    positive = _negation(b)
    return a if _equals(b, 0) else _make_node("+", a, b) if positive is None else _subtract(a, positive)


def _subtract(a: Scalar, b: Scalar) -> Scalar:
    if _equals(b, 0):
        return a
    if _equals(a, 0):
        return -b
    positive = _negation(b)
    return 0 if a is b else _make_node("-", a, b) if positive is None else _add(a, positive)


def _negation(x: Scalar) -> Scalar | None:
    """Return the opposite of a term with a minus sign, such as -2*b, so that a sum can subtract it; None for other terms."""
    if not isinstance(x, Expression):
        return -x if x < 0 else None
    if x.operation == "neg":
        return x.arguments[0]
    if x.operation not in ("*", "/") or (first := _negation(x.arguments[0])) is None:
        return None
    return _multiply(first, x.arguments[1]) if x.operation == "*" else _make_node("/", first, x.arguments[1])


def _multiply(a: Scalar, b: Scalar) -> Scalar:
    if _equals(a, 0) or _equals(b, 0):
        return 0
    if _equals(a, 1):
        return b
    if _equals(b, 1):
        return a
    if _equals(a, -1):
        return -b
    return -a if _equals(b, -1) else _make_node("*", a, b)


def _equals(x: Scalar, number: int) -> bool:
    return not isinstance(x, Expression) and x == number
