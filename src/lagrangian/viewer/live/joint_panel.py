"""The controls of a mechanism in the live viewer: a slider for every degree of freedom, poses, and measured numbers."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from lagrangian.configuration.mobility import mobility
from lagrangian.errors import LagrangianError
from lagrangian.posing.handles import Handle
from lagrangian.posing.posture import Posture
from lagrangian.viewer.live.scene import LiveScene, poses_of
from lagrangian.viewer.live.show_panel import ShowPanel, escape_markdown
from lagrangian.viewer.scene.poses import all_poses

HOME = "home"
MAX_SLIDERS = 120


class JointPanel:
    """Sliders that move a posture, and numbers that follow it."""

    def __init__(self, server: Any, scene: LiveScene, posture: Posture) -> None:
        self.server, self.scene, self.posture = server, scene, posture
        self.home = posture.q.copy()
        self._lock = threading.RLock()
        gui, m = server.gui, posture.mechanism
        gui.add_markdown(escape_markdown(_mobility_text(posture)))
        self._message = gui.add_markdown("", visible=False)
        names = [HOME, *(name for name in m.poses if name != HOME)]
        if len(names) <= 6:
            gui.add_button_group("Pose", names).on_click(lambda event: self.go(event.target.value))
        else:
            dropdown = gui.add_dropdown("Pose", names, initial_value=names[0])
            dropdown.on_update(lambda _: self.go(dropdown.value))
        self.sliders: dict[str, Any] = {}
        self._digits: dict[str, int] = {}
        shown_handles = posture.handles[:MAX_SLIDERS]
        if len(shown_handles) < len(posture.handles):
            gui.add_markdown(f"The first {MAX_SLIDERS} of {len(posture.handles)} joint coordinates have sliders.")
        actuated = [h for h in shown_handles if h.actuated]
        passive = [h for h in shown_handles if not h.actuated]
        for title, group in (("Actuated joints", actuated), ("Passive joints", passive)):
            if group:
                with gui.add_folder(title, expand_by_default=group is actuated or len(group) <= 8 or not actuated):
                    for handle in group:
                        self._slider(handle)
        with gui.add_folder("Measured"):
            frames = list(scene.scene.frames)
            self._frame = gui.add_dropdown("Frame", frames, initial_value=_last_frame(scene))
            self._frame.on_update(lambda _: self._show_numbers())
            self._numbers = gui.add_markdown("")
        ShowPanel(server, scene)
        self._follow()

    @property
    def q(self) -> np.ndarray:
        """The configuration of the posture."""
        return self.posture.q

    def stop(self) -> None:
        """Do nothing: the panel has no thread."""

    def go(self, pose: str) -> None:
        """Move to a named pose, or home."""
        with self._lock:
            try:
                self.posture.move_to(self.home if pose == HOME and HOME not in self.posture.mechanism.poses else pose)
                self._show_message("")
            except LagrangianError as error:
                self._show_message(str(error))
            self._follow()

    # -- sliders -----------------------------------------------------------------------------------------------------

    def _slider(self, handle: Handle) -> None:
        value = to_slider_unit(handle, self.posture.values[self.posture.index[handle.name]])
        low, high = self._range(handle, value)
        step = 0.1 if handle.angle else _slider_step(high - low)
        label = f"{handle.name} [{'°' if handle.angle else 'm'}]"
        self._digits[handle.name] = digits = max(0, -math.floor(math.log10(step) + 1e-9))
        slider = self.server.gui.add_slider(label, low, high, step, min(max(round(value, digits), low), high))
        slider.precision = digits
        slider.on_update(lambda event, handle=handle: self._on_slider_moved(handle) if event.client_id is not None else None)
        self.sliders[handle.name] = slider

    def _range(self, handle: Handle, value: float) -> tuple[float, float]:
        """The range of a slider: the limits, else half a turn either way, or half the size of the mechanism."""
        if handle.angle:
            limits = [math.degrees(x) if math.isfinite(x) else math.copysign(180.0, x) for x in (handle.lower, handle.upper)]
            low, high = limits
        else:
            reach = _round_down(0.5 * self.scene.scene.size)
            low = handle.lower if math.isfinite(handle.lower) else _round_to_grid(value - reach, reach)
            high = handle.upper if math.isfinite(handle.upper) else _round_to_grid(value + reach, reach)
        return round(min(low, value), 6), round(max(high, value, low + 1e-6), 6)

    def _on_slider_moved(self, handle: Handle) -> None:
        """Drag the joint whose slider was moved in the browser."""
        with self._lock:
            # of several calls that wait here, the first moves to the value of the slider, and the others find it there
            slider = self.sliders[handle.name]
            slider_value, at = float(slider.value), self.posture.values[self.posture.index[handle.name]]
            if abs(slider_value - round(to_slider_unit(handle, at), self._digits[handle.name])) < 1e-6:
                return
            target = at + from_slider_unit(handle, slider_value - to_slider_unit(handle, at))
            result = self.posture.drag(handle.name, target)
            self._show_message(result.message)
            self._follow(None if not result.reached else handle.name)

    def _follow(self, skipped: str | None = None) -> None:
        """Show the posture in the browser; the slider that is being dragged is left alone if it is right."""
        for handle, value in zip(self.posture.handles, self.posture.values, strict=True):
            if handle.name == skipped or handle.name not in self.sliders:
                continue
            slider, shown_value = self.sliders[handle.name], round(to_slider_unit(handle, value), self._digits[handle.name])
            slider.min, slider.max = min(slider.min, shown_value), max(slider.max, shown_value)
            slider.value = shown_value
        self.scene.show(*poses_of(all_poses(self.posture.mechanism, self.posture.q)[0]))
        self._show_numbers()

    def _show_message(self, sentence: str) -> None:
        self._message.content, self._message.visible = f"**{escape_markdown(sentence)}**" if sentence else "", bool(sentence)

    def _show_numbers(self) -> None:
        row = self.scene.scene.frames.index(self._frame.value)
        x, y, z = self.scene.frames[row].position
        lines = [f"x {_number(x)}  ·  y {_number(y)}  ·  z {_number(z)} m"]
        if self.posture.has_loops:
            lines.append(f"loops closed to {self.posture.closure:.1e}")
        self._numbers.content = "\n\n".join(lines)


def to_slider_unit(handle: Handle, value: float) -> float:
    """A value in the slider's unit; an angle without limits is brought within half a turn of zero."""
    if not handle.angle:
        return value
    if not (math.isfinite(handle.lower) or math.isfinite(handle.upper)):
        value = math.remainder(value, 2 * math.pi)
    return math.degrees(value)


