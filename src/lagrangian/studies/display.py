"""Plots and reports as methods of a study. Other packages do the work; they are imported when a method is called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from lagrangian.public import public_methods

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from lagrangian.plots.style import StyledFigure
    from lagrangian.studies.result import Study


@public_methods
class StudyDisplay:
    """Methods of a study that draw it."""

    def plot(
        self,
        *kinds: str,
        outputs: str | Iterable[str] | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> StyledFigure:
        """Plot the results.

        Parameters
        ----------
        *kinds : str
            The kinds of panels: "curves" (over one input of a grid), "heat maps" (over two), "scatter", "rows" (kept curves over
            time), "histograms" and "indices". By default, all that fit the study.
        outputs : str or list of str, optional
            The outputs to draw; all by default.
        path : str or path, optional
            A file to write the figure to as well (.png, .svg or .pdf).

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.
        """
        from lagrangian.plots.study import plot_study

        return plot_study(cast("Study", self), kinds, outputs=outputs, path=path)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        author: str | None = None,
        date: str | datetime.date | None = None,
        notes: str | None = None,
    ) -> Path:
        """Write a report: one web page that needs no network.

        It shows what was varied and how, the results in figures and numbers, and what failed.

        Parameters
        ----------
        path : str or path, optional
            The file; `report.html` in the study's folder by default.
        title, author : str, optional
            The title and the author, which appear at the head of the page.
        date : str or datetime.date, optional
            The date at the head of the page.
        notes : str, optional
            Text below the title. A blank line begins a new paragraph.

        Returns
        -------
        Path
            The file that was written.
        """
        from lagrangian.report.page import TitleBlock
        from lagrangian.report.study import write_study_report

        return write_study_report(cast("Study", self), path, TitleBlock.from_arguments(title, author, date, notes))

    def _repr_html_(self) -> str:
        from lagrangian.report.study import study_html

        return study_html(cast("Study", self))
