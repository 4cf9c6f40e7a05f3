"""A wrong sign anywhere in what solves many loops from link to link, or decides the order of an elimination, is caught.

As in `test_mutations`: the source is altered in one place at a time. The solutions, in plain Python, are compared with dense
algebra in numpy, and structures with the factors of dense matrices that have them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import lagrangian as lg
from lagrangian.algorithms.constraints import articulated, cholesky, elimination_order
from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.algorithms.tree import build_tree
from tests.algorithms.test_mutations import Compared, altered_copy, not_caught, places, same
from tests.mechanisms import random_mechanism
from tests.mechanisms import state as state_of
from tests.motion.test_many_loops import TURNED, dense, ring, rope, spatial, state_at, tower

# lines, with the one after, that are not altered, and why
LEFT_OUT = {
    "coordinate - 3": "clears what is zero but for rounding: it saves operations, and changes no result",
    "if coordinate < 3": "the same",
    "ROUNDING_TOLERANCE**2 * unlocked_inverse": "such a row is only rounding: `BlockLDL` has a floor for loops with other rows",
}


def of_several_kinds() -> tuple[lg.Mechanism, np.ndarray]:
    """A chain of joints that turn, slide and do both, one of whose loops reaches the ground."""
    kinds = ["helical", "prismatic", "revolute", "ball", "prismatic", "helical", "revolute", "cam", "prismatic"]
    chain = random_mechanism(kinds, 4, chain=True)
    q, _, _, _ = state_of(chain, 2)
    first, last = (lg.compile(chain).pose(q, name) for name in ("b1", "b6"))
    there = lg.Transform(position=tuple((np.linalg.inv(first) @ last)[:3, 3].tolist()))
    tip = lg.Transform(position=tuple(lg.compile(chain).pose(q, "b8")[:3, 3].tolist()))
    loops = [
        lg.LoopJoint("inner", "ball", "b1", "b6", there),
        lg.LoopJoint("tip", "point", "ground", "b8", tip, directions=("x",)),
    ]
    return chain.replace(loops=loops), q


@cache
def cases() -> list[tuple[MechanismState, MechanismState, tuple[int, ...], np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """States with all slopes and without those of joints that carry a loop; what is held; right sides and solutions."""
    rng = np.random.default_rng(3)
    results = []
    shafts = tower([-1, 0, 1, 1])[0]
    shafts = shafts.replace(joints=[replace(j, rotor=lg.Rotor(0.3, 2.0)) for j in shafts.joints])
    for value, start in (
        (spatial(3), None),
        ring(9),
        rope(6, 0.3),
        tower([-1, 0, 1, 0]),
        (shafts, tower([-1, 0, 1, 1])[1]),
        of_several_kinds(),
    ):
        mechanism = value.replace(loops=tuple(value.loops[k] for k in rng.permutation(len(value.loops))))
        q, n = lg.assemble(mechanism, start), mechanism.nv
        qd, force, gamma = rng.normal(size=n), rng.normal(size=n), rng.normal(size=mechanism.equation_count)
        state, relative = (state_at(mechanism, q, qd, x) for x in (False, True))
        for held in ((), (1,), (n - 2,)):
            free = np.array([k not in held for k in range(n)])
            results.append((state, relative, held, force, gamma, *dense(state, force, gamma, free)))
    return results


def wrong_accelerations(module: types.ModuleType) -> Iterator[str]:
    for state, relative, held, force, gamma, qdd, multipliers in cases():
        n = state.tree.nv
        holding = {k: float(k in held) for k in {*held, 2 % n}} if held else {}
        system = module.ArticulatedConstraints(relative, relative.rows, False, holding)
        x, solved_multipliers, holds = (
            np.array(part, dtype=float) for part in system.acceleration(force.tolist(), gamma.tolist())
        )
        if not same(x, qdd, 1e-9):
            yield "accelerations"
        if not same(solved_multipliers, multipliers, 1e-9):
            yield "multipliers"
        M = np.array(state.mass_matrix, dtype=float).reshape(n, n)
        psi = np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in state.rows])
        if not same(M @ x, force + psi.T @ solved_multipliers + holds, 1e-9):
            yield "what holds"
        if not same(psi @ np.array(system.correction(gamma.tolist())), -gamma, 1e-9):
            yield "correction"
        if not 0 < system.ratio <= 1:
            yield "ratio"


@cache
def askew() -> tuple[MechanismState, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Redundant rows, of revolute loops in a plane across no axis."""
    mechanism, q0 = tower([-1, 0, 1, 1], "revolute", TURNED)
    rng, n = np.random.default_rng(0), mechanism.nv
    state, relative = (state_at(mechanism, np.array(q0), np.zeros(n), x) for x in (False, True))
    psi = np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in state.rows])
    M = np.array(state.mass_matrix, dtype=float).reshape(n, n)
    return relative, M, psi, rng.normal(size=n), psi @ rng.normal(size=n)


def wrong_where_redundant(module: types.ModuleType) -> Iterator[str]:
    relative, M, psi, force, gamma = askew()
    places = [k for k, row in enumerate(relative.rows) if row.psi]
    system = module.ArticulatedConstraints(relative, relative.rows, True)
    x, multipliers, _ = (np.array(part, dtype=float) for part in system.acceleration(force.tolist(), gamma[places].tolist()))
    if not same(psi @ x, -gamma, 1e-8) or not same(M @ x, force + psi[places].T @ multipliers, 1e-8):
        yield "redundant rows"
    rounding = [np.abs(psi[k]).max() < 1e-12 for k in places]
    if not any(rounding) or multipliers[rounding].any():
        yield "rows that are rounding alone"
    if not system.ratio > 1e-6:
        yield "ratio of those that are kept"


