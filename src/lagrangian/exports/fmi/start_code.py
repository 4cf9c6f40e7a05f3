"""What the C of an FMU with constraints knows besides: what the search for its start reads."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lagrangian.configuration.coordinates import periodic_coordinates, single_coordinates
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.exports.fmi.content import Content
from lagrangian.exports.languages.language import wrapped

DRIVEN, PERIODIC, QUATERNION = 1, 2, 4  # traits of coordinates
SINGULAR = 1e-7  # of the largest slope: rows that depend on each other by less do
NAMES = ("model_holonomic", "model_traits", "model_driven_speeds")
GIVEN = "const model_constants *constants"
FUNCTIONS = {
    "model_closure": f"void model_closure(double t, const double *x, {GIVEN}, double *eta)",
    "model_slopes": f"void model_slopes(double t, const double *x, {GIVEN}, double *psi)",
    "model_breaking": f"void model_breaking(double t, const double *x, {GIVEN}, double *rate)",
    "model_masses": f"void model_masses(const double *x, {GIVEN}, double *masses)",
    "model_moving": f"void model_moving(const double *x, const double *speeds, {GIVEN}, double *rates)",
}
ABOUT = {
    "model_closure": "The violation of the equations of coordinates; x may contain coordinates only.",
    "model_slopes": "How equations change with the speeds, a row for each.",
    "model_breaking": "How fast the constraints are left.",
    "model_masses": "The mass matrix.",
    "model_moving": "The rates of the coordinates at these speeds.",
}
# what they call, and the names of its outputs in C
CALLS = {
    "model_closure": ("closure", "eta"),
    "model_slopes": ("constraint_jacobian", "psi"),
    "model_breaking": ("constraint_rate", "rate"),
    "model_masses": ("mass_matrix", "masses"),
    "model_moving": ("coordinate_rates", "rates"),
}


def sizes(content: Content) -> dict[str, int]:
    equations = content.mechanism.equations
    found = {"EQUATIONS": equations, "CLOSURES": content.routines["closure"].outputs[0].size if equations else 0}
    return {**found, "DRIVEN": DRIVEN, "PERIODIC": PERIODIC, "QUATERNION": QUATERNION} if equations else found


def declarations() -> list[str]:
    return [
        "extern const size_t model_holonomic[];           /* the row in the slopes of each equation of coordinates */",
        "extern const unsigned char model_traits[];        /* of coordinates: whether MODEL_DRIVEN, MODEL_PERIODIC ... */",
        "extern const unsigned char model_driven_speeds[]; /* whether each speed stays where it can */",
        "",
    ]


def tables(content: Content) -> list[str]:
    mechanism = content.mechanism
    dyn = dynamics_of(mechanism)
    start = np.array([x.start for x in content.variables.states[: mechanism.nq]], dtype=float)
    psi = dyn.constraint_jacobian(start, content.span[0])
    places = single_coordinates(mechanism)
    driven = [places[name] for joint in mechanism.joints if joint.actuated for name in joint.coordinate_names if name in places]
    speeds = [speed for _, speed in driven]
    standing, moving = _independent(psi[dyn.holonomic], speeds), _independent(psi, speeds)
    traits = np.zeros(mechanism.nq, dtype=int)
    traits[[coordinate for coordinate, speed in driven if speed in standing]] |= DRIVEN
    traits[periodic_coordinates(mechanism)] |= PERIODIC
    first = 0
    for joint in mechanism.joints:
        if joint.kind.quaternion:
            traits[first] |= QUATERNION
        first += joint.kind.nq
    rows = np.flatnonzero(dyn.holonomic).tolist()
    return [
        *_table("const size_t model_holonomic[]", rows or [0]),
        *_table("const unsigned char model_traits[]", traits.tolist()),
        *_table("const unsigned char model_driven_speeds[]", [int(k in moving) for k in range(mechanism.nv)]),
    ]


def _table(name: str, values: Iterable[int]) -> list[str]:
    return [f"{name} = {{", *wrapped([str(x) for x in values], "    "), "};", ""]


def _independent(psi: np.ndarray, speeds: Iterable[int]) -> set[int]:
    """Those that can be given, one after the other: the other speeds keep the constraints as well as all do."""
    others, found = np.ones(psi.shape[1], dtype=bool), set[int]()
    for speed in speeds:
        others[speed] = False
        if _rank(psi[:, others]) == _rank(psi):
            found.add(speed)
        else:
            others[speed] = True
    return found


def _rank(psi: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(psi, tol=SINGULAR * float(np.abs(psi).max(initial=0.0)))) if psi.size else 0
