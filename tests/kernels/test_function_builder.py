"""Programs written with the builder, compiled and run, against the same computed in Python."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from lagrangian.kernels.llvm import machine_code, target
from lagrangian.kernels.llvm.ir import DOUBLE, INTEGER, TRUTH, Array, FunctionBuilder, Value

NUMBERS = [-3.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 7.25]
WHOLE = [-7, -2, -1, 0, 1, 3, 5]


class Compiled:
    """A function of arrays: x (doubles in), n (integers in), y (doubles out), m (integers out)."""

    def __init__(self, write: Callable[..., None], fma: bool | None = None, extra: list[FunctionBuilder] | None = None) -> None:
        chosen = target.current()
        self.declared: set[str] = set()
        b = FunctionBuilder("run", ["x", "n", "y", "m"], self.declared, chosen.fma if fma is None else fma)
        helpers = [] if extra is None else extra
        for helper in helpers:
            helper.declared = self.declared
        write(b, b.array("x"), b.array("n", INTEGER), b.array("y"), b.array("m", INTEGER))
        lines = [line for helper in helpers for line in helper.text()] + b.text()
        self.ir = "\n".join([*lines, *sorted(self.declared)])
        self.code = machine_code.LoadedCode(machine_code.compile_object(self.ir, chosen, 2), chosen)
        self.function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 4)(self.code.address("run"))

    def __call__(self, x: object = (), n: object = (), size: int = 64) -> tuple[int, np.ndarray, np.ndarray]:
        arguments = np.array([*x, 0.0]), np.array([*n, 0], dtype=np.int64)  # type: ignore[misc]
        y, m = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
        status = self.function(*(a.ctypes.data for a in (*arguments, y, m)))
        return status, y, m


REAL: list[Callable[..., object]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b + 100.0),
    lambda a, b: 2 + a,
    lambda a, b: 2 - a,
    lambda a, b: 3.0 * a,
    lambda a, b: 1 / (b + 100.0),
    lambda a, b: -a,
    lambda a, b: a - 0.1,
]
COMPARISONS: list[Callable[..., object]] = [
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
]


def test_arithmetic_rounds_as_numpy_does() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        for k, f in enumerate(REAL):
            y[k] = f(x[0], x[1])
        b.return_status(0)

    run = Compiled(write)
    for a, c in itertools.product(NUMBERS, NUMBERS):
        _, y, _ = run([a, c])
        assert y[: len(REAL)].tolist() == [f(a, c) for f in REAL]


def test_whole_numbers() -> None:
    """Division goes towards zero, as C's does."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        p, q = n[0], n[1]
        for k, value in enumerate((p + q, p - q, 5 - p, p * q, p / q, 100 / q, -p, p * 3 + 1)):
            m[k] = value
        y[0], y[1] = b.to_double(p), b.to_double(q) / 2.0
        m[8], m[9] = b.to_integer(x[0]), b.to_integer(b.to_double(p) * 2.5)
        b.return_status(0)

    run = Compiled(write)
    for p, q in itertools.product(WHOLE, [w for w in WHOLE if w]):
        _, y, m = run([-2.75], [p, q])
        assert m[:8].tolist() == [p + q, p - q, 5 - p, p * q, int(p / q), int(100 / q), -p, p * 3 + 1]
        assert y[:2].tolist() == [p, q / 2]
        assert m[8:10].tolist() == [-2, int(p * 2.5)]


def test_comparisons_are_those_of_python() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        place = 0
        for one, other in ((x[0], x[1]), (n[0], n[1])):
            for condition in (*(f(one, other) for f in COMPARISONS), one.equals(other), one.differs(other), one < 1):
                m[place] = b.select(condition, 1, 0, INTEGER)
                place += 1
        b.return_status(0)

    run = Compiled(write)

    def expected_bits(p: float, q: float) -> list[int]:
        return [int(v) for v in (p < q, p <= q, p > q, p >= q, p == q, p != q, p < 1)]

    for (a, c), (p, q) in zip(itertools.product(NUMBERS, NUMBERS), itertools.cycle(itertools.product(WHOLE, WHOLE))):
        assert run([a, c], [p, q])[2][:14].tolist() == expected_bits(a, c) + expected_bits(p, q)
    # nothing is less, greater or equal to NaN; it differs even from itself
    assert run([math.nan, 1.0], [0, 0])[2][:7].tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert run([math.nan, math.nan], [0, 0])[2][4:6].tolist() == [0, 1]


