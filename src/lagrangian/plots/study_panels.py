"""The panels of a study's figure: what is drawn of its inputs and outputs on one pair of axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.plots import style
from lagrangian.plots.style import BLUE, GREY, ORANGE, RED, SKY, escape_label
from lagrangian.studies.indices import SensitivityIndices
from lagrangian.studies.result import Study

MAX_POINTS, MAX_CURVES, BINS = 2000, 150, 16  # that are drawn of many samples; bins of a running median
MAX_LABEL_CHARACTERS = 36  # characters of tick labels beside each other under a panel
GAP = 2  # characters between two of them
MISSING = "#EEEEEE"
RAMP = "viridis"


@dataclass(frozen=True)
class StudyPanel:
    """A panel of a study and how it is drawn; panels with the same `row` stand beside each other."""

    row: str
    draw: Callable[[Any], None]


def evenly_chosen(count: int, max_count: int) -> np.ndarray:
    """The indices of at most so many samples, evenly chosen."""
    return np.arange(count) if count <= max_count else np.unique(np.linspace(0, count - 1, max_count).round().astype(int))


# -- grids --------------------------------------------------------------------------------------------------------------


def curves(study: Study, outputs: Iterable[str]) -> list[StudyPanel]:
    """Panels of each output over the only input of a grid; of several draws they show the median and where nine of ten lie."""
    (name, span), *_ = study.design.grid_axes.items()
    x = np.array(span.values)

    def panel(output: str) -> StudyPanel:
        y = study.grid_array(output)

        def draw(axes: Any) -> None:
            if y.ndim == 2:
                _draw_bands(axes, x, y.T)
            else:
                marks = {"marker": "o", "markersize": 2.6} if len(x) <= 60 else {}
                axes.plot(x, y, color=BLUE, **marks)
                _mark_failures(axes, x, y)
            axes.margins(x=0.03)
            nominal = _nominal(study, name)
            if nominal is not None:
                axes.axvline(nominal, color=GREY, linestyle=(0, (1.3, 1.3)), linewidth=0.9)
            _label_x_axis(axes, study, name, x)
            _label_y_axis(axes, study, output, y)

        return StudyPanel("curves", draw)

    return [panel(output) for output in outputs]


def _nominal(study: Study, name: str) -> float | None:
    """The mechanism's own value of an input, if it is within the grid."""
    value, values = study.about.get("nominal", {}).get(name), study.design.grid_axes[name].values
    return float(value) if value is not None and min(values) <= value <= max(values) else None


