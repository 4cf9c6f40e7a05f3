"""The live viewer: a mechanism to move by hand, or a motion to play, in the web browser (viser)."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
import webbrowser
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.configuration.start import as_dynamics
from lagrangian.errors import ArgumentError
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.viewer.live.server import serve, suppress_output


class Viewer:
    """A running viewer. It serves its page to this computer alone, at `url`, which has a secret token, until it is closed."""

    def __init__(self, mechanism_or_motion: Mechanism | Motion, q: Any = None, port: int | None = None) -> None:
        mechanism = mechanism_or_motion.mechanism if isinstance(mechanism_or_motion, Motion) else mechanism_or_motion
        if mechanism is None:
            raise ArgumentError(
                "the viewer needs the mechanism, which the file of this motion does not contain; use lagrangian.read(path, "
                "mechanism)"
            )
        self.mechanism = mechanism
        self._panel: Any
        # errors in the mechanism or the motion are raised before anything is served
        if isinstance(mechanism_or_motion, Motion):
            if q is not None:
                raise ArgumentError("applies to a mechanism", argument="q", remedy="a motion has its own configurations")
            from lagrangian.viewer.scene.track import motion_track

            displayed_track = motion_track(mechanism_or_motion)
        else:
            from lagrangian.configuration.assemble import assemble
            from lagrangian.posing.posture import Posture
            from lagrangian.viewer.scene.poses import drawn_configuration
            from lagrangian.viewer.scene.track import still_track

            closed_q = assemble(mechanism, drawn_configuration(mechanism, q))
            displayed_track = still_track(mechanism, closed_q)
            posture = Posture(mechanism, closed_q, displayed_track.scene.size)
        self._server, self.url = serve(port, mechanism.name)
        try:
            from lagrangian.viewer.live.scene import LiveScene

            scene = LiveScene(self._server, displayed_track, mechanism)
            if isinstance(mechanism_or_motion, Motion):
                from lagrangian.viewer.live.playback import PlaybackPanel

                self._panel = PlaybackPanel(self._server, scene, mechanism_or_motion, displayed_track)
            else:
                from lagrangian.viewer.live.joint_panel import JointPanel

                self._panel = JointPanel(self._server, scene, posture)
        except BaseException:
            with suppress_output():
                self._server.stop()
            raise
        self._open = True
        atexit.register(self.close)  # a viewer that nobody closed ends quietly too

    @property
    def q(self) -> np.ndarray:
        """The configuration that is shown."""
        q: np.ndarray = np.array(self._panel.q)
        return q

    def pose(self, frame: str) -> np.ndarray:
        """The 4 x 4 matrix of a frame, or of a body's, as it is shown."""
        return np.asarray(as_dynamics(self.mechanism).pose(self.q, frame))

    def close(self) -> None:
        """End it: the page in the browser says that the connection is lost."""
        if self._open:
            self._open = False
            atexit.unregister(self.close)
            self._panel.stop()
            with suppress_output():
                self._server.stop()

    def wait(self) -> None:
        """Serve until Ctrl-C."""
        with contextlib.suppress(KeyboardInterrupt):
            while self._open:
                time.sleep(0.2)
        self.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer of {self.mechanism.name!r} at {self.url}{'' if self._open else ', closed'}>"


def view(
    mechanism_or_motion: Mechanism | Motion,
    *,
    q: ArrayLike | None = None,
    port: int | None = None,
    browser: bool = True,
    block: bool = True,
) -> Viewer:
    """Show a mechanism, with a slider for every joint, or play a motion, in the web browser.

    Loops stay closed while a joint is moved: the other motors stand still, passive joints follow. `q` is where a mechanism
    starts, as numbers or a pose's name. `port` is by default the first free one from 8080 on. With `block` the function serves
    the page until Ctrl-C; without, it returns the viewer at once, which `close()` or a `with` block closes.

    Only this computer can open the page, at an address with a new token each time: other pages and other computers get an error.
    To view it from another computer, forward a port: `ssh -L 8080:127.0.0.1:8080 host`.
    """
    if not isinstance(mechanism_or_motion, Mechanism | Motion):
        problem = f"view takes a Mechanism or a Motion, not {type(mechanism_or_motion).__name__}"
        raise ArgumentError(problem, concerns="mechanism_or_motion")
    viewer = Viewer(mechanism_or_motion, q, port)
    print(f"{viewer.mechanism.name} is shown at {viewer.url}{' (Ctrl-C stops it)' if block else ''}", flush=True)
    if browser and has_screen():
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(viewer.url)
    if block:
        viewer.wait()
    return viewer


def has_screen() -> bool:
    """Whether there is a screen; without one, a text browser might take over the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(x) for x in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
