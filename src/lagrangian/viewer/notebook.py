"""The module that a notebook loads for an animation: the scripts of pages, and what ties them to the notebook."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from lagrangian.errors import ArgumentError, ArgumentName, format_value, is_number, unknown_name_message
from lagrangian.motion.motion import Motion
from lagrangian.page_motion import simulate_again
from lagrangian.viewer.page import compute_script, compute_style, page_html, player_html, player_script, player_style
from lagrangian.viewer.page_program import PageProgram, page_program
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scene.track import motion_track


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


# MERGED lagrangian.viewer.notebook.shown: An animation that shows itself in a cell: as a widget where there are widgets, else
# as a page in a frame.

FRAME_HEIGHT = 560  # px, of a page in a frame
STILL_SIZE = (480, 360)


@dataclass(frozen=True)
class NotebookAnimation:
    """A motion, as it is seen and computed."""

    motion: Motion
    track: Track
    program: PageProgram | None
    speed: float

    @property
    def title(self) -> str:
        return self.motion.name or "motion"

    def html(self) -> str:
        """The page in a frame, before a picture of it that remains where frames are not allowed."""
        from lagrangian.viewer.render.painter import Painter

        page = page_html(self.track, self.title, speed=self.speed, program=self.program)
        picture = _png_base64(Painter(self.track, STILL_SIZE).frame(0))
        name = escape(f"animation of {self.title}", quote=True)
        over = "position:absolute;inset:0;width:100%;height:100%;border:0"
        return (
            f'<div style="position:relative;height:{FRAME_HEIGHT}px;overflow:hidden">'
            f'<img src="data:image/png;base64,{picture}" alt="{name}" style="max-width:100%">'
            f'<iframe title="{name}" style="{over}" srcdoc="{escape(page, quote=True)}"></iframe></div>'
        )


class FramedAnimation:
    """An animation for a cell without widgets: its page, in a frame."""

    def __init__(self, animation: NotebookAnimation) -> None:
        self.animation = animation

    def _repr_html_(self) -> str:
        return self.animation.html()

    def __repr__(self) -> str:
        return console_text(self.animation)


def display_in_notebook(motion: Motion, speed: float, trace: str | Iterable[str] | None, sliders: Any) -> Any:
    """What `animate` gives in a notebook."""
    animation_track = motion_track(motion, trace=trace)
    animation = NotebookAnimation(motion, animation_track, page_program(motion, animation_track, sliders), speed)
    try:
        pass
    except ImportError:  # of anywidget, which is an extra
        return FramedAnimation(animation)
    return AnimationWidget(animation)


def console_text(animation: NotebookAnimation) -> str:
    """For a console, which can show no more."""
    return f"<animation of {animation.title}: a notebook shows it; motion.animate(path) writes it to a file>"


def _png_base64(pixels: Any) -> str:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).quantize(128).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")


# MERGED lagrangian.viewer.notebook.widget: The widget of a motion: its player and its sliders in a cell, with their values in
# Python too.

WIDGET_HEIGHT = "420px"  # of the picture


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
    tells of it, and they can be set: `widget.inputs = {"l1": 0.4}` moves one slider and leaves the others. `widget.motion()`
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
        """The motion with these values, simulated; with the first ones it is the motion that was animated."""
        return simulate_again(self._animation.motion, list(self._sliders.values()), self.inputs)

    @traitlets.validate("inputs")
    def _validate_inputs(self, proposal: Any) -> SliderValues:
        changes = proposal["value"]
        now = {name: slider["value"] for name, slider in self._sliders.items()} | dict(self._trait_values.get("inputs") or {})
        return SliderValues(now | {name: self._check_value(name, x) for name, x in changes.items()}, self)

    def _check_value(self, name: str, value: Any) -> float:
        slider, where = self._sliders.get(name), ArgumentName("inputs")
        if slider is None:
            remedy = f"animate(sliders=[{name!r}]) adds it"
            raise ArgumentError(unknown_name_message("slider", name, list(self._sliders)), where=where, remedy=remedy)
        if not is_number(value):
            raise ArgumentError(f"{name!r} is {format_value(value)}", where=where, remedy="a finite number is needed")
        if not slider["min"] <= value <= slider["max"]:
            problem = f"{name!r} is {value:.6g}, but its slider ranges from {slider['min']:.6g} to {slider['max']:.6g}"
            raise ArgumentError(problem, where=where, remedy=f"animate(sliders=[({name!r}, least, most)]) changes the range")
        return float(value)

    def __repr__(self) -> str:
        return console_text(self._animation)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget; and the page in a frame, for places that know no widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle and ({**bundle[0], "text/html": self._animation.html()}, bundle[1])