def _draw_bands(axes: Any, x: np.ndarray, samples: np.ndarray) -> None:
    """Draw the median of samples, (samples, places), and bands in which half and nine of ten of them lie."""
    has_values = np.isfinite(samples).any(axis=0)
    low, lower, middle, upper, high = np.nanquantile(samples[:, has_values], (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)
    axes.fill_between(x[has_values], low, high, color=BLUE, alpha=0.16, linewidth=0, label="5 to 95 %")
    axes.fill_between(x[has_values], lower, upper, color=BLUE, alpha=0.28, linewidth=0, label="25 to 75 %")
    axes.plot(x[has_values], middle, color=BLUE, label="median")
    axes.legend(loc="best")


def _mark_failures(axes: Any, x: np.ndarray, y: np.ndarray) -> None:
    """Mark the samples without a result at the bottom of the axes."""
    is_missing = ~np.isfinite(y)
    if is_missing.any():
        base = np.zeros(int(is_missing.sum()))
        axes.plot(
            x[is_missing], base, "x", color=RED, markersize=4, transform=axes.get_xaxis_transform(), clip_on=False, label="failed"
        )
        axes.legend(loc="best")


def heat_maps(study: Study, outputs: Iterable[str]) -> list[StudyPanel]:
    """Panels of each output over two inputs of a grid; of several draws they show the mean. Samples that failed are grey."""
    (first, a), (second, b) = list(study.design.grid_axes.items())[:2]
    x, y = np.array(a.values), np.array(b.values)

    def panel(output: str) -> StudyPanel:
        z = study.grid_array(output)
        mean = _mean_of_finite(z, tuple(range(2, z.ndim))).T

        def draw(axes: Any) -> None:
            axes.set_facecolor(MISSING)
            axes.grid(False)
            mesh = axes.pcolormesh(_edges(x), _edges(y), np.ma.masked_invalid(mean), cmap=RAMP, rasterized=True)
            if _is_smooth(mean):
                axes.contour(x, y, mean, colors="white", linewidths=0.6, alpha=0.7)
            nominal = _nominal(study, first), _nominal(study, second)
            if None not in nominal:
                axes.plot(*nominal, marker="+", color="white", markersize=9, markeredgewidth=1.6)
            bar = axes.figure.colorbar(mesh, ax=axes, pad=0.02)
            bar.outline.set_visible(False)
            power = style.extract_power_of_ten(bar.ax.yaxis, mean)
            axes.set_title(_label_with_unit(study, output, power, 44), loc="left")
            _label_x_axis(axes, study, first, x)
            _label_y_axis(axes, study, second, y)

        return StudyPanel("heat maps", draw)

    return [panel(output) for output in outputs]


def _is_smooth(z: np.ndarray) -> bool:
    """Whether contour lines make sense: each cell is near the mean of its neighbours."""
    if min(z.shape) < 5 or not np.isfinite(z).all() or np.ptp(z) == 0:
        return False
    curvature = z[1:-1, 1:-1] - (z[2:, 1:-1] + z[:-2, 1:-1] + z[1:-1, 2:] + z[1:-1, :-2]) / 4
    return float(curvature.std()) < 0.06 * float(z.std())


def _mean_of_finite(z: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    if not axes:
        return z
    is_finite = np.isfinite(z)
    with np.errstate(invalid="ignore"):
        means: np.ndarray = np.where(is_finite, z, 0.0).sum(axis=axes) / is_finite.sum(axis=axes)
    return means


def _edges(x: np.ndarray) -> np.ndarray:
    """The edges of cells about these values, which need be neither even nor sorted."""
    if len(x) == 1:
        return np.array([x[0] - 0.5, x[0] + 0.5])
    middle = (x[1:] + x[:-1]) / 2
    return np.concatenate([[2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]])


# -- samples ------------------------------------------------------------------------------------------------------------


def scatter(study: Study, outputs: Iterable[str], max_inputs: int = 3) -> list[StudyPanel]:
    """Panels of each output over the inputs that it depends on most, with a running median."""
    samples = study.values()

    def panel(output: str, k: int, y: np.ndarray) -> StudyPanel:
        x = samples[:, k]

        def draw(axes: Any) -> None:
            drawn_samples = evenly_chosen(len(y), MAX_POINTS)
            size = 9.0 if len(drawn_samples) < 300 else 4.0
            alpha = 0.35 if len(drawn_samples) > 100 else 0.7
            axes.scatter(x[drawn_samples], y[drawn_samples], s=size, color=BLUE, alpha=alpha, linewidths=0, rasterized=True)
            _draw_running_median(axes, x, y)
            axes.margins(x=0.03)
            _label_x_axis(axes, study, study.inputs[k], x)
            _label_y_axis(axes, study, output, y)

        return StudyPanel(f"scatter of {output}", draw)

    panels = []
    for output in outputs:
        y = study[output]
        panels += [panel(output, k, y) for k in rank_inputs(study, output)[:max_inputs]]
    return panels


def rank_inputs(study: Study, output: str) -> list[int]:
    """The inputs, in the order of their influence on an output."""
    indices = study.indices(output)
    assert isinstance(indices, SensitivityIndices)
    size = np.nan_to_num(np.abs(indices.first if indices.total is None else indices.total))
    return [int(k) for k in np.argsort(-size, kind="stable")]


def _draw_running_median(axes: Any, x: np.ndarray, y: np.ndarray) -> None:
    is_finite = np.isfinite(y)
    x, y = x[is_finite], y[is_finite]
    if len(x) < 50 or np.ptp(x) == 0:
        return
    order = np.argsort(x, kind="stable")
    groups = np.array_split(order, min(BINS, len(x) // 25))
    axes.plot([np.median(x[k]) for k in groups], [np.median(y[k]) for k in groups], color=ORANGE, linewidth=1.8)


def histograms(study: Study, outputs: Iterable[str]) -> list[StudyPanel]:
    """Panels with a histogram of each output, its median, and the range in which nine of ten samples lie."""

    def panel(output: str) -> StudyPanel:
        y = study[output]
        y = y[np.isfinite(y)]

        def draw(axes: Any) -> None:
            if not y.size:
                axes.text(0.5, 0.5, "no results", transform=axes.transAxes, ha="center", color=GREY)
                return
            low, middle, high = np.quantile(y, (0.05, 0.5, 0.95))
            axes.hist(y, bins=_bins(y), color=BLUE, alpha=0.75, linewidth=0)
            for value, dash in ((low, (0, (4, 2))), (middle, "-"), (high, (0, (4, 2)))):
                axes.axvline(value, color=ORANGE, linestyle=dash, linewidth=1.3)
            _label_x_axis(axes, study, output, y, 44)
            axes.yaxis.get_major_locator().set_params(integer=True)
            axes.set_ylabel("samples")
            numbers = f"median {middle:.4g}, 90 % from {low:.4g} to {high:.4g}".replace("-", "\N{MINUS SIGN}")
            axes.set_title(numbers, loc="left", color=GREY, fontsize=8)

        return StudyPanel("histograms", draw)

    return [panel(output) for output in outputs]


def _bins(y: np.ndarray) -> Any:
    """Bins by the rule of Freedman and Diaconis, within limits; values that differ by rounding alone are in one bin."""
    size = float(np.abs(y).max())
    if np.ptp(y) <= 1e-12 * size:
        half = 0.5 * size or 0.5
        return np.linspace(float(y.mean()) - half, float(y.mean()) + half, 12)
    width = 2 * float(np.subtract(*np.quantile(y, (0.75, 0.25)))) / len(y) ** (1 / 3)
    return int(np.clip(np.ptp(y) / width if width > 0 else 12, 8, 60))


# -- rows over time -----------------------------------------------------------------------------------------------------


def rows(study: Study, outputs: Iterable[str]) -> list[StudyPanel]:
    """Panels of kept curves over time: coloured by the only input, or with their median and where nine of ten lie."""
    start, end = map(float, study.about["span"])
    axis_names = list(study.design.grid_axes)
    single = axis_names[0] if len(axis_names) == 1 else study.inputs[0] if len(study.inputs) == 1 else ""

    def panel(output: str) -> StudyPanel:
        y = study[output]
        over_time = end > start
        t = np.linspace(start, end, y.shape[1]) if over_time else np.arange(y.shape[1])

        def draw(axes: Any) -> None:
            drawn_samples = evenly_chosen(len(y), MAX_CURVES)
            if single:
                _draw_coloured_curves(axes, t, y[drawn_samples], study[single][drawn_samples], study, single)
            else:
                axes.plot(t, y[drawn_samples].T, color=SKY, linewidth=0.5, alpha=0.35, rasterized=len(drawn_samples) > 60)
                _draw_quantiles(axes, t, y)
            axes.set_xlabel("time [s]" if over_time else "place")
            _label_y_axis(axes, study, output, y)

        return StudyPanel("rows", draw)

    return [panel(output) for output in outputs]


def _draw_quantiles(axes: Any, t: np.ndarray, y: np.ndarray) -> None:
    """Draw the median of curves, and the bounds between which nine of ten lie."""
    has_values = np.isfinite(y).any(axis=0)
    low, middle, high = np.nanquantile(y[:, has_values], (0.05, 0.5, 0.95), axis=0)
    axes.plot(t[has_values], middle, color=BLUE, label="median")
    axes.plot(t[has_values], low, color=ORANGE, linewidth=1.1, label="5 and 95 %")
    axes.plot(t[has_values], high, color=ORANGE, linewidth=1.1)
    axes.legend(loc="best")


def _draw_coloured_curves(axes: Any, t: np.ndarray, y: np.ndarray, colour_values: np.ndarray, study: Study, name: str) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    norm = Normalize(float(colour_values.min()), float(colour_values.max()))
    for values, colour_value in zip(y, colour_values, strict=True):
        axes.plot(t, values, color=colormaps[RAMP](0.92 * norm(colour_value)), linewidth=0.9)
    bar = axes.figure.colorbar(ScalarMappable(norm, RAMP), ax=axes, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(_label_with_unit(study, name, style.extract_power_of_ten(bar.ax.yaxis, colour_values)))


# -- what matters -------------------------------------------------------------------------------------------------------


def indices(study: Study, outputs: Iterable[str]) -> list[StudyPanel]:
    """Panels with bars of Sobol's first and total indices, or of rank correlations, and their 95 % intervals."""

    def panel(output: str) -> StudyPanel:
        output_indices = study.indices(output)
        assert isinstance(output_indices, SensitivityIndices)
        order = rank_inputs(study, output)[:12][::-1]

        def draw(axes: Any) -> None:
            names = [escape_label(output_indices.names[k], 24) for k in order]
            places = np.arange(len(order))
            axes.grid(False, axis="y")
            if output_indices.total is None or output_indices.total_interval is None:
                _draw_bars(axes, places, output_indices.first[order], output_indices.first_interval[order], 0.6, BLUE, "")
                axes.axvline(0.0, color=GREY, linewidth=0.8)
                axes.set_xlim(-1.05, 1.05)
                axes.set_xlabel("rank correlation")
            else:
                _draw_bars(
                    axes, places + 0.2, output_indices.total[order], output_indices.total_interval[order], 0.36, ORANGE, "total"
                )
                _draw_bars(
                    axes,
                    places - 0.2,
                    output_indices.first[order],
                    output_indices.first_interval[order],
                    0.36,
                    BLUE,
                    "first order",
                )
                axes.margins(x=0.04)
                axes.set_xlabel("share of the variance")
                axes.legend(loc="lower right")
            axes.set_yticks(places, names)
            axes.set_title(escape_label(output, 44), loc="left")

        return StudyPanel("indices", draw)

    return [panel(output) for output in outputs]


def _draw_bars(
    axes: Any, places: np.ndarray, values: np.ndarray, interval: np.ndarray, thickness: float, colour: str, label: str
) -> None:
    spread = np.nan_to_num(np.abs(interval.T - values))
    axes.barh(places, np.nan_to_num(values), thickness, color=colour, alpha=0.85, label=label)
    axes.errorbar(values, places, xerr=spread, fmt="none", ecolor="#333333", elinewidth=0.9, capsize=2)


# -- labels and ticks ---------------------------------------------------------------------------------------------------


def _label_with_unit(study: Study, name: str, power: str = "", max_characters: int = 30) -> str:
    """The label of a quantity with its power of ten and its unit, if it has them: `peak(qd_theta1) [10⁻⁴ rad/s]`."""
    unit_text = f"{power}{study.units.get(name, '')}".strip()
    return escape_label(_rows_argument(name), max_characters) + (f" [{unit_text}]" if unit_text else "")


def _rows_argument(output: str) -> str:
    """The quantity of a kept curve: that of `rows(theta1, 101)` is theta1."""
    return output[5:-1].split(",")[0] if output.startswith("rows(") and output.endswith(")") else output


def _label_x_axis(axes: Any, study: Study, name: str, values: np.ndarray, max_characters: int = 30) -> None:
    """Set the ticks and the label of the horizontal axis."""
    power = style.extract_power_of_ten(axes.xaxis, values)
    axes.set_xlabel(_label_with_unit(study, name, power, max_characters))
    _limit_ticks(axes.xaxis, values, bool(power))


def _label_y_axis(axes: Any, study: Study, name: str, values: np.ndarray) -> None:
    """Set the ticks and the label of the vertical axis."""
    power = style.extract_power_of_ten(axes.yaxis, values)
    axes.set_ylabel(_label_with_unit(study, name, power))


def _limit_ticks(axis: Any, values: np.ndarray, powers: bool) -> None:
    """Set as many ticks as fit beside each other, with the digits that tell them apart."""
    from matplotlib.ticker import MaxNLocator

    finite = values[np.isfinite(values)]
    if not finite.size:
        return
    size, span = float(np.abs(finite).max()), float(np.ptp(finite))
    if size == 0 or span == 0:
        return
    if powers:  # which are taken out of the labels
        size, span = (x / 10.0 ** math.floor(math.log10(size)) for x in (size, span))
    decimals = max(0, -math.floor(math.log10(span / 5) + 1e-9))
    label = max(1, math.floor(math.log10(size)) + 1) + (decimals + 1) * bool(decimals) + bool(finite.min() < 0)
    axis.set_major_locator(MaxNLocator(nbins=int(np.clip(MAX_LABEL_CHARACTERS // (label + GAP), 2, 6)), steps=[1, 2, 2.5, 5, 10]))
