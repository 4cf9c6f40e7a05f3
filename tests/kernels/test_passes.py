"""The few passes that kernels are compiled with give what LLVM's whole pipeline gives, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.description.toml import reader as toml
from lagrangian.kernels.llvm import machine_code, object_cache


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Compiles as `machine_code.compile_object` does, and from when the list has an entry with LLVM's pipeline of level 2."""
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    monkeypatch.setattr(object_cache, "MAX_MODULES", 0)
    ours = machine_code.compile_object
    chosen: list[str] = []

    def compile_object(ir: str, target: Any, *args: Any, **options: Any) -> bytes:
        if not chosen:
            return ours(ir, target, *args, **options)
        chosen.append("integrator" if "@integrate" in ir else "kernel")
        llvm = machine_code.llvm()
        machine, module = machine_code._machine(target, 2), llvm.parse_assembly(ir)
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)

    monkeypatch.setattr(machine_code, "compile_object", compile_object)
    return chosen


@pytest.mark.parametrize("name", ["two_r", "four_bar", "free_body", "rolled"])
def test_the_same_bits(name: str, whole: list[str], request: pytest.FixtureRequest) -> None:
    if name == "rolled":
        request.getfixturevalue("rolled_only")
    mechanism = lg.library("two_r" if name == "rolled" else name)
    rng = np.random.default_rng(1)
    q = np.array(mechanism.initial.q, dtype=float) + 0.01 * rng.normal(size=(33, len(mechanism.coordinate_names)))
    qd, tau = rng.normal(size=(2, 33, mechanism.nv))
    actual = []
    for _ in range(2):
        dyn = lg.compile(mechanism)
        actual.append((dyn.forward_dynamics(q, qd, tau), dyn.inverse_dynamics(q, qd, tau), dyn.mass_matrix(q)))
        whole.append("from now on")
    assert whole.count("kernel") >= 3
    for few, all_ in zip(*actual, strict=True):
        assert np.array_equal(few, all_)


def test_motions_have_the_same_bits(whole: list[str]) -> None:
    text = lg.dumps(lg.library("four_bar"))
    rows = []
    for number in range(2):
        renamed = toml.read_text(text.replace("theta1", f"crank{number}"))  # names are part of what code is kept by
        rows.append(lg.simulate(renamed, 1.0, t_eval=11).q)
        whole.append("from now on")
    assert "integrator" in whole
    assert np.array_equal(*rows)