def test_logical_operations_are_those_of_python() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        p, q = x[0] > 0, x[1] > 0
        for k, condition in enumerate((p & q, p | q, ~p, p & ~q, p & True, p | False, ~(p | q))):
            m[k] = b.select(condition, 1, 0, INTEGER)
        b.return_status(0)

    run = Compiled(write)
    for p, q in itertools.product((True, False), (True, False)):
        expected = [p and q, p or q, not p, p and not q, p, p, not (p or q)]
        assert run([2 * p - 1, 2 * q - 1])[2][:7].tolist() == [int(w) for w in expected]


def test_functions_are_those_of_numpy() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        a, c = x[0], x[1]
        values = (b.absolute(a), b.maximum(a, c), b.minimum(a, c), b.sqrt(b.absolute(a)), b.maximum(a, 0.25), b.power(3.0, 0.7))
        for k, value in enumerate(values):
            y[k] = value
        y[6] = b.power(b.absolute(a) + 0.5, -0.3)
        y[7] = b.select(a < c, a, 10)
        b.return_status(0)

    run = Compiled(write)
    for a, c in itertools.product(NUMBERS, NUMBERS):
        expected = [abs(a), max(a, c), min(a, c), math.sqrt(abs(a)), max(a, 0.25), 3.0**0.7, (abs(a) + 0.5) ** -0.3]
        actual, expected = run([a, c])[1][:8], np.array([*expected, a if a < c else 10.0])
        exact = ~np.isin(np.arange(8), (5, 6))
        np.testing.assert_allclose(actual[exact], expected[exact], rtol=1e-15)
        np.testing.assert_allclose(actual[~exact], expected[~exact], rtol=1e-9)  # powers, which step sizes are made of
    # where one is not a number, the other is the larger, and the smaller
    assert run([math.nan, 2.0])[1][1:3].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("fma", [False, True])
def test_a_fused_product_rounds_once(fma: bool) -> None:
    """One rounding where the processor has the instruction, two where not."""
    if fma and not target.current().fma:
        pytest.skip("this processor has no fused multiply-add")

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        y[0] = b.fma(x[0], x[0], -1.0)
        y[1] = b.scaled_combination(x[1], [(0.5, x[0]), (0.0, x[2]), (-2.0, x[1])], x[2])
        y[2] = b.scaled_combination(x[1], [], x[2])
        b.return_status(0)

    e = 2.0**-30
    _, y, _ = Compiled(write, fma)([1 + e, 0.375, 8.0])
    assert y[0] == (2 * e + e * e if fma else 2 * e)
    assert y[1] == pytest.approx(0.375 + 8 * (0.5 * (1 + e) - 0.75), rel=1e-15)
    assert y[2] == 0.375


def test_variables_and_arrays() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        v = b.variable(1.5)
        v.set(v.get() * 2 + x[0])
        y[0] = v  # a variable stands for its value
        place = b.local_array(3)
        place[0], place[n[0]] = 10.0, x[1]
        tail = place.offset(1)
        y[1], y[2] = place[0], tail[n[0] - 1]
        back = y.offset(n[0]).offset(2)
        back[0] = 42
        count = b.variable(3, INTEGER)
        count.set(count.get() * n[0])
        m[count.get() - 5] = 9
        flag = b.variable(False, TRUTH)
        flag.set(x[0] > 1)
        m[2] = b.select(flag.get(), 1, 0, INTEGER)
        b.copy(x, y.offset(8), 2)
        b.copy(y.offset(8), y.offset(10), 30)  # long enough for a loop
        b.return_status(0)

    _, y, m = Compiled(write)([4.0, 7.0], [2])
    assert y[:3].tolist() == [7.0, 10.0, 7.0]
    assert y[4] == 42
    assert m[1:3].tolist() == [9, 1]
    assert y[10:12].tolist() == [4.0, 7.0]


