"""Directions along which a frame is asked to move: which there are, and which of them are independent."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import ArgumentError, one_of
from lagrangian.kernels.euler_angles import NAMES as EULER_NAMES
from lagrangian.kernels.euler_angles import Orientation
from lagrangian.kernels.linear import unit_rows
from lagrangian.model.loop import DIRECTIONS, Frame

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

Directions = str | Iterable[str] | None


def names_of(euler: str | None) -> tuple[str, ...]:
    return DIRECTIONS if euler is None else EULER_NAMES


def chosen_directions(
    dyn: Dynamics, frame: str | Frame, given: Directions, whole: np.ndarray, N: np.ndarray | None, euler: str | None
) -> tuple[str, ...]:
    """Checked, and no more than there are degrees of freedom."""
    known = names_of(euler)
    if not isinstance(given, (str, Iterable, NoneType)) or isinstance(given, np.ndarray):
        raise ArgumentError(f"is {given!r}; give some of {', '.join(known)}", where="cartesian", argument="directions")
    names = known if given is None else (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ArgumentError(f"cartesian: {one_of('direction', name, known)}", concerns="directions")
    if not names or len(set(names)) != len(names):
        raise ArgumentError(f"are {names}; give some of {', '.join(known)}, each once", where="cartesian", argument="directions")
    degrees = dyn.nv if N is None else int((N != 0).any(axis=1).sum(axis=1).max())
    if len(names) > degrees:
        label = dyn.mechanism.frame(frame).name
        free = _independent(_generic(dyn, frame, euler) if N is None else whole[0] @ N[0])
        raise ArgumentError(
            f"cartesian: {dyn.mechanism.name} has {degrees} degree{'s' * (degrees != 1)} of freedom, and {label!r} cannot follow "
            f"{len(names)} directions. {_advice(free, euler)}"
        )
    return names


def refuse_dependent(dyn: Dynamics, frame: str | Frame, names: tuple[str, ...], euler: str | None) -> None:
    """Directions that depend on each other in every configuration are an error, not a singularity."""
    G, rows = _generic(dyn, frame, euler), [names_of(euler).index(name) for name in names]
    if np.linalg.matrix_rank(unit_rows(G[rows])[0], tol=1e-9) < len(rows):
        label = dyn.mechanism.frame(frame).name
        raise ArgumentError(
            f"cartesian: {', '.join(names)} of {label!r} are not independent in any configuration of {dyn.mechanism.name}. "
            f"{_advice(_independent(G), euler)}"
        )


def _generic(dyn: Dynamics, frame: str | Frame, euler: str | None) -> np.ndarray:
    """J of the tree where it has no accidental zeros."""
    q = dyn.mechanism.random_configuration(1)
    found: np.ndarray = dyn.jacobian(q, frame)
    if euler is not None:
        R, still, label = dyn.pose(q, frame)[None, :3, :3], np.zeros((1, 3)), dyn.mechanism.frame(frame).name
        found = Orientation.of(euler, R, still, label, np.array([True]), False).jacobian(found[None])[0]
    return found


def _independent(G: np.ndarray) -> tuple[int, ...]:
    """Of the six directions, positions first, as many as move by themselves."""
    G, chosen = unit_rows(G)[0], list[int]()
    for k in (3, 4, 5, 0, 1, 2):
        if np.linalg.matrix_rank(G[[*chosen, k]], tol=1e-6) > len(chosen):
            chosen.append(k)
    return tuple(sorted(chosen))


def _advice(rows: tuple[int, ...], euler: str | None) -> str:
    names = tuple(names_of(euler)[k] for k in rows)
    return f"Independent directions are {', '.join(names)}: use directions={names!r}" if names else "It does not move"


def combination(T: np.ndarray, names: tuple[str, ...]) -> str:
    """A direction in words: x, or 0.71 x - 0.71 y."""
    u = T / np.linalg.norm(T)
    u = u * np.sign(u[np.argmax(np.abs(u))])
    terms = [(x, name) for x, name in zip(u, names, strict=True) if abs(x) > 0.05]
    if len(terms) == 1:
        return terms[0][1]
    told = " ".join(f"{'-' if x < 0 else '+'} {abs(x):.2g} {name}" for x, name in terms)
    return told.removeprefix("+ ")
