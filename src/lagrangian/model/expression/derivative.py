"""Derivatives of expressions, by the rules of calculus: for `phi'(t)`, and for coefficients that are functions of q."""

from __future__ import annotations

from lagrangian.model.expression.scalar import Expression, Scalar, call


def derivative(x: Scalar, name: str) -> Scalar:
    """d x / d name, for a name without a value: a coordinate, or time."""
    if not isinstance(x, Expression):
        return 0
    if x.operation == "symbol":
        return 1 if x.name == name and x.value is None else 0
    slopes = [derivative(a, name) for a in x.arguments]
    if all(_is_zero(d) for d in slopes):
        return 0
    if len(slopes) == 1:
        return _unary_derivative(x, x.arguments[0], slopes[0])
    if x.operation == "piecewise":
        return call("piecewise", x.arguments[0], *slopes[1:]) if any(not _is_zero(d) for d in slopes[1:]) else 0
    (a, b), (da, db) = x.arguments, slopes
    match x.operation:
        case "+":
            return da + db
        case "-":
            return da - db
        case "*":
            return da * b + a * db
        case "/":
            plain = not isinstance(da, Expression) and not isinstance(b, Expression)
            return (call("/", da, b) if plain else da / b) - a * db / (b * b)  # 1/3 stays 1/3, which is no decimal
        case "^":
            if isinstance(b, int):
                return b * (a ** (b - 1) if isinstance(a, Expression) else call("^", a, b - 1)) * da
            # through x itself, so that the derivative's derivative is made of the same functions again
            slope = x * b * da / a if isinstance(da, Expression) or da != 0 else 0
            return slope + x * call("log", a) * db if isinstance(db, Expression) or db != 0 else slope
        case "atan2":
            return (da * b - a * db) / (a * a + b * b)
    # the larger, or smaller, of two: the slope of whichever it is
    high, low = (da, db) if x.operation == "max" else (db, da)
    chosen = call("sign", a - b)
    return (high + low) / 2 + chosen * (high - low) / 2


def _unary_derivative(x: Expression, u: Scalar, du: Scalar) -> Scalar:
    match x.operation:
        case "neg":
            return -du
        case "sin":
            return call("cos", u) * du
        case "cos":
            return -(call("sin", u) * du)
        case "tan":
            return (1 + x * x) * du
        case "asin":
            return du / call("sqrt", 1 - u * u)
        case "acos":
            return -(du / call("sqrt", 1 - u * u))
        case "atan":
            return du / (1 + u * u)
        case "sqrt":
            return du / (2 * x)
        case "exp":
            return x * du
        case "log":
            return du / u
        case "tanh":
            return (1 - x * x) * du
        case "abs":
            return call("sign", u) * du
    return 0  # sign and floor: constant but for their jumps


def _is_zero(x: Scalar) -> bool:
    return not isinstance(x, Expression) and x == 0