def wrong_choices(module: types.ModuleType) -> Iterator[str]:
    """Which mechanisms are solved so, and on which link each loop stands."""
    chosen = [(tower([-1, *range(9)])[0], True), (rope(40, 0.1)[0], True), (rope(20, 0.1)[0], False), (spatial(2), False)]
    for mechanism, expected in [*chosen, (lg.library("stewart"), False), (tower([-1] * 9)[0], False)]:
        if module.prefers_articulated_bodies(mechanism, build_tree(mechanism)) != expected:
            yield f"whether {mechanism.name} is"
    mechanism, _ = tower([-1, 0, 1, 1, 0])
    tree, state = build_tree(mechanism), state_at(mechanism, np.zeros(15), np.zeros(15), True)
    stands = {f"closure{k}": tree.body_places[f"coupler{on}"][0] if on >= 0 else -1 for k, on in enumerate([-1, 0, 1, 1, 0])}
    result = module.loop_rows_by_link(tree, [(row.name, row.psi) for row in state.rows])
    for link, rows in result.items():
        if {stands[state.rows[r].name.rpartition(".")[0]] for r in rows} != {link}:
            yield "on which link a loop stands"
    if sorted(r for rows in result.values() for r in rows) != list(range(len(state.rows))) or list(result)[-1] != -1:
        yield "rows of all loops, those on the ground last"


def patterns() -> Iterator[np.ndarray]:
    """Symmetric structures: with few entries, in parts, and a star whose middle comes first."""
    rng = np.random.default_rng(1)
    for n, density in ((6, 0.2), (9, 0.15), (12, 0.1), (8, 0.3)) * 6:
        A = rng.uniform(size=(n, n)) < density
        yield A | A.T | np.eye(n, dtype=bool)
    star = np.eye(7, dtype=bool)
    star[0] = star[:, 0] = True
    yield star


def matrix_structure(A: np.ndarray) -> np.ndarray:
    """The structure of L + L^T by numpy, of a matrix in which nothing cancels: all that is beside its diagonal is negative."""
    L = np.linalg.cholesky(np.where(np.eye(len(A), dtype=bool), 1.0 * len(A), np.where(A, -1.0, 0.0)))
    return (L != 0) | (L.T != 0)


def sets(A: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) - {k} for k, row in enumerate(A)]


def fill(A: np.ndarray, order: list[int]) -> int:
    return int((np.tril(matrix_structure(A[np.ix_(order, order)]), -1).sum(axis=0) ** 2).sum())


def wrong_orders(module: types.ModuleType) -> Iterator[str]:
    for A in patterns():
        n, shares = len(A), sets(A)
        if module.sparsity_graph([np.flatnonzero(row) for row in A], [[k] for k in range(n)]) != shares:
            yield "structure"
        halves = [list(range(n // 2)), list(range(n // 2, n))]
        together = bool(A[: n // 2, n // 2 :].any())
        if module.sparsity_graph([np.flatnonzero(row) for row in A], halves) != ([{1}, {0}] if together else [set(), set()]):
            yield "structure of groups"
        if module.fill_in(shares) != sets(matrix_structure(A)):
            yield "fill"
        least, chosen = module.minimum_degree(shares), module.low_fill_order(shares)
        if sorted(least) != list(range(n)) or fill(A, least) > fill(A, list(range(n))):
            yield "an order with less fill"
        if not _of_least_degree(shares, least):
            yield "minimum degree"
        better = 1.2 * fill(A, least) < fill(A, list(range(n)))
        if chosen != (least if better else list(range(n))):
            yield "the better order"
        count, of = connected_components(coo_array(A))
        blocks = [np.flatnonzero(of == k).tolist() for k in range(count)]
        if module.connected_rows([dict.fromkeys(np.flatnonzero(row).tolist(), 1.0) for row in A]) != sorted(blocks):
            yield "what is connected"


def _of_least_degree(shares: list[set[int]], order: list[int]) -> bool:
    """Whether each shares with as few of those left as any, the first of several such: by reachability through those before."""
    n = len(shares)
    for place, k in enumerate(order):
        gone = set(order[:place])

        def degree(i: int, gone: set[int] = gone) -> int:
            seen, stack = {i}, [i]
            while stack:
                at = stack.pop()
                new = shares[at] - seen if at == i or at in gone else set()
                seen |= new
                stack += new
            return len(seen - gone - {i})

        least = min((degree(i), i) for i in range(n) if i not in gone)
        if (degree(k), k) != least:
            return False
    return True


def failures(get: Callable[[types.ModuleType], types.ModuleType]) -> Iterator[str]:
    yield from wrong_orders(get(elimination_order))
    yield from wrong_choices(get(articulated))
    yield from wrong_accelerations(get(articulated))
    yield from wrong_where_redundant(get(articulated))


MODULES = (articulated, elimination_order)


def install(patch: pytest.MonkeyPatch, module: types.ModuleType, changed: types.ModuleType) -> None:
    if module is elimination_order:
        patch.setattr(cholesky, "elimination_order", changed)


def test_unaltered_everything_holds() -> None:
    assert not list(failures(lambda module: module))


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rsplit(".", 1)[1])
def test_a_copy_in_its_place_changes_nothing(module: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every alteration would seem to be caught."""
    copy, *_ = altered_copy(module, -2, Compared)
    install(monkeypatch, module, copy)
    assert not list(failures(lambda m: copy if m is module else m))


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rsplit(".", 1)[1])
def test_every_alteration_is_caught(module: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places(module, Compared) >= 10
    missed = not_caught(module, failures, LEFT_OUT, install, monkeypatch, Compared)
    assert not missed, "\n".join(["no check notices what is altered at", *missed])
