"""A wrong sign in any constraint equation, and the certificate fails: of loop types and of constraints, written once or twice.

As in `test_mutations`: every sum, difference, sign and product of the source is altered, one at a time, and the claims about
constraints are decided until one fails.
"""

from __future__ import annotations

import importlib
import inspect
import types
from functools import cache

import pytest

import lagrangian as lg
from lagrangian.algorithms import tree_factorisation
from lagrangian.algorithms.constraints import constrained_dynamics, jet, world
from lagrangian.algorithms.constraints import rows as constraint_rows
from lagrangian.equations import constraints, rolling
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import loops as loop_types
from lagrangian.model.loops import TYPES, loop_type
from lagrangian.model.single_coordinate import with_single_coordinates
from lagrangian.proof import constraints as proof_of_constraints
from lagrangian.proof import loop_types as proof_of_types
from lagrangian.proof import loops as proof_of_loops
from lagrangian.proof import prove as proofs
from lagrangian.proof.certificate import decide
from tests.algorithms.test_mutations import altered_copy, places
from tests.kernels.rows import expression
from tests.mechanisms import random_mechanism, two_chains
from tests.proof.test_loops import EXPRESSIONS, OF_CONSTRAINTS, rolling_mechanism

TYPE_FILES = [importlib.import_module(f"lagrangian.model.loops.{name}") for name in TYPES]
USERS = (
    constraints,
    constraint_rows,
    world,
    jet,
    constrained_dynamics,
    proof_of_loops,
    proof_of_types,
    proof_of_constraints,
    rolling,
    *TYPE_FILES,
)

# lines and functions that are not altered, and why
LEFT_OUT = {
    "1 - link.locked[k]": "joints that are locked, which the closed form has not: tests/algorithms/test_mutations.py locks some",
    "1 - self._locked[k]": "joints that are locked, again",
    "def locking_torques": "joints that are locked, again",
    "def accelerate_or_lock": "joints that are locked, again",
    "outside_link = world.lowest_common_carrier(": "joints that carry a loop, of long mechanisms: motion/test_many_loops.py",
    "def _path_links": "joints that carry a loop, again",
    "def lowest_common_carrier": "joints that carry a loop, again",
    "for j in sharing[:-1]": "which pairs of rows share a joint, each from both sides: motion/test_many_loops.py has them all",
    "free_axes = {world[k]": "which of the world's axes a loop is kept along: the same directions, by another name",
    "def vanishes": "whether something is zero by structure: it saves operations",
    "def choose": "choices, which have no value at an exact point",
    "def atan": "has no value at an exact point",
    "def asin": "has no value at an exact point",
    "def acos": "has no value at an exact point",
    "def atan2": "has no value at an exact point",
    "def atan2_of": "has no value at an exact point",
    "def _function_rows": "a Python function, which the closed form does not have",
    "self._weights[row.name] * (x": "massless links in loops: test_massless_links notices both signs",
    "sum(name not in groups_by_name": "ranks of redundant rows: a proof takes independent ones",
    "list(range(-1, n - 1))": "of a full M, as massless links in loops have it; test_massless_links solves with it",
    "def correction": "of positions and speeds, not of accelerations",
    "thresholds = [ROUNDING_TOLERANCE": "rounding, which exact scalars do not have",
    "leans = isinstance(lean_cosine_squared, Jet)": "whether a disc is upright by structure: the root of one is one",
    "def parent_speeds": "the numbering of speeds, not mechanics: altered, the walk to the ground never ends",
    "iv + k": "joints of several coordinates: here each has one",
    "def coordinate_rates": "joints of several coordinates: here each has one",
    "return -self if is_zero(other) else NotImplemented": "a rate taken from nothing, which none of these has",
    "return Rate(-self.value, -self.bias": "a rate taken from nothing, again",
    "turns = {(link, c)": "links seen as free, of which reactions are made, not accelerations",
    "return {**turns, **": "links seen as free, again",
    "return RingElement(self.ring, (1 - self.normal_component": "without a root the height is a generator, and all the same",
    "bias_torque[k] = bias_torque[k] - torque": "springs between points are left out of the proof, and the certificate says so",
    "al = v.add(al, bw)": "the axis of a cam does not turn with it: the angular part of its bias is zero",
    "if not self.normal_component - cosine": "either sign will do, as the height has one of its own",
}


