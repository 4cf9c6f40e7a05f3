"""What compiled code reads outlives the call that hands over its address."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.solver.solver import Solver


def test_the_count_of_states_is_alive_while_compiled_code_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    function = Solver._function

    def function_after_allocations(self: Solver, name: str, pointers: int) -> Any:
        compiled = function(self, name, pointers)
        if name != "responses":
            return compiled

        def call(*addresses: int) -> int:
            # another thread of the program would do this: numpy hands out again at once what was freed
            others = [np.array([123456789]) for _ in range(100)]
            counts.append(ctypes.c_int64.from_address(addresses[0]).value)
            assert len(others) == 100
            return compiled(*addresses) if counts[-1] == 1 else 0

        return call

    monkeypatch.setattr(Solver, "_function", function_after_allocations)
    lg.simulate(lg.library("puma560"), 0.01, t_eval=2)  # dry friction: the run asks what the arm answers as it starts
    assert counts
    assert set(counts) == {1}
