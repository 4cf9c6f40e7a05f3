"""A wrong sign anywhere in a derivation, or in a shipped algorithm, and the certificate fails.

Every sum, difference, sign and product of their source is altered, one at a time (as in `tests.algorithms.test_mutations`), and
the claims of the proof are decided, those that use the source first. An alteration that leaves every claim proved fails the test.
"""

from __future__ import annotations

import inspect
import types

import pytest

from lagrangian.algorithms import (
    coriolis,
    energy,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    link,
    mass_matrix,
    regressor,
    regroup,
    tree_factorisation,
)
from lagrangian.algorithms import tree as trees
from lagrangian.equations.derivations import kane, lagrange, newton_euler, uicker_kahn
from lagrangian.equations.reading import link as exact_link
from lagrangian.equations.reading import system
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.proof import forward_dynamics as forward_proof
from lagrangian.proof import prove, shipped
from lagrangian.proof.certificate import decide
from tests.algorithms.test_mutations import altered_copy, places
from tests.proof.trees import tree

PROOF = (prove, forward_proof, shipped)

# the modules, and the claims that use them most
MODULES = {
    lagrange: ("M' - 2C", "centripetal", "Kane", "Newton"),
    newton_euler: ("Newton-Euler",),
    kane: ("Kane",),
    uicker_kahn: ("Uicker-Kahn", "pose"),
    exact_link: ("compiled: inverse", "energy"),
    inverse_dynamics: ("inverse dynamics", "reactions"),
    mass_matrix: ("mass matrix",),
    coriolis: ("Coriolis matrix",),
    energy: ("energy", "momentum"),
    regressor: ("regressor",),
    kinematics: ("pose",),
    forward_dynamics: ("articulated",),
    tree_factorisation: ("factorised",),
    link: ("inverse dynamics", "mass matrix", "Coriolis matrix", "pose"),
    regroup: ("inverse dynamics",),
    trees: ("inverse dynamics", "pose"),
}

# lines and functions that are not altered, and why
LEFT_OUT = {
    "1 - link.locked[k]": "joints that are locked, which the closed form has not: tests/algorithms/test_mutations.py locks some",
    "1 - self._locked[k]": "joints that are locked, again",
    "def locking_torques": "joints that are locked, again",
    "def accelerate_or_lock": "joints that are locked, again",
    "def _has_plane_friction": "dry friction in a plane, which the closed form does not have: test_friction_in_a_plane",
    "list(range(-1, n - 1))": "of a full M, as massless links in loops have it; test_massless_links solves with it",
    "def parent_speeds": "the numbering of speeds, not mechanics: altered, the walk to the ground never ends",
    "for j in range(len(tree) - 1, -1, -1)": "regrouping fewer links, or in another order, changes no result",
    "coordinate - 3": "clears what is zero already: it saves operations, and changes no result",
    "def snap_rotation": "rounding, which exact scalars do not have",
    "constants[name]) < 1e-16 * scale": "rounding, which exact scalars do not have",
    "def friction_torque": "Coulomb friction is left out of the proof, and the certificate says so",
    "def _select_by_sign": "Coulomb friction, again",
    "v.cross(v.add(v.scale(2, wi), wj), vj)": "2 wi + wj: of a joint with one coordinate wj and vj are parallel, wj x vj is zero",
    "iq + kind.nq, iv + kind.nv": "joints of several coordinates: here each has one",
    "v.add(dwj, bw)": "the axis of a joint with one coordinate does not turn with it: the angular part of its bias is zero",
    "v.add(dw, own_w)": "the angular part of a bias, again",
    "v.add(ca, bw)": "the angular part of a bias, again",
    "return chain[::-1]": "the chosen links are sorted anyway",
    "def solve_transposed_sparse": "rows of constraints, which open arms lack: tests/algorithms/test_constraint_mutations.py",
}


@pytest.fixture(scope="module")
def arms() -> list[SymbolicSystem]:
    """Enough to feel every sign: axes in all directions, all kinds of joints, bodies fixed to others, a branch."""
    chain = tree(["revolute", "revolute", "helical", "prismatic"], 0, chain=True, passive=True)
    branched = tree(["revolute", "fixed", "fixed", "prismatic", "revolute"], 0)
    return [SymbolicSystem(chain), SymbolicSystem(branched), SymbolicSystem(tree(["revolute", "cam"], 0, chain=True))]


def install(monkeypatch: pytest.MonkeyPatch, module: types.ModuleType, changed: types.ModuleType) -> None:
    """Put an altered module in place of the true one, wherever the proof uses it."""
    for user in PROOF:
        for name, value in list(vars(user).items()):
            if value is module:
                monkeypatch.setattr(user, name, changed)
    if module is link:
        monkeypatch.setattr(trees, "Link", changed.Link)
    elif module is trees:
        monkeypatch.setattr(shipped, "trees", changed)
    elif module is regroup:
        monkeypatch.setattr(shipped, "regroup", changed.regroup)
    elif module is exact_link:
        for name in ("SymbolicLink", "Inertia", "Pose"):
            monkeypatch.setattr(system, name, getattr(changed, name))


def first_failure(arms: list[SymbolicSystem], first: tuple[str, ...], anew: bool) -> str | None:
    """The first claim that is not proved, those with the given words first."""
    for arm in arms:
        arm = SymbolicSystem(arm.mechanism, arm.symbols) if anew else arm
        claims, _ = prove.claims(arm, points=1)
        for claim in sorted(claims, key=lambda c: not any(word in c.what for word in first)):
            if not decide(claim.what, claim.how, claim.entries):
                return claim.what
    return None


def test_unaltered_everything_is_proved(arms: list[SymbolicSystem]) -> None:
    assert first_failure(arms, (), anew=False) is None


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda m: ".".join(m.__name__.split(".")[-2:]))
def test_every_alteration_is_caught(
    module: types.ModuleType, arms: list[SymbolicSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = []
    lines = inspect.getsource(module).splitlines()
    count = places(module)
    assert count >= 3
    for n in range(count):
        changed, line, function = altered_copy(module, n)
        if any(fragment in lines[line - 1] or fragment == f"def {function}" for fragment in LEFT_OUT):
            continue
        with monkeypatch.context() as patch:
            install(patch, module, changed)
            try:
                wrong = first_failure(arms, MODULES[module], anew=module is exact_link)
            except (ArithmeticError, ValueError, TypeError, AttributeError, KeyError, IndexError, AssertionError):
                wrong = "it does not even run"
        if wrong is None:
            missed.append(f"{module.__file__}:{line} in {function}: {lines[line - 1].strip()}")
    assert not missed, "\n".join(["the certificate does not notice an altered sign at", *missed])
