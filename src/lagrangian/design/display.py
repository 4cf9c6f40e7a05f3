"""Plots and notebook views of the results of linkage design, as base classes of these results.

Packages of a higher layer do the work, so they are imported where they are called.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lagrangian.design.compare_cycles import CycleComparison
    from lagrangian.design.coupler_curve import CouplerCurve
    from lagrangian.design.cycle import CycleAnalysis
    from lagrangian.design.singularities import Singularities
    from lagrangian.design.workspace import Workspace

File = str | os.PathLike[str] | None


class _ResultDisplay:
    """A result that can be plotted, and that a notebook shows as text and plot."""

    def plot(self, path: File = None) -> Any:
        """Plot the result.

        Parameters
        ----------
        path : str or path, optional
            A file to write the figure to (.png, .svg, .pdf).

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from lagrangian.plots.notebook import result_html

        return result_html(self)


class CycleDisplay(_ResultDisplay):
    """The methods of a cycle that draw it."""

    def plot(self, path: File = None, *, frames: str | Iterable[str] | None = None, angles: str = "degrees") -> Any:
        """Plot the cycle: the linkage with its dead centres and coupler curves, and all quantities over the input.

        Parameters
        ----------
        path : str or path, optional
            A file to write the figure to (.png, .svg, .pdf).
        frames : str or iterable of str, optional
            The frames whose curves are drawn. The default is the frames of the description.
        angles : {"degrees", "radians"}
            The unit of angles.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.cycle import plot_cycle

        return plot_cycle(cast("CycleAnalysis", self), path=path, frames=frames, angles=angles)


class CycleComparisonDisplay(_ResultDisplay):
    """The methods of a comparison of cycles that draw it."""

    def plot(self, path: File = None, *, angles: str = "degrees") -> Any:
        """Plot the compared quantities over the first parameter, with a curve for each value of the others.

        Parameters
        ----------
        path : str or path, optional
            A file to write the figure to (.png, .svg, .pdf).
        angles : {"degrees", "radians"}
            The unit of angles.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.cycle import plot_cycle_comparison

        return plot_cycle_comparison(cast("CycleComparison", self), path=path, angles=angles)


class CouplerCurveDisplay(_ResultDisplay):
    """The methods of a coupler curve that draw it."""

    def plot(self, path: File = None) -> Any:
        """Plot the curve with the linkage.

        Parameters
        ----------
        path : str or path, optional
            A file to write the figure to (.png, .svg, .pdf).

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.cycle import plot_coupler_curve

        return plot_coupler_curve(cast("CouplerCurve", self), path=path)


class SingularitiesDisplay(_ResultDisplay):
    """The methods of singular configurations that draw them."""

    def plot(self, path: File = None, *, angles: str = "degrees") -> Any:
        """Plot the mechanism in its singular configurations, or a map of them over two coordinates.

        Parameters
        ----------
        path : str or path, optional
            A file to write the figure to (.png, .svg, .pdf).
        angles : {"degrees", "radians"}
            The unit of angles.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.singularities import plot_singularities

        return plot_singularities(cast("Singularities", self), path=path, angles=angles)


class WorkspaceDisplay(_ResultDisplay):
    """The methods of a workspace that draw it."""

    def plot(self, path: File = None) -> Any:
        """Plot the workspace with its boundary, and the mechanism.

        Parameters
        ----------
        path : str or path, optional
            A file to write the figure to (.png, .svg, .pdf).

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.workspace import plot_workspace

        return plot_workspace(cast("Workspace", self), path=path)
