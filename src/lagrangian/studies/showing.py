"""What a study can show of itself. The work is done by packages to the right, imported where they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lagrangian.public import methods

if TYPE_CHECKING:
    from lagrangian.studies.result import Study


@methods
class ShownStudy:
    """Methods of a study that draw it."""

    def plot(self, *what: str, outputs: Any = None, path: Any = None) -> Any:
        """A matplotlib figure of the results: all that fits them, or what is named.

        `what` may be "curves" (over one input of a grid), "heat maps" (over two), "scatter", "rows" (of kept curves over time),
        "histograms" and "indices". `outputs` picks some. `path` writes the figure too (.png, .svg, .pdf).
        """
        from lagrangian.pictures.study_plot import study_plot

        return study_plot(cast("Study", self), what, outputs=outputs, path=path)

    def report(self, path: Any = None) -> Any:
        """One offline page: what was varied and how, the results in figures and numbers, what failed. Gives the path.

        The file is `report.html` in the study's folder if `path` does not say another.
        """
        from lagrangian.report.study import write_study_report

        return write_study_report(cast("Study", self), path)

    def _repr_html_(self) -> str:
        from lagrangian.report.study import study_html

        return study_html(cast("Study", self))
