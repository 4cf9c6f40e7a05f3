"""Threads that help with one state of a long chain: the same bits, whoever comes, and when."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.kernels.kernel import Kernel, Threads
from lagrangian.kernels.llvm import helpers, target
from lagrangian.kernels.long_chains import helpers as group_helpers
from lagrangian.kernels.long_chains import plan
from lagrangian.kernels.long_chains.program import LongChainForwardDynamics, LongChainInverseDynamics
from lagrangian.kernels.programs.sweeps import TreeProgram
from tests.kernels.test_long_chains import chain
from tests.mechanisms import state

LINKS = 400


@pytest.fixture(scope="module", autouse=True)
def many_groups() -> Iterator[None]:
    """Many groups in a short chain, helpers that are asked every time, and a cache without such code."""
    with pytest.MonkeyPatch.context() as changed:
        for kind in (LongChainForwardDynamics, LongChainInverseDynamics):
            changed.setattr(kind, "cost", plan.Cost(step=100.0, link=60.0, piece=50.0, rest=0.0))
        changed.setattr(plan, "MAX_PIECE_LENGTH", 12)
        changed.setattr(group_helpers, "MAX_PATIENCE", 0)
        changed.setattr(group_helpers, "LOSS_WEIGHT", 0)
        changed.setenv("LAGRANGIAN_CACHE", "off")
        yield


def kernel(algorithm: object, count: int) -> Kernel:
    compiled = Kernel(TreeProgram(algorithm, lg.compile(chain(LINKS)).tree), Threads(count))  # type: ignore[arg-type]
    code = compiled._single_state_code(target.current())
    assert code._gate is not None
    return compiled


def random_state(seed: int) -> tuple[np.ndarray, ...]:
    q, qd, qdd, _ = state(chain(LINKS), seed)
    return q, qd, qdd


@pytest.fixture(scope="module", params=[FORWARD_DYNAMICS, INVERSE_DYNAMICS], ids=["forward", "inverse"])
def kernel_pair(request: pytest.FixtureRequest) -> tuple[Kernel, Kernel]:
    return kernel(request.param, 1), kernel(request.param, 4)


def test_the_same_bits(kernel_pair: tuple[Kernel, Kernel]) -> None:
    alone, helped = kernel_pair
    for seed in range(3):
        x = random_state(seed)
        expected = alone(*x)
        for _ in range(30):
            assert np.array_equal(helped(*x), expected)


def test_helpers_take_part(kernel_pair: tuple[Kernel, Kernel]) -> None:
    """Of a job that has begun, at least one helper does something, some time; else nothing here would be tested."""
    _, helped = kernel_pair
    actual = helpers.start_helpers(3, target.current())
    if actual is None:
        pytest.skip("the C library has no semaphores without names")
    before = helped._threads.helper_gate().copy()
    helped._threads.helper_gate()[:] = actual.ctypes.data, 3
    done = actual[helpers.HEADER_WORDS + helpers.DONE :: helpers.HELPER_WORDS]
    done[:] = -1  # as of helpers that did not come in time
    x = random_state(1)
    for _ in range(500):
        helped(*x)
        if (done == 1).any():
            break
    helped._threads.helper_gate()[:] = before
    assert (done == 1).any()
    assert actual[helpers.BUSY] == 0


def test_several_callers_at_once(kernel_pair: tuple[Kernel, Kernel]) -> None:
    """Helpers serve one of them; the others do all by themselves."""
    alone, helped = kernel_pair
    states = [random_state(seed) for seed in range(6)]
    expected = [alone(*x) for x in states]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(10):
            for a, b in zip(expected, pool.map(lambda x: helped(*x), states), strict=True):
                assert np.array_equal(a, b)


def test_angles_that_are_too_large_are_reported_by_any_thread(kernel_pair: tuple[Kernel, Kernel]) -> None:
    alone, helped = kernel_pair
    for place in (0, 150, LINKS - 1):
        q, qd, x = random_state(2)
        q[place] += 2e9
        assert np.array_equal(helped(q, qd, x), alone(q, qd, x))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_no_helpers(kernel_pair: tuple[Kernel, Kernel]) -> None:
    alone, helped = kernel_pair
    x = random_state(4)
    expected = alone(*x)
    helped(*x)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=lambda: queue.put(helped(*x)))
    child.start()
    assert np.array_equal(queue.get(timeout=60), expected)
    child.join(60)
    assert child.exitcode == 0


def test_a_run_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.full(LINKS, 0.01)
    ends = []
    for count in (1, 4):
        monkeypatch.setattr("lagrangian.motion.system.large._threads", lambda count=count: THREADS[count])
        ends.append(lg.simulate(chain(LINKS), 0.002, q, t_eval=2).q[-1])
    assert np.array_equal(*ends)


THREADS = {1: Threads(1), 4: Threads(4)}
