"""What results of a design can show of themselves. The work is done by packages to the right, imported where they are called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lagrangian.design.compare_turns import ComparedTurns
    from lagrangian.design.coupler_curve import CouplerCurve
    from lagrangian.design.reachable import Workspace
    from lagrangian.design.singular import Singularities
    from lagrangian.design.turn import FullTurn

File = str | os.PathLike[str] | None


class _Shown:
    """A plot, and what a notebook shows: the text and the plot."""

    def plot(self, path: File = None) -> Any:
        """A matplotlib figure; `path` writes it, too (.png, .svg, .pdf)."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from lagrangian.pictures.notebook import plotted_html

        return plotted_html(self)


class ShownTurn(_Shown):
    """Methods of a turn that draw it."""

    def plot(self, path: File = None, *, frames: str | Iterable[str] | None = None) -> Any:
        """A matplotlib figure: the linkage with its dead centres and coupler curves, and over the input all that a turn has.

        `frames` are those whose curves are drawn, by default those of the description. `path` writes it (.png, .svg, .pdf).
        """
        from lagrangian.pictures.turn_plot import turn_plot

        return turn_plot(cast("FullTurn", self), path=path, frames=frames)


class ShownTurns(_Shown):
    """Methods of turns that are compared, which draw them."""

    def plot(self, path: File = None) -> Any:
        """A matplotlib figure of what is compared over the first parameter, a curve for each value of the others.

        `path` writes it, too (.png, .svg, .pdf).
        """
        from lagrangian.pictures.turns_plot import turns_plot

        return turns_plot(cast("ComparedTurns", self), path=path)


class ShownCurve(_Shown):
    """Methods of a coupler curve that draw it."""

    def plot(self, path: File = None) -> Any:
        """A matplotlib figure of the curve, with the linkage; `path` writes it, too (.png, .svg, .pdf)."""
        from lagrangian.pictures.turn_plot import curve_plot

        return curve_plot(cast("CouplerCurve", self), path=path)


class ShownSingularities(_Shown):
    """Methods of singular configurations that draw them."""

    def plot(self, path: File = None) -> Any:
        """A matplotlib figure: the mechanism in its singular configurations, or over two coordinates a map of them.

        `path` writes it, too (.png, .svg, .pdf).
        """
        from lagrangian.pictures.singularities_plot import singularities_plot

        return singularities_plot(cast("Singularities", self), path=path)


class ShownWorkspace(_Shown):
    """Methods of a workspace that draw it."""

    def plot(self, path: File = None) -> Any:
        """A matplotlib figure of the workspace with its boundary, and the mechanism; `path` writes it, too (.png, .svg, .pdf)."""
        from lagrangian.pictures.workspace_plot import workspace_plot

        return workspace_plot(cast("Workspace", self), path=path)
