"""What a bar or a plate weighs: sheet steel as wide as it is drawn, by its length and width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SHEET_DENSITY = 39.25  # kg/m^2: steel, 5 mm thick
BLOCK_MASS = 0.5  # kg, of a slider's block
Point = tuple[float, float]


@dataclass(frozen=True)
class Lamina:
    mass: float
    center: Point
    inertia: float  # about the centre of mass


def rod_mass(length: float, width: float) -> float:
    return round_mass(SHEET_DENSITY * width * length)


def round_mass(x: float) -> float:
    """A mass with four digits: nobody knows one better."""
    return float(f"{x:.4g}")


def plate(points: Sequence[Point], width: float, mass: float | None = None) -> Lamina:
    """A plate with these pins at its corners: the polygon around them, and a rim of half the width along its edges.

    A plate whose pins are on a line is the bar that it looks like: the two edges there and back have all of its width.
    """
    corners = convex_hull(points)
    parts = [_edge(a, b, width) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    parts += [_triangle(corners[0], a, b) for a, b in pairwise(corners[1:])]
    sheet_mass = sum(x.mass for x in parts)
    center = tuple(sum(x.mass * x.center[k] for x in parts) / sheet_mass for k in range(2))
    inertia = sum(x.inertia + x.mass * math.dist(x.center, center) ** 2 for x in parts)
    plate_mass = round_mass(sheet_mass) if mass is None else mass
    return Lamina(plate_mass, (center[0], center[1]), inertia * plate_mass / sheet_mass)


def _edge(a: Point, b: Point, width: float) -> Lamina:
    length = math.dist(a, b)
    mass = SHEET_DENSITY * width / 2 * length
    return Lamina(mass, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), mass * length**2 / 12)


def _triangle(a: Point, b: Point, c: Point) -> Lamina:
    area = abs(_cross(a, b, c)) / 2
    center = ((a[0] + b[0] + c[0]) / 3, (a[1] + b[1] + c[1]) / 3)
    squared_sides = math.dist(a, b) ** 2 + math.dist(b, c) ** 2 + math.dist(c, a) ** 2
    return Lamina(SHEET_DENSITY * area, center, SHEET_DENSITY * area * squared_sides / 36)


def convex_hull(points: Sequence[Point]) -> list[Point]:
    """The corners of the polygon around points, anticlockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))

    def half(order: Sequence[Point]) -> list[Point]:
        chain: list[Point] = []
        for p in order:
            while len(chain) >= 2 and _cross(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain

    return half(ordered)[:-1] + half(ordered[::-1])[:-1]


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
