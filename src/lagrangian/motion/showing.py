"""What a motion can show of itself. The work is done by packages to the right, imported where they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lagrangian.public import methods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lagrangian.motion.motion import Motion
    from lagrangian.motion.motions import Motions


@methods
class ShownMotion:
    """Methods of a motion that draw it."""

    def plot(
        self,
        *what: str,
        path: Any = None,
        joints: str | Iterable[str] | None = None,
        frames: str | Iterable[str] | None = None,
        angles: str = "degrees",
        scale: str = "auto",
    ) -> Any:
        """A matplotlib figure of coordinates, speeds, torques, multipliers, energy and drift over time, or of those named.

        `joints` picks coordinates and speeds by name; `frames` are those whose x, y and z are plotted. `angles` are in "degrees"
        or "radians". `scale` of multipliers and reactions is "linear", "log", or "auto": where they grow by orders of magnitude
        the axis shows these. `path` writes the figure too (.png, .svg, .pdf).
        """
        from lagrangian.pictures.motion_plot import motion_plot

        return motion_plot(cast("Motion", self), what, path=path, joints=joints, frames=frames, angles=angles, scale=scale)

    def phase_portrait(self, *joints: str, path: Any = None, angles: str = "degrees") -> Any:
        """Speeds over coordinates, of the joints named or of all: a matplotlib figure."""
        from lagrangian.pictures.phase import phase_portrait

        return phase_portrait(cast("Motion", self), joints, path=path, angles=angles)

    def plot_path(self, *frames: str, path: Any = None, plane: str | None = None) -> Any:
        """The way frames or bodies take, seen in a plane ("xy", "xz", "yz") or in space: a matplotlib figure."""
        from lagrangian.pictures.frame_path import frame_path

        return frame_path(cast("Motion", self), frames, path=path, plane=plane)

    def animate(
        self,
        path: Any = None,
        *,
        speed: float = 1.0,
        trace: Any = None,
        size: tuple[int, int] | None = None,
        progress: Any = None,
    ) -> Any:
        """An animation: one offline page (.html), or a film (.gif; .mp4 where ffmpeg is there). Gives the path written.

        `speed` of 0.5 is slow motion. `trace` names frames whose path is drawn. `size` of a film is in pixels: 640 x 480 for
        .gif, 960 x 720 for .mp4 if not said. `progress(done, total)` is called for every picture of a film.
        """
        from lagrangian.viewer.animate import animate

        return animate(cast("Motion", self), path, speed=speed, trace=trace, size=size, progress=progress)

    def view(self, *, port: int | None = None, browser: bool = True, block: bool = True) -> Any:
        """Played in the browser, with the forces as arrows. Ends with Ctrl-C, or gives the viewer if not `block`."""
        from lagrangian.viewer.live.viewer import view

        return view(cast("Motion", self), port=port, browser=browser, block=block)

    def report(self, path: Any = None, *, progress: Any = None) -> Any:
        """One offline page: the mechanism, its equations, plots, animation, energy and drift, actuators. Gives the path.

        The file is `<name>-report.html` here if `path` does not say another. `progress(done, total)` is told of every part.
        """
        from lagrangian.report.write import write_report

        return write_report(cast("Motion", self), path, progress)

    def _repr_html_(self) -> str:
        from lagrangian.pictures.notebook import motion_html

        return motion_html(cast("Motion", self))


class ShownMotions:
    """How many motions are shown."""

    def plot(self, joints: str | Iterable[str] | None = None, path: Any = None, angles: str = "degrees") -> Any:
        """A matplotlib figure of coordinates over time, a thin line a motion, with their median: of those whose rows were kept.

        `joints` picks coordinates by name; `path` writes the figure too (.png, .svg, .pdf).
        """
        from lagrangian.pictures.spaghetti import spaghetti

        return spaghetti(cast("Motions", self), joints, path, angles)
