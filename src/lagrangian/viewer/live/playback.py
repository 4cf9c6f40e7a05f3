"""A motion played in the live viewer: a clock with the controls that set it, and forces and torques as arrows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.motion.motion import Motion
from lagrangian.posing.handles import handle_values, joint_handles
from lagrangian.viewer.live.scene import LiveScene
from lagrangian.viewer.live.show_panel import ShowPanel, escape_markdown
from lagrangian.viewer.scene.palette import ARROW_COLOURS
from lagrangian.viewer.scene.scene import Arrows, Track

FRAME_RATE = 30.0  # pictures per second
SPEEDS = {"1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "5": 5.0}
NO_PATH = "none"


@dataclass
class Clock:
    """The time that is shown, from `first` to `last`."""

    first: float
    last: float
    t: float
    speed: float = 1.0
    loop: bool = True
    playing: bool = False

    def advance(self, seconds: float) -> None:
        """Let time pass; at the end, begin again or stop."""
        if not self.playing:
            return
        span = self.last - self.first
        self.t += self.speed * seconds
        if self.t > self.last:
            if self.loop and span > 0:
                self.t = self.first + (self.t - self.first) % span
            else:
                self.t, self.playing = self.last, False

    def toggle(self) -> None:
        """Play or pause; at the end, play from the beginning."""
        self.playing = not self.playing
        if self.playing and self.t >= self.last:
            self.t = self.first


def interpolate_track(track: Track, t: float) -> tuple[np.ndarray, np.ndarray, int, float]:
    """Positions and quaternions at a time, the row before it, and the share of the way to the next row."""
    rows = len(track.t)
    k = int(np.clip(np.searchsorted(track.t, t, side="right") - 1, 0, max(0, rows - 2)))
    if rows == 1:
        return track.positions[0], track.quaternions[0], 0, 0.0
    share = float(np.clip((t - track.t[k]) / (track.t[k + 1] - track.t[k]), 0, 1))
    p = (1 - share) * track.positions[k] + share * track.positions[k + 1]
    quaternions = (1 - share) * track.quaternions[k] + share * track.quaternions[k + 1]
    return p, quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True), k, share


class PlaybackPanel:
    """Play, pause, scrub; forces as arrows; the path of a frame; energies."""

    def __init__(self, server: Any, scene: LiveScene, motion: Motion, track: Track) -> None:
        self.server, self.scene, self.motion, self.track = server, scene, motion, track
        first, last = float(track.t[0]), float(track.t[-1])
        self.clock = Clock(first, last, first)
        self._lock, self._ended, self._numbers_time = threading.RLock(), threading.Event(), 0.0
        self._handles = joint_handles(scene.mechanism)
        self._controls()
        self.arrows = LiveArrows(server, track)
        self.arrows.add_panel(self._show)
        self._paths()
        with server.gui.add_folder("Measured"):
            self._numbers = server.gui.add_markdown("")
        ShowPanel(server, scene)
        self._show()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def q(self) -> np.ndarray:
        """The configuration at the time shown."""
        return self.motion(self.clock.t)[0]

    def play(self) -> None:
        """Play or pause."""
        with self._lock:
            self.clock.toggle()
            self._show()

    def stop(self) -> None:
        """End the thread that plays."""
        self._ended.set()
        self._thread.join(timeout=2)

    def _controls(self) -> None:
        gui, clock = self.server.gui, self.clock
        self._button = gui.add_button("Play")
        self._button.on_click(lambda _: self.play())
        span = clock.last - clock.first
        self._time = gui.add_slider("Time [s]", clock.first, max(clock.last, clock.first + 1e-6), _slider_step(span), clock.first)
        self._time.on_update(lambda event: self._on_scrub() if event.client_id is not None else None)
        speed = gui.add_dropdown("Speed", list(SPEEDS), initial_value="1")
        loop = gui.add_checkbox("Repeat", True)

        def set_speed(_: Any) -> None:
            clock.speed = SPEEDS[speed.value]

        def set_loop(_: Any) -> None:
            clock.loop = loop.value

        speed.on_update(set_speed)
        loop.on_update(set_loop)

    def _paths(self) -> None:
        frames = [NO_PATH, *self.scene.scene.frames[1:]]
        dropdown = self.server.gui.add_dropdown("Path of", frames, initial_value=NO_PATH)

        def draw(_: Any = None) -> None:
            row = frames.index(dropdown.value)
            self.scene.show_path(self.track.positions[:, row] if row else None)

        dropdown.on_update(draw)

    def _on_scrub(self) -> None:
        with self._lock:
            self.clock.playing = False
            self.clock.t = float(np.clip(self._time.value, self.clock.first, self.clock.last))
            self._show(scrubbed=True)

    def _run(self) -> None:
        previous_time = time.monotonic()
        while not self._ended.wait(1 / FRAME_RATE):
            now = time.monotonic()
            with self._lock:
                if self.clock.playing:
                    self.clock.advance(now - previous_time)
                    self._show(playing=True)
            previous_time = now

    def _show(self, scrubbed: bool = False, playing: bool = False) -> None:
        p, quaternions, row, share = interpolate_track(self.track, self.clock.t)
        with self.server.atomic():  # the arrows move together with the bodies
            self.scene.show(p, quaternions)
            self.arrows.show(row, share)
        if not scrubbed:
            self._time.value = round(self.clock.t, 6)
        self._button.label = "Pause" if self.clock.playing else "Play"
        # nobody can read numbers that change faster
        if not playing or not self.clock.playing or time.monotonic() - self._numbers_time > 0.2:
            self._numbers_time = time.monotonic()
            self._numbers.content = self._text()

    def _text(self) -> str:
        m, t = self.motion, self.clock.t
        kinetic, potential, balance = (np.interp(t, m.t, x) for x in (m.kinetic_energy, m.potential_energy, m.energy_balance))
        lines = [
            f"kinetic energy {kinetic:.4g} J",
            f"potential energy {potential:.4g} J",
            f"total {kinetic + potential:.4g} J",
            f"energy balance off by {abs(balance):.1e} J",
        ]
        if len(m.constraint_names):
            lines.append(f"loops drift by {np.interp(t, m.t, m.drift):.1e}")
        values = handle_values(self._handles, self.q)
        lines += [
            escape_markdown(f"{handle.name} = {handle.text(x)}") for handle, x in zip(self._handles[:12], values, strict=False)
        ]
        return "\n\n".join(lines)


def _slider_step(span: float) -> float:
    """The step of the time slider."""
    return float(10.0 ** np.floor(np.log10(max(span, 1e-6) / 300)))


class LiveArrows:
    """The arrows of a track, in one set for each kind and unit, which is shown and hidden together."""

    def __init__(self, server: Any, track: Track) -> None:
        self.server, self.size = server, track.scene.size
        self.groups: dict[tuple[str, str], list[Arrows]] = {}
        for arrow in track.arrows:
            self.groups.setdefault((arrow.group, arrow.unit), []).append(arrow)
        self.shown: dict[tuple[str, str], bool] = dict.fromkeys(self.groups, False)
        self._drawn: dict[tuple[str, str], Any] = {}

    def add_panel(self, changed: Callable[[], None]) -> None:
        """Add a checkbox for each set."""
        if not self.groups:
            return
        with self.server.gui.add_folder("Forces"):
            for key, arrows in self.groups.items():
                group, unit = key
                amount = _round_down(0.15 * self.size / arrows[0].scale) if arrows[0].scale > 0 else 1.0
                box = self.server.gui.add_checkbox(
                    f"{group.capitalize()} [{unit}]",
                    False,
                    hint=f"{amount:g} {unit} is drawn {amount * arrows[0].scale:.3g} m long",
                )

                def on_toggle(_: Any, key: tuple[str, str] = key, box: Any = box) -> None:
                    self.shown[key] = box.value
                    changed()

                box.on_update(on_toggle)

    def show(self, row: int, share: float) -> None:
        """Show the arrows at a row, or at a share of the way to the next."""
        for key, arrows in self.groups.items():
            if not self.shown[key]:
                if key in self._drawn:
                    self._drawn.pop(key).remove()
                continue
            next_row = min(row + 1, len(arrows[0].points) - 1)
            points = np.array([(1 - share) * a.points[row] + share * a.points[next_row] for a in arrows])
            vectors = np.array([a.scale * ((1 - share) * a.vectors[row] + share * a.vectors[next_row]) for a in arrows])
            ends = np.stack([points, points + vectors], axis=1).astype(np.float32)
            visible = np.linalg.norm(vectors, axis=1) > 1e-3 * self.size
            ends[~visible, 1] = ends[~visible, 0]
            if key in self._drawn:
                self._drawn[key].points = ends
            else:
                thickness = 0.004 * self.size
                self._drawn[key] = self.server.scene.add_arrows(
                    f"/own/{key[0]} {key[1].replace(' ', '')}",
                    ends,
                    colors=ARROW_COLOURS.get(key[0], (0.3, 0.3, 0.3)),
                    shaft_radius=thickness,
                    head_radius=2.6 * thickness,
                    head_length=7 * thickness,
                )


def _round_down(x: float) -> float:
    """The next lower number that is 1, 2 or 5 times a power of ten."""
    power = 10 ** np.floor(np.log10(x))
    return float(max(k for k in (1, 2, 5) if k * power <= x * (1 + 1e-9)) * power)
