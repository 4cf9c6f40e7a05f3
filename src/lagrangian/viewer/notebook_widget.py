"""The widget of a motion: its player and its sliders in a cell of a notebook, with their values in Python too.

This module needs anywidget, which is an extra: `viewer.notebook` imports it where it is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from lagrangian.errors import ArgumentError, ArgumentName, format_value, is_number, unknown_name_message
from lagrangian.motion.motion import Motion
from lagrangian.page_motion import simulate_again
from lagrangian.viewer.notebook import NotebookAnimation, console_text
from lagrangian.viewer.page import compute_script, compute_style, player_html, player_script, player_style

WIDGET_HEIGHT = "420px"  # of the picture


@cache
def notebook_style() -> str:
    return f"{player_style()}\n{compute_style()}\n{_read_asset('notebook.css')}"


@cache
def notebook_script() -> str:
    """An ECMAScript module.

    Every widget of a notebook loads it. What is shared, one picture after another on one stage, is made by the first that has
    these very scripts.
    """
    scripts = "\n".join(f'(() => {{\n"use strict";\n{x}}})();' for x in (player_script(), compute_script()))
    key = f"lagrangian {sha256(scripts.encode()).hexdigest()[:16]}"
    shared_object = f"(() => {{\n{scripts}\nreturn {{ mount: window.lagrangianCompute, count: 0 }};\n}})()"
    return f'const shared = (globalThis["{key}"] ??= {shared_object});\n{_read_asset("notebook.js")}'


def _read_asset(name: str) -> str:
    return (files("lagrangian.viewer") / "notebook" / name).read_text(encoding="utf-8")


class SliderValues(dict[str, float]):
    """Values by the names of their sliders; one that is set here is set in the widget."""

    def __init__(self, values: Mapping[str, float], widget: AnimationWidget) -> None:
        super().__init__(values)
        self._widget = widget

    def __setitem__(self, name: str, value: float) -> None:
        self._widget.inputs = {name: value}

    def update(self, *mappings: Any, **values: Any) -> None:
        self._widget.inputs = dict(*mappings, **values)

    def __reduce__(self) -> tuple[Any, ...]:  # a copy is a table of numbers
        return dict, (dict(self),)


class AnimationWidget(anywidget.AnyWidget):
    """The animation of a motion in a notebook, which `motion.animate()` gives there.

    `inputs` are the values of its sliders by name. They change as the sliders are moved, `widget.observe(function, "inputs")`
    reports this, and they can be set: `widget.inputs = {"l1": 0.4}` moves one slider and leaves the others. `widget.motion()`
    simulates the motion with them.
    """

    _esm = notebook_script()
    _css = notebook_style()
    _markup = traitlets.Unicode().tag(sync=True)
    inputs = traitlets.Dict().tag(sync=True)

    def __init__(self, animation: NotebookAnimation) -> None:
        self._animation = animation
        program = animation.program
        plan = program.data["plan"] if program is not None and program.data is not None else {"inputs": []}
        self._sliders: dict[str, dict[str, Any]] = {slider["label"]: slider for slider in plan["inputs"]}
        markup = player_html(animation.track, height=WIDGET_HEIGHT, speed=animation.speed, program=program)
        super().__init__(_markup=markup, inputs={name: slider["value"] for name, slider in self._sliders.items()})

    def motion(self) -> Motion:
        """Simulate the motion with these values; with the first ones it is the motion that was animated."""
        return simulate_again(self._animation.motion, list(self._sliders.values()), self.inputs)

    @traitlets.validate("inputs")
    def _validate_inputs(self, proposal: Any) -> SliderValues:
        changes = proposal["value"]
        values = {name: slider["value"] for name, slider in self._sliders.items()} | dict(self._trait_values.get("inputs") or {})
        return SliderValues(values | {name: self._check_value(name, x) for name, x in changes.items()}, self)

    def _check_value(self, name: str, value: Any) -> float:
        slider, where = self._sliders.get(name), ArgumentName("inputs")
        if slider is None:
            remedy = f"animate(sliders=[{name!r}]) adds it"
            raise ArgumentError(unknown_name_message("slider", name, list(self._sliders)), where=where, remedy=remedy)
        if not is_number(value):
            raise ArgumentError(f"{name!r} is {format_value(value)}", where=where, remedy="a finite number is needed")
        if not slider["min"] <= value <= slider["max"]:
            problem = f"{name!r} is {value:.6g}, but its slider ranges from {slider['min']:.6g} to {slider['max']:.6g}"
            raise ArgumentError(problem, where=where, remedy=f"animate(sliders=[({name!r}, lower, upper)]) changes the range")
        return float(value)

    def __repr__(self) -> str:
        return console_text(self._animation)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget; and the page in a frame, for places that know no widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle and ({**bundle[0], "text/html": self._animation.html()}, bundle[1])