def test_a_loop_runs_until_its_condition_fails() -> None:
    """Newton's method for a root; the steps taken are counted."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        z, steps = b.variable(x[0]), b.variable(0, INTEGER)
        with b.while_loop(lambda: b.absolute(z.get() * z.get() - x[0]) > 1e-12 * x[0]):
            z.set(0.5 * (z.get() + x[0] / z.get()))
            steps.set(steps.get() + 1)
        y[0], m[0] = z, steps
        b.return_status(7)

    run = Compiled(write)
    for a in (2.0, 3.0, 1e6, 1.0):
        z, steps = a, 0
        while abs(z * z - a) > 1e-12 * a:
            z, steps = 0.5 * (z + a / z), steps + 1
        status, y, m = run([a])
        assert (status, y[0], m[0]) == (7, z, steps)


def test_loop_left_early() -> None:
    """The first negative entry; what is behind it is not looked at."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        k, actual = b.variable(0, INTEGER), b.variable(-1, INTEGER)
        with b.while_loop(lambda: k.get() < n[0]) as leave:
            with b.if_then(x[k.get()] < 0):
                actual.set(k.get())
                leave()
            k.set(k.get() + 1)
        m[0], m[1] = actual, k
        b.return_status(0)

    run = Compiled(write)
    for values in ([1.0, 2.0, -1.0, 5.0, -2.0], [-1.0], [1.0, 2.0], []):
        expected = next((k for k, v in enumerate(values) if v < 0), -1)
        assert run(values, [len(values)])[2][:2].tolist() == [expected, expected if expected >= 0 else len(values)]


def test_nested_loops() -> None:
    """A product of matrices, and one over a triangle: inner bounds that follow the outer index."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        size = n[0]
        other = x.offset(size * size)
        with b.for_range(size) as i, b.for_range(size) as j:
            total = b.variable(0.0)
            with b.for_range(size) as k:
                total.set(total.get() + x[i * size + k] * other[k * size + j])
            y[i * size + j] = total
        pairs = b.variable(0, INTEGER)
        with b.for_range(size) as i, b.for_range(size, i + 1) as j, b.if_then((i + j).differs(3)):
            pairs.set(pairs.get() + i * 10 + j)
        m[0] = pairs
        b.return_status(0)

    run = Compiled(write)
    rng = np.random.default_rng(0)
    for size in (1, 2, 5):
        A, B = rng.integers(-5, 5, size=(2, size, size)).astype(float)
        _, y, m = run([*A.ravel(), *B.ravel()], [size])
        assert np.array_equal(y[: size * size].reshape(size, size), A @ B)
        assert m[0] == sum(10 * i + j for i in range(size) for j in range(i + 1, size) if i + j != 3)
    _, y, m = run([], [0])  # nothing is done for nothing
    assert np.isnan(y).all()
    assert m[0] == 0


@pytest.mark.parametrize("count", [0, 1, 24, 25, 60])
def test_short_loops_are_unrolled_with_the_same_result(count: int) -> None:
    """Written out or as a loop, it is the same."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        b.for_each(count, lambda i: y.__setitem__(i, b.to_double(b.value(i, INTEGER)) * x[0]))
        b.return_status(count)

    run = Compiled(write)
    status, y, _ = run([0.5])
    assert status == count
    assert y[:count].tolist() == [0.5 * i for i in range(count)]
    assert np.isnan(y[count:]).all()
    assert ("br i1" in run.ir) == (count > 24)


