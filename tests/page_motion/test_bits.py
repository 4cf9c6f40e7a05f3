"""A page has the bits of native code: every call of `integrate` in WebAssembly is made again in code for SSE2."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from lagrangian.kernels.llvm import machine_code, target
from lagrangian.motion.solver import places
from lagrangian.motion.solver.text import effort
from lagrangian.page_motion import compile_page
from lagrangian.page_motion.controllers import control_law
from lagrangian.page_motion.inputs import select_inputs
from lagrangian.page_motion.module import PageModuleWriter
from lagrangian.page_motion.subject import as_page_motion
from tests.page_motion.motions import motion
from tests.page_motion.node import reals, run
from tests.page_motion.test_motion import CHANGES, SLIDERS

pytestmark = pytest.mark.skipif(not target.is_x86(), reason="SSE2 is of Intel's family of processors")


class Native:
    """The same text, compiled for SSE2, with arrays of its own."""

    def __init__(self, name: str, plan: dict) -> None:
        subject = as_page_motion(motion(name))
        law = control_law(subject)
        text, _ = PageModuleWriter(subject, law, select_inputs(subject, law, SLIDERS[name])).write_module(fma=False)
        chosen_ = target._select_target("sse2")
        self.code = machine_code.LoadedCode(
            machine_code.compile_object(text, chosen_, effort(text), machine_code.UNROLLING_PASSES), chosen_
        )
        self.integrate = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(places.LOOP_ARGUMENTS))(
            self.code.address("integrate")
        )
        self.plan, n, rows = plan, plan["nq"] + plan["nv"], plan["rows"]
        grid = np.linspace(plan["t0"], plan["end"], rows)
        self.rows = np.zeros((rows, n))
        self.others = {"grid": grid, "rows": self.rows, "steps": np.zeros(n + 2), "dense": np.zeros(n * plan["degree"])}
        self.others["found"] = np.zeros(plan["max_events"] * (n + 2))

    def again(self, call: dict) -> tuple[int, dict[str, np.ndarray]]:
        before = {name: reals(text, np.int64 if name in ("c", "kinds") else float) for name, text in call["before"].items()}
        numbers = reals(call["numbers"])
        before["u"].view(np.int64)[self.plan["u"]["numbers"]] = numbers.ctypes.data
        arrays = {**self.others, **before}
        status = self.integrate(*(arrays[name].ctypes.data for name in places.LOOP_ARGUMENTS))
        return status, before


@pytest.mark.parametrize("name", ["two_r", "four_bar", "puma560", pytest.param("stewart", marks=pytest.mark.slow)])
def test_bits_are_those_of_native_code(name, tmp_path):
    page = compile_page(motion(name), SLIDERS[name])
    native = Native(name, page.plan)
    for answer in run(page, tmp_path, {}, *(change for change, _ in CHANGES[name]), calls=True):
        assert answer.calls
        for call in answer.calls:
            status, after = native.again(call)
            assert status == call["status"]
            for part in ("s", "c", "y", "kinds"):
                expected = reals(call["after"][part], np.int64)
                assert np.array_equal(after[part].view(np.int64), expected), part
            filled = int(after["c"][places.ROW])
            expected = reals(call["after"]["rows"], np.int64).reshape(native.rows.shape)
            first = int(reals(call["before"]["c"], np.int64)[places.ROW])
            assert np.array_equal(native.rows[first:filled].view(np.int64), expected[first:filled])
