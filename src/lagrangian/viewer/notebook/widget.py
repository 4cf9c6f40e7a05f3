"""The widget of a motion: its player and its sliders in a cell, with their values in Python too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from lagrangian.computing import again
from lagrangian.errors import Argument, ArgumentError, is_number, one_of, shown
from lagrangian.motion.motion import Motion
from lagrangian.viewer.notebook.script import notebook_script, notebook_style
from lagrangian.viewer.notebook.shown import Animated, described
from lagrangian.viewer.page import player_html

HEIGHT = "420px"  # of the picture


class Inputs(dict[str, float]):
    """Values by the names of their sliders; one that is set here is set in the widget."""

    def __init__(self, values: Mapping[str, float], widget: AnimationWidget) -> None:
        super().__init__(values)
        self._widget = widget

    def __setitem__(self, name: str, value: float) -> None:
        self._widget.inputs = {name: value}

    def update(self, *given: Any, **named: Any) -> None:
        self._widget.inputs = dict(*given, **named)

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

    def __init__(self, animated: Animated) -> None:
        self._animated = animated
        computing = animated.computing
        plan = computing.data["plan"] if computing is not None and computing.data is not None else {"inputs": []}
        self._known: dict[str, dict[str, Any]] = {it["label"]: it for it in plan["inputs"]}
        markup = player_html(animated.track, height=HEIGHT, speed=animated.speed, computing=computing)
        super().__init__(_markup=markup, inputs={name: it["value"] for name, it in self._known.items()})

    def motion(self) -> Motion:
        """The motion with these values, simulated; with the first ones it is the motion that was animated."""
        return again(self._animated.motion, list(self._known.values()), self.inputs)

    @traitlets.validate("inputs")
    def _checked(self, proposal: Any) -> Inputs:
        given = proposal["value"]
        now = {name: it["value"] for name, it in self._known.items()} | dict(self._trait_values.get("inputs") or {})
        return Inputs(now | {name: self._value(name, x) for name, x in given.items()}, self)

    def _value(self, name: str, given: Any) -> float:
        it, where = self._known.get(name), Argument("inputs")
        if it is None:
            made = f"animate(sliders=[{name!r}]) adds it"
            raise ArgumentError(one_of("slider", name, list(self._known)), where=where, remedy=made)
        if not is_number(given):
            raise ArgumentError(f"{name!r} is {shown(given)}", where=where, remedy="a finite number is needed")
        if not it["min"] <= given <= it["max"]:
            told = f"{name!r} is {given:.6g}, but its slider ranges from {it['min']:.6g} to {it['max']:.6g}"
            raise ArgumentError(told, where=where, remedy=f"animate(sliders=[({name!r}, least, most)]) changes the range")
        return float(given)

    def __repr__(self) -> str:
        return described(self._animated)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget; and the page in a frame, for places that know no widgets."""
        found = super()._repr_mimebundle_(**kwargs)
        return found and ({**found[0], "text/html": self._animated.html()}, found[1])
