"""What a page needs to compute a motion anew: the compiled module, its plan, the derivatives of shapes, and reproduction data.

Shapes follow a parameter by the difference of two scenes: one at another value of the parameter, measured as the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, format_value
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.viewer.pack import Block, deflate_base64
from lagrangian.viewer.reproduce import reproduction_data
from lagrangian.viewer.scene.primitives import fewer_sides
from lagrangian.viewer.scene.scene import Scene, ScenePart, Track
from lagrangian.viewer.scene.scene_builder import SceneBuilder

MAX_SIGNED_STEP = 32767  # of a 16-bit number
MIN_CHANGE = 2e-4  # of the scene's size: nobody sees a smaller change
MIN_NORMAL_COSINE = 0.5  # cosine of the largest angle between normals of one vertex
RANGE_SHARES = (1.0, 0.5, 0.2, 0.05)  # of the way to the end of a range: the first at which the mechanism can be built is used


@dataclass(frozen=True)
class PageProgram:
    """The data (JSON) by which a page computes, or the reason why it cannot."""

    data: dict[str, Any] | None = None
    reason: str = ""


def page_program(motion: Motion, track: Track, sliders: Any = None) -> PageProgram | None:
    """The program by which the motion of a page follows sliders; None if `sliders` is False or empty.

    `sliders` is None for those that the page chooses, or a list of names and of (name, lower, upper).
    """
    slider_list = _slider_list(sliders)
    if slider_list == []:
        return None
    from lagrangian.page_motion import NotComputableError, compile_page

    try:
        page_module = compile_page(motion, slider_list)
    except NotComputableError as error:
        if slider_list is not None:
            raise  # a user who asks for sliders gets the error
        return PageProgram(reason=str(error))
    inputs = page_module.plan["inputs"]
    if not inputs or len(track.t) < 2:
        return None
    block = Block()
    data = {
        "plan": page_module.plan,
        "wasm": deflate_base64(page_module.wasm),
        "shapes": list(_shape_data(motion, track, inputs, block)),
        "reproduction": reproduction_data(motion),
        "block": block.text,
    }
    return PageProgram(data)


def _slider_list(sliders: Any) -> list[Any] | None:
    if sliders is None or sliders is True:
        return None
    if sliders is False:
        return []
    if isinstance(sliders, str) or not isinstance(sliders, Iterable):
        raise ArgumentError(
            f"is {format_value(sliders)}",
            argument="sliders",
            remedy='a list is needed: ["l1", ("m2", 0.5, 2)], or False for none',
        )
    return list(sliders)


def _shape_data(motion: Motion, track: Track, inputs: list[dict[str, Any]], block: Block) -> Iterable[dict[str, Any]]:
    """Yield for each parameter that changes shapes its number and the derivatives upwards and downwards."""
    parameters = [(k, x) for k, x in enumerate(inputs) if x["kind"] == "parameter"]
    if not parameters:
        return
    differentiator = ShapeDifferentiator(motion.model("a picture needs"), motion(track.t)[0])
    for k, slider in parameters:
        change = differentiator.change_with(slider["name"], slider["value"], slider["min"], slider["max"])
        up, down = _derivative_data(change.up, block), _derivative_data(change.down, block)
        if up["parts"] or up["struts"] or down["parts"] or down["struts"]:
            yield {"input": k, "up": up, "down": down}


def _derivative_data(derivative: ShapeDerivatives, block: Block) -> dict[str, Any]:
    parts = []
    for k, values in derivative.parts.items():
        step = float(np.abs(values).max()) / MAX_SIGNED_STEP
        parts.append([k, block.add(np.round(values / step).astype("<i2")), step])
    return {"parts": parts, "struts": [[k, *np.round(ends, 9).tolist()] for k, ends in derivative.struts.items()]}


class ShapeDifferentiator:
    """The shapes of one mechanism, over the rows of a motion, with other values of its parameters."""

    def __init__(self, mechanism: Mechanism, rows: np.ndarray) -> None:
        self.mechanism, self.rows = mechanism, rows
        with fewer_sides(len(mechanism.bodies)):
            self.builder = _ReferenceBuilder(mechanism, rows)
            self.scene = self.builder.scene()

    def change_with(self, name: str, value: float, lower: float, upper: float) -> ShapeChange:
        """The change with a parameter, or a number by its path, from `value` towards either end of its range."""
        return ShapeChange(self._derivatives_towards(name, value, upper), self._derivatives_towards(name, value, lower))

    def _derivatives_towards(self, name: str, value: float, end: float) -> ShapeDerivatives:
        for share in RANGE_SHARES if end != value else ():
            try:
                other = self.mechanism.with_parameters({name: value + share * (end - value)})
                with fewer_sides(len(other.bodies)):
                    other_scene = _ComparableBuilder(other, self.rows, self.builder).scene()
            except LagrangianError:  # such as a length at which the loops do not close where the motion begins
                continue
            return _difference_quotients(self.scene, other_scene, share * (end - value))
        return ShapeDerivatives({}, {})


@dataclass(frozen=True, eq=False)
class ShapeChange:
    """How a scene changes from the parameter's value upwards and downwards: lengths change alike, angles do not."""

    up: ShapeDerivatives
    down: ShapeDerivatives


@dataclass(frozen=True, eq=False)
class ShapeDerivatives:
    """Change per unit of a parameter: of vertices of parts, and of ends (2, 3) of struts, by their places in the scene."""

    parts: dict[int, np.ndarray]
    struts: dict[int, np.ndarray]


class _ReferenceBuilder(SceneBuilder):
    """Builds the scene that gives its measures to others."""

    def _ground(self, points: np.ndarray) -> None:
        self.points = points
        super()._ground(points)


class _ComparableBuilder(SceneBuilder):
    """Builds the scene of other values, with bars as thick as in the first, on a ground as high."""

    def __init__(self, mechanism: Mechanism, rows: np.ndarray, first: _ReferenceBuilder) -> None:
        self.first = first
        super().__init__(mechanism, rows)

    def _size(self) -> float:
        return self.first.size

    def _radius_and_pins(self) -> tuple[float, bool]:
        return self.first.radius, self.first.draws_pins

    def _ground(self, points: np.ndarray) -> None:
        super()._ground(self.first.points)


def _difference_quotients(first: Scene, other: Scene, change: float) -> ShapeDerivatives:
    """The derivatives of parts with as many vertices and the same faces; others look different altogether, and stay."""
    parts, struts = {}, {}
    min_change = MIN_CHANGE * first.size
    if [p.name for p in first.parts] == [p.name for p in other.parts]:
        for k, (a, b) in enumerate(zip(first.parts, other.parts, strict=True)):
            if a.vertices.shape != b.vertices.shape or not np.array_equal(a.faces, b.faces) or not _normals_agree(a, b):
                continue
            change_of_points = b.vertices.astype(float) - a.vertices
            if np.abs(change_of_points).max(initial=0.0) > min_change:
                parts[k] = change_of_points / change
    for k, (s, t) in enumerate(zip(first.struts, other.struts, strict=False)):
        change_of_points = np.array([t.a_point, t.b_point]) - np.array([s.a_point, s.b_point])
        if np.abs(change_of_points).max() > min_change:
            struts[k] = change_of_points / change
    return ShapeDerivatives(parts, struts)


def _normals_agree(a: ScenePart, b: ScenePart) -> bool:
    """Whether vertices with the same number are the same points: their normals then differ by little."""
    return float((a.normals * b.normals).sum(axis=1).min()) > MIN_NORMAL_COSINE
