"""The bounds hold because of each of their parts: one that is left out is caught by a motion that is known."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import pytest
from flint import arb, arb_mat, fmpq

from lagrangian.motion.torque import Torque
from lagrangian.validated_integration import integrate, tape, tube
from lagrangian.validated_integration.balls import working_precision
from lagrangian.validated_integration.bounds import BOUND_BITS, Sector
from lagrangian.validated_integration.error_set import ErrorSet
from lagrangian.validated_integration.first_order_system import FirstOrderSystem
from lagrangian.validated_integration.integrate import EnclosedState, TaylorIntegration, TooFewBits
from tests.validated_integration.exact import DIGITS, fraction, known_motions, pendulum

BITS = 160
TRUTH = known_motions()["pendulum"].at


def run(monkeypatch: pytest.MonkeyPatch, order: int, radius: float = 0.0, start: str = "2.5") -> EnclosedState:
    """The pendulum after half a second, with steps that are long for their order, so that what they leave out is to be seen."""

    def length(self: TaylorIntegration, disc: Any, M: list[Any]) -> fmpq:
        return fmpq(int(float(disc) * 0.2 * 1024), 1024)

    monkeypatch.setattr(TaylorIntegration, "_step_length", length)
    equations = FirstOrderSystem(pendulum(), Torque())
    with working_precision(BITS):
        begin = EnclosedState(fmpq(0), [arb(start), arb(0)], ErrorSet.from_radii([arb(radius), arb(0)]))
        going = TaylorIntegration(equations, BITS, begin)
        going.order = order
        return going.integrate_to(fmpq(1, 2), lambda tube: None, lambda t: None)


def inside(actual: EnclosedState) -> bool:
    with mp.workdps(DIGITS), working_precision(BITS + 100):
        q, qd = TRUTH(mp.mpf("0.5"))
        truth = [arb(str(x)) for x in (*q, *qd)]
        return all(ball.contains(x.mid()) for ball, x in zip(actual.balls, truth, strict=True))


def test_what_a_low_order_leaves_out_is_in_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, order=24)
    assert inside(result)
    with working_precision(BOUND_BITS):
        assert 1e-20 < float(result.errors.box[0]) < 1e-12


def test_without_the_remainder_the_truth_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrate, "defect_bounds", lambda known, M, radius, h: [arb(0)] * len(M))
    assert not inside(run(monkeypatch, order=24))


def test_without_cauchys_estimate_the_truth_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = integrate.defect_bounds
    monkeypatch.setattr(integrate, "defect_bounds", lambda known, M, radius, h: true(known, [arb(0)] * len(M), radius, h))
    assert not inside(run(monkeypatch, order=24))


def test_a_wrong_polynomial_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """How the polynomial was found does not matter: bounds are wider, and still hold."""
    true = integrate.taylor_polynomial

    def wrong(*given: Any) -> Any:
        y = true(*given)
        y[0][5] += arb(2) ** -50
        return y

    monkeypatch.setattr(integrate, "taylor_polynomial", wrong)
    assert inside(run(monkeypatch, order=60))


def test_without_the_known_defect_a_wrong_polynomial_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = integrate.defect_bounds
    nothing = [[arb(0)] * 60 for _ in range(2)]
    monkeypatch.setattr(integrate, "defect_bounds", lambda known, M, radius, h: true(nothing, M, radius, h))
    test_a = integrate.taylor_polynomial

    def wrong(*given: Any) -> Any:
        y = test_a(*given)
        y[0][5] += arb(2) ** -50
        return y

    monkeypatch.setattr(integrate, "taylor_polynomial", wrong)
    assert not inside(run(monkeypatch, order=60))


def test_errors_of_the_start_grow_as_they_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds of a start that is not known to the last digit hold the motions from both its ends."""
    wide = run(monkeypatch, order=60, radius=1e-12, start="2.500000000001")
    assert inside(wide)
    assert inside(run(monkeypatch, order=60, radius=1e-12, start="2.499999999999"))
    monkeypatch.setattr(tube.Tube, "propagate_errors", lambda self, errors, defect, growth: errors)
    assert not inside(run(monkeypatch, order=60, radius=1e-12, start="2.500000000001"))


def test_a_wrong_sine_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    true = tape._plan

    def swap_sine(nodes: Any, chosen: Any) -> Any:
        return [(f, b, a, k) if f is None else (f, k, a, b) for f, k, a, b in true(nodes, chosen)]

    monkeypatch.setattr(tape, "_plan", swap_sine)
    with pytest.raises(TooFewBits):  # the polynomial that was found does not solve the equations
        run(monkeypatch, order=60)


@pytest.mark.parametrize("inner", [0, 0.5])
def test_discs_cover_their_sectors(inner: float) -> None:
    from fractions import Fraction as F

    sector = Sector(F(inner), F(1), F(1, 3), F(5, 8))
    with working_precision(BOUND_BITS):
        z, size, reach = sector.disc(arb(2))
        assert abs(abs(z) - size) < 1e-15
        for r in (sector.inner, F(7, 10), sector.outer):
            for angle in (sector.first, F(1, 2), sector.last):
                s, c = arb.sin_cos_pi_fmpq(fmpq(angle.numerator, angle.denominator))
                point = 2 * arb(fmpq(r.numerator, r.denominator))
                assert ((point * c - z.real) ** 2 + (point * s - z.imag) ** 2).sqrt() < reach * (1 + arb(2) ** -50)


def test_a_set_of_errors_holds_what_is_moved() -> None:
    with working_precision(BOUND_BITS):
        errors = ErrorSet(arb_mat([[0.6, -0.8], [0.8, 0.6]]), [arb(1e-9), arb(1e-3)])
        A = arb_mat([[2, 1], [arb(0, 0.01), 0.5]])
        moved = errors.propagate(A, [arb(1e-6), arb(0)])
        for x in (-1e-9, 1e-9):
            for y in (-1e-3, 1e-3):
                for entry in (-0.01, 0.01):
                    e = arb_mat([[2, 1], [entry, 0.5]]) * (errors.Q * arb_mat([[x], [y]])) + arb_mat([[1e-6], [0]])
                    inside = (moved.Q.inv() * e).entries()
                    assert all(abs(c) < r * (1 + arb(2) ** -40) for c, r in zip(inside, moved.r, strict=True))


def test_numbers_of_mpmath_are_read_exactly() -> None:
    with mp.workdps(50):
        assert fraction(mp.mpf("-0.375")) == -3 / 8