def test_branches_choose_as_python_does() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        result = b.variable(0.0)

        def positive() -> None:
            b.if_else(x[1] > 0, lambda: result.set(1), lambda: result.set(2))

        def negative() -> None:
            result.set(3)
            with b.if_then(x[1] > 0):
                result.set(result.get() + 1)

        b.if_else(x[0] > 0, positive, negative)
        y[0] = result
        with b.if_then(x[0] > 100), b.if_then(x[1] > 100):
            y[0] = -1.0
        b.return_status(0)

    run = Compiled(write)
    for a, c in itertools.product((1.0, -1.0, 200.0), (1.0, -1.0, 200.0)):
        expected = (1 if c > 0 else 2) if a > 0 else (4 if c > 0 else 3)
        assert run([a, c])[1][0] == (-1 if a > 100 and c > 100 else expected)


def test_early_return() -> None:
    """From branches, from within loops, and after them."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        y[0] = 0.0
        with b.if_then(n[0] < 0):
            b.return_status(-1)
        with b.for_range(n[0]) as i, b.for_range(n[0]) as j:
            y[0] = y[0] + 1
            with b.if_then(i * j >= n[1]):
                b.return_status(i * 100 + j)
        b.if_else(n[1] > 1000, lambda: b.return_status(1), lambda: y.__setitem__(0, -y[0]))
        b.return_status(2)

    run = Compiled(write)

    def plain(n: int, most: int) -> tuple[int, float]:
        count = 0.0
        if n < 0:
            return -1, count
        for i, j in itertools.product(range(n), range(n)):
            count += 1
            if i * j >= most:
                return i * 100 + j, count
        return (1, count) if most > 1000 else (2, -count)

    for n, most in itertools.product((-3, 0, 1, 3, 6), (0, 1, 4, 20, 5000)):
        status, y, _ = run([], [n, most])
        assert (status, y[0]) == plain(n, most)


def test_both_branches_return() -> None:
    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        b.if_else(x[0] > 0, lambda: b.return_status(1), lambda: b.return_status(2))
        b.return_status(3)  # never reached

    run = Compiled(write)
    assert [run([v])[0] for v in (1.0, -1.0)] == [1, 2]


def test_functions_of_the_module() -> None:
    """An internal function that returns nothing, and a C function by its address."""
    helper = FunctionBuilder("add_up", ["values", "total"], set(), False, internal=True)
    values, total = helper.array("values"), helper.array("total")
    with helper.if_then(values[0] < 0):
        helper.return_status()
    total[0] = values[0] + values[1]
    helper.return_status()
    seen = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda at: seen.append(ctypes.c_double.from_address(at).value))
    address = ctypes.cast(callback, ctypes.c_void_p).value

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        b.call("add_up", x, y.offset(1))
        b.call_pointer(n, y.offset(1))
        b.return_status(0)

    run = Compiled(write, extra=[helper])
    assert run([2.0, 3.5], [address])[1][1] == 5.5
    assert seen == [5.5]
    assert np.isnan(run([-2.0, 3.5], [address])[1][1])


def test_memory_is_taken_once() -> None:
    """Within a loop a local array and a variable are the same place every time: the stack does not grow."""

    def write(b: FunctionBuilder, x: Array, n: Array, y: Array, m: Array) -> None:
        total = b.variable(0.0)
        with b.for_range(n[0]) as i:
            place, v = b.local_array(1000), b.variable(b.to_double(i))
            place[i - (i / 1000) * 1000] = v.get()
            total.set(total.get() + place[i - (i / 1000) * 1000])
        y[0] = total
        b.return_status(0)

    count = 1_000_000
    assert Compiled(write)([], [count])[1][0] == count * (count - 1) / 2


def test_values_know_their_type() -> None:
    b = FunctionBuilder("f", [], set(), False)
    assert [b.value(x, kind).type for x, kind in ((1, DOUBLE), (True, TRUTH), (2, INTEGER))] == [DOUBLE, TRUTH, INTEGER]
    assert b.value(0.1, DOUBLE).text == "0x3FB999999999999A"
    value = b.value(3, INTEGER)
    assert b.value(value, DOUBLE) is value
    assert isinstance(value + 1, Value)
    assert (value + 1).type == INTEGER
    assert (value < 4).type == TRUTH
