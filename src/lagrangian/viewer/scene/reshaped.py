"""How shapes change with a parameter: the scene at another value, to the measures of the first, vertex by vertex beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.errors import LagrangianError
from lagrangian.model.mechanism import Mechanism
from lagrangian.viewer.scene.primitives import coarser
from lagrangian.viewer.scene.scene import Part, Scene
from lagrangian.viewer.scene.shapes import Builder

SEEN = 2e-4  # of the scene's size: what moves less is not seen to move
ALIKE = 0.5  # cosine of the largest angle between normals of one vertex
TRIED = (1.0, 0.5, 0.2, 0.05)  # of the way to the end of a range: the first at which there is such a mechanism


@dataclass(frozen=True, eq=False)
class Slopes:
    """Change per unit of a parameter: of vertices of parts, and of ends (2, 3) of struts, by their places in the scene."""

    parts: dict[int, np.ndarray]
    struts: dict[int, np.ndarray]


@dataclass(frozen=True, eq=False)
class Reshaped:
    """How a scene changes from the parameter's value upwards and downwards: lengths change alike, angles do not."""

    up: Slopes
    down: Slopes


class _First(Builder):
    """The scene that others are measured by."""

    def _ground(self, points: np.ndarray) -> None:
        self.points = points
        super()._ground(points)


class _Like(Builder):
    """The scene of other values, with bars as stout as the first has them, on a base as high."""

    def __init__(self, mechanism: Mechanism, rows: np.ndarray, first: _First) -> None:
        self.first = first
        super().__init__(mechanism, rows)

    def _size(self) -> float:
        return self.first.size

    def _radius(self) -> float:
        self.pins = self.first.pins
        return self.first.r

    def _ground(self, points: np.ndarray) -> None:
        super()._ground(self.first.points)


class Reshaper:
    """The shapes of one mechanism, over the rows of a motion, with other values of its parameters."""

    def __init__(self, mechanism: Mechanism, rows: np.ndarray) -> None:
        self.mechanism, self.rows = mechanism, rows
        with coarser(len(mechanism.bodies)):
            self.builder = _First(mechanism, rows)
            self.scene = self.builder.scene()

    def along(self, name: str, value: float, least: float, most: float) -> Reshaped:
        """With a parameter, or a number by its path, from `value` to either end of its range."""
        return Reshaped(self._towards(name, value, most), self._towards(name, value, least))

    def _towards(self, name: str, value: float, end: float) -> Slopes:
        for share in TRIED if end != value else ():
            try:
                other = self.mechanism.with_parameters({name: value + share * (end - value)})
                with coarser(len(other.bodies)):
                    there = _Like(other, self.rows, self.builder).scene()
            except LagrangianError:  # such as a length at which the loops do not close where the motion begins
                continue
            return _slopes(self.scene, there, share * (end - value))
        return Slopes({}, {})


def _alike(a: Part, b: Part) -> bool:
    """Whether vertices of one number are those of one place: then their normals differ by little."""
    return float((a.normals * b.normals).sum(axis=1).min()) > ALIKE


def _slopes(first: Scene, other: Scene, change: float) -> Slopes:
    """Of parts with as many vertices and the same faces; others look different altogether, and stay."""
    parts, struts = {}, {}
    least = SEEN * first.size
    if [p.name for p in first.parts] == [p.name for p in other.parts]:
        for k, (a, b) in enumerate(zip(first.parts, other.parts, strict=True)):
            if a.vertices.shape != b.vertices.shape or not np.array_equal(a.faces, b.faces) or not _alike(a, b):
                continue
            moved = b.vertices.astype(float) - a.vertices
            if np.abs(moved).max(initial=0.0) > least:
                parts[k] = moved / change
    for k, (s, t) in enumerate(zip(first.struts, other.struts, strict=False)):
        moved = np.array([t.a_point, t.b_point]) - np.array([s.a_point, s.b_point])
        if np.abs(moved).max() > least:
            struts[k] = moved / change
    return Slopes(parts, struts)