@cache
def systems() -> dict[str, list[SymbolicSystem]]:
    small = random_mechanism(["revolute", "prismatic"], 1, chain=True)
    values = (("j0", expression(small, "1 + j1^2*cos(2*t)")), ("j1", expression(small, "sin(j0 - t)")))
    tied = [lg.HolonomicConstraint(f"e{k}", expression(small, text)) for k, text in enumerate(EXPRESSIONS)]
    written = [small.replace(constraints=[lg.PfaffianConstraint("p", values, expression(small, "0.3*sin(2*t) - t^2"))])]
    written += [small.replace(constraints=[one]) for one in tied]
    on_plate = {"on": "plate", "point": (0, 0, 0.1)}
    contacts = [
        lg.library("rolling_disc"),
        rolling_mechanism(lg.RollingConstraint("disc", "ball", 0.3, axis="z")),
        rolling_mechanism(lg.RollingConstraint("disc", "ball", 0.3, center=(0.1, 0, 0), axis="y", **on_plate)),
        rolling_mechanism(
            lg.RollingConstraint("sphere", "ball", 0.3, center=(0.1, 0.02, 0), **on_plate),
            lg.KnifeEdgeConstraint("k", "ball", (0, 1, 0), (0.3, 0.1, 0)),
        ),
    ]
    long = two_chains(["revolute", "revolute", "cam"], ["revolute"], "point")
    of_types = {kind: [two_chains(["revolute", "prismatic"], ["revolute", "revolute"], kind)] for kind in TYPES}
    of_types["point"].append(lg.library("four_bar"))
    chosen = {
        **of_types,
        "written": written,
        "contacts": contacts,
        "loops": [of_types["prismatic"][0], of_types["distance"][0], long],
    }
    return {name: [SymbolicSystem(with_single_coordinates(m)) for m in mechanisms] for name, mechanisms in chosen.items()}


@cache
def derived_equations(system: SymbolicSystem) -> proofs.DerivedEquations:
    """What does not depend on constraints."""
    return proofs.derive(system)


def first_failure(cases: list[SymbolicSystem]) -> str | None:
    for system in cases:
        claims, _ = proofs.claims(system, derived_equations(system), points=2)  # at one alone two speeds may be the same
        for claim in sorted(claims, key=lambda claim: not claim.what.startswith("loops")):
            if any(word in claim.what for word in OF_CONSTRAINTS) and not decide(claim.what, claim.how, claim.entries):
                return claim.what
    return None


def install(patch: pytest.MonkeyPatch, module: types.ModuleType, changed: types.ModuleType) -> None:
    """Put what an altered module defines in the place of the true thing, wherever it is used."""
    own = {name: x for name, x in vars(module).items() if getattr(x, "__module__", "") == module.__name__}
    for user in USERS:
        for name, value in list(vars(user).items()):
            if value is module:
                patch.setattr(user, name, changed)
            elif name in own and value is own[name]:
                patch.setattr(user, name, getattr(changed, name))
    if module is rolling:
        patch.setattr(rolling, "RollingContact", changed.RollingContact)
    for name, kind in list(TYPES.items()):
        if type(kind).__module__ == module.__name__:
            patch.setitem(loop_types.TYPES, name, getattr(changed, type(kind).__name__)())


def undetected_mutations(module: types.ModuleType, cases: list[SymbolicSystem]) -> list[str]:
    results = []
    lines = inspect.getsource(module).splitlines()
    for n in range(places(module)):
        changed, line, function = altered_copy(module, n)
        if any(fragment in lines[line - 1] or fragment == f"def {function}" for fragment in LEFT_OUT):
            continue
        with pytest.MonkeyPatch.context() as patch:
            install(patch, module, changed)
            try:
                anew = [SymbolicSystem(system.mechanism) for system in cases] if module is rolling else cases
                wrong = first_failure(anew)
            except (
                ArithmeticError,
                ValueError,
                TypeError,
                AttributeError,
                KeyError,
                IndexError,
                AssertionError,
                lg.LagrangianError,
            ):
                wrong = "it does not even run"
        if wrong is None:
            results.append(f"{module.__file__}:{line} in {function}: {lines[line - 1].strip()}")
    return results


@pytest.mark.slow
def test_unaltered_everything_is_proved() -> None:
    assert first_failure([system for name in ("written", "contacts") for system in systems()[name]]) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_every_alteration_of_a_loop_type_is_caught(kind: str) -> None:
    module = importlib.import_module(f"lagrangian.model.loops.{kind}")
    assert not undetected_mutations(module, systems()[kind])


@pytest.mark.parametrize("sign", range(6))
def test_a_wrong_sign_of_any_equation_is_caught(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An equation that is the negative of what it should be is as good a constraint, but its multiplier acts the other way."""
    for kind, loop_kind in TYPES.items():
        original = loop_kind.equations

        def flip_sign(loop, a, b, original=original):
            return [(label, -eta if k == sign else eta) for k, (label, eta) in enumerate(original(loop, a, b))]

        system = systems()[kind][0]
        if sign < system.mechanism.loops[0].equation_count:
            with monkeypatch.context() as patch:
                patch.setattr(loop_kind, "equations", flip_sign, raising=False)
                assert first_failure([system]) is not None, kind


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "cases"),
    [
        (loop_type, ("prismatic", "revolute", "planar", "universal")),
        (constraints, ("contacts", "written", "loops", "universal")),
        (rolling, ("contacts",)),
        (constraint_rows, ("contacts", "written")),
        (jet, ("contacts", "written", "loops")),
        (world, ("contacts", "loops")),
        (constrained_dynamics, ("loops", "contacts")),
        (tree_factorisation, ("loops", "contacts")),
    ],
    ids=lambda x: x.__name__.split(".")[-1] if isinstance(x, types.ModuleType) else "",
)
def test_every_alteration_of_what_constraints_are_made_of_is_caught(module: types.ModuleType, cases: tuple[str, ...]) -> None:
    assert places(module) >= 3
    assert not undetected_mutations(module, [system for name in cases for system in systems()[name]])
