"""What a motion can show of itself. The work is done by packages to the right, imported where they are called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from lagrangian.public import public_methods
from lagrangian.types import Progress

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping
    from pathlib import Path

    from lagrangian.motion.motion import Motion
    from lagrangian.motion.motions import Motions
    from lagrangian.plots.style import StyledFigure
    from lagrangian.sizing.actuators import ActuatorSizing
    from lagrangian.viewer.live import Viewer
    from lagrangian.viewer.notebook_widget import AnimationWidget

Sliders = Iterable[str | tuple[str, float, float]] | bool | None
"""The sliders of a page: names, or names with ranges; False for none, None for those that the page chooses."""


@public_methods
class ShownMotion:
    """Methods of a motion that draw it."""

    def plot(
        self,
        *what: str,
        path: str | os.PathLike[str] | None = None,
        joints: str | Iterable[str] | None = None,
        frames: str | Iterable[str] | None = None,
        angles: str = "degrees",
        scale: str = "auto",
        others: Mapping[str, Motion] | None = None,
        label: str | None = None,
    ) -> StyledFigure:
        """Plot quantities over time.

        Without arguments the figure shows coordinates, speeds, torques, energy, and, if there are constraints, multipliers and
        drift. Dashed lines are the limits of the joints; values beyond them are marked.

        Parameters
        ----------
        *what : str
            The quantities, one panel each: "coordinates", "speeds", "accelerations", "torques", "friction", "multipliers",
            "reactions" (the sizes of the joints' forces and moments), "energy", "balance", "drift", "positions", or the name of
            a frame or body for its x, y and z.
        path : str or path, optional
            A file to write the figure to as well (.png, .svg or .pdf).
        joints : str or list of str, optional
            The coordinates and speeds to draw; all by default.
        frames : str or list of str, optional
            The frames that "positions" draws; all by default.
        angles : str, optional
            The unit of angles, "degrees" (the default) or "radians".
        scale : str, optional
            The axis of multipliers and reactions: "linear", "log", or "auto" (the default), which is logarithmic if they vary
            by orders of magnitude.
        others : mapping, optional
            Other motions to draw over this one, by their labels, such as `{"with friction": other}`.
        label : str, optional
            The label of this motion in the legend; the name of the mechanism by default.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.simulate("pendulum", 2)
        >>> figure = motion.plot("coordinates", "energy", path="swing.png")
        >>> len(figure.axes)
        2
        """
        from lagrangian.plots.motion import plot_motion

        return plot_motion(
            cast("Motion", self),
            what,
            path=path,
            joints=joints,
            frames=frames,
            angles=angles,
            scale=scale,
            other_motions=others,
            label=label,
        )

    def phase_portrait(self, *joints: str, path: str | os.PathLike[str] | None = None, angles: str = "degrees") -> StyledFigure:
        """Plot the speed of each joint over its coordinate.

        Parameters
        ----------
        *joints : str
            The joints, one panel each; all by default.
        path : str or path, optional
            A file to write the figure to as well (.png, .svg or .pdf).
        angles : str, optional
            The unit of angles, "degrees" (the default) or "radians".

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.phase import plot_phase_portrait

        return plot_phase_portrait(cast("Motion", self), joints, path=path, angles=angles)

    def plot_path(self, *frames: str, path: str | os.PathLike[str] | None = None, plane: str | None = None) -> StyledFigure:
        """Plot the paths of frames or bodies in a plane or in space.

        Parameters
        ----------
        *frames : str
            The frames or bodies; the last body by default.
        path : str or path, optional
            A file to write the figure to as well (.png, .svg or .pdf).
        plane : str, optional
            The plane, "xy", "xz" or "yz". By default a motion in one of these planes is drawn in it, and others in space.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.simulate("four_bar", 1)
        >>> figure = motion.plot_path("C", path="coupler_point.png")
        """
        from lagrangian.plots.frame_path import plot_frame_path

        return plot_frame_path(cast("Motion", self), frames, path=path, plane=plane)

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        speed: float = 1.0,
        trace: str | Iterable[str] | None = None,
        size: tuple[int, int] | None = None,
        progress: Progress = None,
        sliders: Sliders = None,
    ) -> Path | AnimationWidget:
        """Write an animation: a web page that needs no network, or a film.

        The page has sliders. When you move one, the page itself simulates the motion again.

        Parameters
        ----------
        path : str or path, optional
            The file: a page (.html) or a film (.gif, or .mp4 if ffmpeg is installed). The default is `<name>.html` in the
            current folder; in a notebook nothing is written, and the animation appears in the cell.
        speed : float, optional
            The playing speed: 0.5 is slow motion.
        trace : str or list of str, optional
            Frames or bodies whose paths are drawn.
        size : (int, int), optional
            The size of a film in pixels; 640 by 480 for .gif and 960 by 720 for .mp4 by default.
        progress : callable, optional
            A function of (done, total) that is called for every picture of a film.
        sliders : list, optional
            What the sliders of a page change: names such as "l1", "link3.mass", "q0.theta1" or "qd0.theta1", or names with
            ranges, such as `("l1", 0.2, 0.5)`. By default the page chooses; False leaves sliders out.

        Returns
        -------
        Path or AnimationWidget
            The file; in a notebook without a `path` the animation, whose `inputs` are the values of its sliders.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.simulate("pendulum", 2)
        >>> motion.animate("swing.html", trace="bob", sliders=False).name
        'swing.html'
        """
        from lagrangian.viewer.animate import animate

        return animate(cast("Motion", self), path, speed=speed, trace=trace, size=size, progress=progress, sliders=sliders)

    def view(self, *, port: int | None = None, browser: bool = True, block: bool = True) -> Viewer:
        """Play the motion in the web browser, with arrows for the forces.

        Parameters
        ----------
        port : int, optional
            The port of the page on this computer; a free one from 8080 on by default.
        browser : bool, optional
            Whether to open the web browser; True by default.
        block : bool, optional
            Whether to wait until you press Ctrl-C (the default). Otherwise the method returns at once.

        Returns
        -------
        Viewer
            The viewer; its `close()` ends it.
        """
        from lagrangian.viewer.live import view

        return view(cast("Motion", self), port=port, browser=browser, block=block)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        author: str | None = None,
        date: str | datetime.date | None = None,
        notes: str | None = None,
        sizing: ActuatorSizing | None = None,
        angles: str = "degrees",
        progress: Progress = None,
        sliders: Sliders = None,
    ) -> Path:
        """Write a report: one web page that needs no network.

        It shows the mechanism, its equations, plots, an animation, energy and drift, and actuators that could drive the motion.

        Parameters
        ----------
        path : str or path, optional
            The file; `<name>-report.html` in the current folder by default.
        title, author : str, optional
            The title and the author, which appear at the head of the page.
        date : str or datetime.date, optional
            The date at the head of the page.
        notes : str, optional
            Text below the title. A blank line begins a new paragraph.
        sizing : Sizing, optional
            What `size_actuators` found for this motion. By default the report chooses the motors of the shipped catalogue with
            the least power.
        angles : str, optional
            The unit of angles in plots, "degrees" (the default) or "radians".
        progress : callable, optional
            A function of (done, total) that is called for every part of the report.
        sliders : list, optional
            The sliders of the animation, as for `animate`.

        Returns
        -------
        Path
            The file that was written.
        """
        from lagrangian.report.page import TitleBlock
        from lagrangian.report.write import write_report

        front = TitleBlock.from_arguments(title, author, date, notes)
        return write_report(cast("Motion", self), path, progress, front, sizing, angles, sliders)

    def _repr_html_(self) -> str:
        from lagrangian.plots.notebook import motion_html

        return motion_html(cast("Motion", self))


class ShownMotions:
    """How many motions are shown."""

    def plot(
        self,
        joints: str | Iterable[str] | None = None,
        path: str | os.PathLike[str] | None = None,
        angles: str = "degrees",
    ) -> StyledFigure:
        """Plot the coordinates of all motions over time, with their median. This needs `keep="rows"`.

        Parameters
        ----------
        joints : str or list of str, optional
            The coordinates to draw; all by default.
        path : str or path, optional
            A file to write the figure to as well (.png, .svg or .pdf).
        angles : str, optional
            The unit of angles, "degrees" (the default) or "radians".

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.motion import plot_ensemble

        return plot_ensemble(cast("Motions", self), joints, path, angles)
