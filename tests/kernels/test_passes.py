"""The few passes that kernels are compiled with give what LLVM's whole pipeline gives, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.description.toml import reader as toml
from lagrangian.kernels.llvm import jit


@pytest.mark.parametrize("name", ["two_r", "four_bar", "free_body"])
def test_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    compiled: list[tuple[str, ...]] = []
    real = jit.compile_object

    def told(*args: Any, passes: tuple[str, ...] = (), **options: Any) -> bytes:
        compiled.append(passes)
        return real(*args, passes=passes, **options)

    monkeypatch.setattr(jit, "compile_object", told)
    mechanism = lg.library(name)
    rng = np.random.default_rng(1)
    q = np.array(mechanism.initial.q, dtype=float) + 0.01 * rng.normal(size=(33, len(mechanism.coordinate_names)))
    qd, tau = rng.normal(size=(2, 33, mechanism.nv))
    found = []
    for passes in (jit.STRAIGHT_LINE, ()):
        monkeypatch.setattr(jit, "STRAIGHT_LINE", passes)
        dyn = lg.compile(mechanism)
        found.append((dyn.forward_dynamics(q, qd, tau), dyn.inverse_dynamics(q, qd, tau), dyn.mass_matrix(q)))
    assert set(compiled) == {("sroa", "instruction_combine", "simplify_cfg"), ()}
    assert compiled.count(()) >= 3
    for ours, whole in zip(*found, strict=True):
        assert np.array_equal(ours, whole)


def test_motions_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an integrator the loops over coordinates are unrolled too."""
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    text = lg.dumps(lg.library("four_bar"))
    rows, solvers = [], []
    real = jit.compile_object

    def told(ir: str, *args: Any, passes: tuple[str, ...] = (), **options: Any) -> bytes:
        if "@integrate" in ir:
            solvers.append(passes)
        return real(ir, *args, passes=passes, **options)

    monkeypatch.setattr(jit, "compile_object", told)
    for number, passes in enumerate((jit.SHORT_LOOPS, ())):
        monkeypatch.setattr(jit, "SHORT_LOOPS", passes)
        renamed = toml.parse(text.replace("theta1", f"crank{number}"))  # names are part of what code is kept by
        rows.append(lg.simulate(renamed, 1.0, t_eval=11).q)
    assert solvers == [
        ("sroa", "loop_simplify", "lcssa", "loop_rotate", "loop_unroll", "instruction_combine", "simplify_cfg"),
        (),
    ]
    assert np.array_equal(*rows)
