"""Numbers and expressions as files may have them, sound and odd."""

from __future__ import annotations

from random import Random

# as text, in any format: limits of doubles, what overflows when squared, what is no number
ODD_NUMBERS = (
    *("0", "-0.0", "1", "-1", "2", "0.1", "1e-9", "-1e-9", "1e9", "1e11", "-1e11", "1e16", "1e100", "1e154", "-1e160", "1e300"),
    *("1e308", "-1.7976931348623157e308", "1e-154", "1e-300", "2.2e-308", "1e-320", "5e-324", "3.141592653589793", "6.283185307"),
    *("9007199254740993", "18446744073709551616", "-9223372036854775809", "1" + "0" * 80, "123456789.123456789"),
)
NO_NUMBERS = (
    "nan",
    "-nan",
    "inf",
    "-inf",
    "+inf",
    "1e400",
    "1_000",
    "0x10",
    "1e",
    "--1",
    "1,5",
    "",
    "true",
    "NaN",
    "١",
    "½",
    "1 2 3",
)

# of which a TOML file may have any value for any entry
ODD_VALUES = (
    "[]",
    "{}",
    "true",
    '""',
    '"x"',
    '"ground"',
    "[0, 0, 0]",
    "[1, 2]",
    "[[1]]",
    "1979-05-27",
    '"\\u0000"',
    '"a b"',
    "'''\n'''",
)
ODD_EXPRESSIONS = (
    *(
        "1/0",
        "0/0",
        "sqrt(-1)",
        "log(0)",
        "log(-1)",
        "asin(2)",
        "exp(1000)",
        "1e400",
        "10^400",
        "0^-1",
        "0^0",
        "(-1)^0.5",
        "tan(pi/2)",
    ),
    *("sin(1e15)", "sin(1e300)", "mod(1, 0)", "atan2(0, 0)", "1e308*10", "pi", "deg(90)", "deg(1e300)", "floor(-0.5)", "sign(0)"),
    *(
        "piecewise(1 < 2, 3, 4)",
        "piecewise(1, 2)",
        "max(1, 2)",
        "min()",
        "abs(-1",
        "((((((1))))))",
        "1 +",
        "* 2",
        "a.b.c",
        "__import__('os')",
    ),
    *(
        "2**3**2",
        "-2^2",
        "1e-320",
        "1/3",
        "x y",
        "t",
        "sqrt(0)",
        "tanh(1e300)",
        "acos(1)",
        "1e308 - 1e308",
        "()",
        "1;2",
        "lambda: 0",
    ),
)
FUNCTIONS = ("abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "log", "sign", "sin", "sqrt", "tan", "tanh")
SMOOTH = ("cos", "sin", "tanh", "atan")


def expression(rng: Random, names: list[str], depth: int = 3, *, sound: bool = True) -> str:
    """A random expression of the names; a sound one is smooth and finite wherever its names are."""
    if not sound and rng.random() < 0.05:
        return rng.choice(ODD_EXPRESSIONS)
    if depth == 0 or rng.random() < 0.25:
        if names and rng.random() < 0.6:
            return rng.choice(names)
        return f"{rng.uniform(0.1, 3):.3g}" if sound or rng.random() < 0.7 else rng.choice(ODD_NUMBERS)

    def part() -> str:
        return expression(rng, names, depth - 1, sound=sound)

    how = rng.random()
    if how < 0.55:
        return f"({part()} {rng.choice('+-*')} {part()})"
    if how < 0.8 or sound:
        return f"{rng.choice(SMOOTH if sound else FUNCTIONS)}({part()})"
    if how < 0.9:
        return f"({part()}){rng.choice(['^2', '^-1', '^0.5', '**3', '/' + part(), '^' + part()])}"
    if how < 0.95:
        return f"{rng.choice(['max', 'min', 'mod', 'atan2'])}({part()}, {part()})"
    return f"piecewise({part()} {rng.choice(['<', '<=', '>', '>='])} {part()}, {part()}, {part()})"