def from_slider_unit(handle: Handle, value: float) -> float:
    """A value of a slider in the unit of the handle."""
    return math.radians(value) if handle.angle else value


def _mobility_text(posture: Posture) -> str:
    mobility_at_q = mobility(posture.dyn, posture.q) if posture.has_constraints else None
    degrees = posture.dyn.nv if mobility_at_q is None else mobility_at_q.nearby
    m = posture.mechanism
    loops = f", {len(m.loops)} loop{'s' * (len(m.loops) != 1)}" if m.loops else ""
    bodies = f"{len(m.bodies)} bod{'y' if len(m.bodies) == 1 else 'ies'}"
    return f"{degrees} degree{'s' * (degrees != 1)} of freedom · {bodies}{loops}"


def _last_frame(scene: LiveScene) -> str:
    """The frame that is measured at first: the last named frame, such as that of a tool, or the last body."""
    return scene.scene.frames[-1]


def _number(x: float) -> str:
    return f"{0.0 if abs(x) < 5e-7 else x:.4f}"


def _round_down(x: float) -> float:
    """The next lower number that is 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(x))
    return float(max(k for k in (1, 2, 5) if k * power <= x * (1 + 1e-9)) * power)


def _round_to_grid(x: float, grid: float) -> float:
    return float(np.round(x / (0.1 * grid)) * 0.1 * grid)


def _slider_step(span: float) -> float:
    return float(10 ** math.floor(math.log10(span) - 2.5))
