"""Drawings that several tests share."""

from __future__ import annotations

import math
from typing import Any

from lagrangian.studio.drawing.routes import examples


def example(name: str) -> dict[str, Any]:
    return next(x["drawing"] for x in examples()["examples"] if x["name"] == name)


def pin(name: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "x": x, "y": y, **more}


def four_bar(l0: float = 1.0, l1: float = 0.3, l2: float = 0.9, l3: float = 0.6) -> dict[str, Any]:
    """The library's four-bar with its crank upright, and the middle of the coupler as a point."""
    diagonal, slope = math.hypot(l0, l1), math.atan2(-l1, l0)
    turn = slope + math.acos((l2**2 + diagonal**2 - l3**2) / (2 * l2 * diagonal))
    cx, cy = l2 * math.cos(turn), l1 + l2 * math.sin(turn)
    return {
        "name": "four-bar",
        "pins": [
            pin("A", 0, 0, ground=True),
            pin("B", 0, l1),
            pin("C", cx, cy),
            pin("D", l0, 0, ground=True),
            pin("P", cx / 2, (l1 + cy) / 2, trace=True),
        ],
        "bars": [
            {"name": "crank", "pins": ["A", "B"]},
            {"name": "coupler", "pins": ["B", "C", "P"]},
            {"name": "rocker", "pins": ["C", "D"]},
        ],
        "motors": [{"pin": "A", "drives": "crank", "against": "ground", "kind": "speed", "value": 2 * math.pi}],
    }


def slider_crank(r: float = 0.1, l: float = 0.3, angle: float = 0.7, speed: float = 5.0) -> dict[str, Any]:
    x, y = r * math.cos(angle), r * math.sin(angle)
    return {
        "name": "slider-crank",
        "pins": [pin("A", 0, 0, ground=True), pin("B", x, y), pin("C", x + math.sqrt(l**2 - y**2), 0)],
        "bars": [{"name": "crank", "pins": ["A", "B"]}, {"name": "rod", "pins": ["B", "C"]}],
        "sliders": [{"pin": "C", "on": "ground", "angle": 0}],
        "motors": [{"pin": "A", "drives": "crank", "against": "ground", "kind": "speed", "value": speed}],
    }
