"""The kernels of one mechanism, each made when first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from lagrangian.algorithms import kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.inverse_dynamics import REACTIONS
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import Kernel, Threads
from lagrangian.kernels.programs.closed import ClosedPrograms, wrenches
from lagrangian.kernels.programs.derivatives import residual_derivatives
from lagrangian.kernels.programs.parameters import link_from_body
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism

Array = Any
Wrenches = Mapping[str, Any] | None


class Kernels:
    """It does not know the `Dynamics` that uses it, so that a function taken from there lives on without it."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = trees.build(mechanism)
        self.threads = Threads(cores())
        self._made: dict[str, Kernel] = {}
        self._of_frames: dict[tuple[str, object], Callable[..., Any]] = {}
        self._full: trees.Tree | None = None
        self._bodies: tuple[np.ndarray, np.ndarray] | None = None
        self._friction: dict[str, np.ndarray] | None = None

    def whole(self, algorithm: Algorithm, shape: tuple[int, ...]) -> Kernel:
        return self._kernel(algorithm, self.tree, shape)

    def of_frame(self, algorithm: Algorithm, frame: str | Frame, shape: tuple[int, ...]) -> Callable[..., Any]:
        """Along the path from the ground to a frame, with an entry for one state."""
        if not isinstance(frame, (str, Frame)):
            kind = type(frame).__name__
            raise ArgumentError(f"{algorithm.name}: the frame is a {kind}; it is given by its name, after the other arguments")
        found = self._of_frames.get((algorithm.name, frame))
        if found is None:
            place = self.mechanism.frame(frame)
            link, placement = self.tree.place[place.body]
            path = self.tree.path(link, placement @ place.placement)
            kernel = Kernel(Sweeps(algorithm, path), shape, self.threads)
            found = kernel.fast(kernel, algorithm.name, ", ".join(algorithm.inputs), "Of one frame.")
            self._of_frames[algorithm.name, frame] = found
        return found

    def reactions(self) -> tuple[trees.Tree, Kernel, Kernel]:
        """Newton-Euler on a tree with a link for every fixed joint too, and the poses of those links."""
        if self._full is None:
            self._full = trees.build(self.mechanism, merge_fixed=False)
        full = self._full
        return (
            full,
            self._kernel(REACTIONS, full, (len(full), 6)),
            self._kernel(kinematics.LINK_POSES, full, (len(full), 12)),
        )

    def constraint_wrenches(self) -> Kernel:
        """On the links of the tree of `reactions`."""
        full = self.reactions()[0]
        found = self._made.get("constraint wrenches")
        if found is None:
            program = wrenches(self.mechanism, full)
            found = self._made["constraint wrenches"] = Kernel(program, (len(full), 6), self.threads)
        return found

    def of_springs(self, name: str, shape: tuple[int, ...]) -> Kernel:
        """One of the programs of the springs between points; wrenches are on the links of the tree of `reactions`."""
        found = self._made.get(f"springs {name}")
        if found is None:
            tree = self.reactions()[0] if name == "wrenches" else self.tree
            program = getattr(SpringPrograms(self.mechanism, tree), name)()
            found = self._made[f"springs {name}"] = Kernel(program, shape, self.threads)
        return found

    def residual_derivatives(self) -> Kernel:
        found = self._made.get("residual derivatives")
        if found is None:
            n, m = self.tree.nv, self.mechanism.equations
            program = residual_derivatives(self.mechanism, self.tree)
            found = self._made["residual derivatives"] = Kernel(program, (n + m, 2 * n), self.threads)
        return found

    def _kernel(self, algorithm: Algorithm, tree: trees.Tree, shape: tuple[int, ...]) -> Kernel:
        found = self._made.get(algorithm.name)
        if found is None:
            found = self._made[algorithm.name] = Kernel(Sweeps(algorithm, tree), shape, self.threads)
        return found

    @cached_property
    def closed(self) -> ClosedPrograms:
        """The programs of its constraint equations; there may be none of these."""
        return ClosedPrograms(self.mechanism, self.tree)

    def of_constraints(self, name: str, shape: tuple[int, ...]) -> Kernel:
        """One of the programs of `closed`."""
        found = self._made.get(f"closed {name}")
        if found is None:
            found = self._made[f"closed {name}"] = Kernel(getattr(self.closed, name)(), shape, self.threads)
        return found

    def friction(self) -> dict[str, np.ndarray]:
        """The friction constants of every speed."""
        if self._friction is None:
            widths = [kind.nv for kind in self.tree.kind]
            order = [iv + k for iv, width in zip(self.tree.iv, widths, strict=True) for k in range(width)]
            self._friction = {}
            for name in ("viscous", "coulomb_positive", "coulomb_negative"):
                values = self._friction[name] = np.zeros(self.tree.nv)
                values[order] = np.repeat(self.tree.constants[name][:, 0], widths)
        return self._friction

    def bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """Each body's link, and how its inertial parameters pass into the link's frame."""
        if self._bodies is None:
            self._bodies = link_from_body(self.mechanism, self.tree)
        return self._bodies

    def external(self, q: Array, wrenches: Wrenches) -> Array:
        """sum J^T F of wrenches on frames."""
        total: Any = 0.0
        for frame, wrench in checked(wrenches).items():
            try:
                torque = self.of_frame(kinematics.EXTERNAL_TORQUE, frame, (self.tree.nv,))(q, wrench)
            except ArgumentError as error:
                raise ArgumentError(f"wrench on {frame!r}: {error}") from None
            total = total + torque
        return total


def checked(wrenches: Wrenches) -> Mapping[str, Any]:
    """Wrenches as a mapping from frames; anything else is refused."""
    if wrenches is None:
        return {}
    if not isinstance(wrenches, Mapping):
        example = '{"tool": (mx, my, mz, fx, fy, fz)}'
        raise ArgumentError(
            f"wrenches is a {type(wrenches).__name__}; a mapping from frames to moment and force is needed: {example}"
        )
    return wrenches


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
