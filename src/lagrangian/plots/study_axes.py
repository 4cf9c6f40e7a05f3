"""Labels and ticks of a study's panels: names with their units, powers of ten taken out, and no more ticks than have room."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.plots import style
from lagrangian.plots.style import escape_label
from lagrangian.studies.result import Study

MAX_LABEL_CHARACTERS = 36  # characters of tick labels beside each other under a panel
GAP = 2  # characters between two of them


def label_with_unit(study: Study, name: str, power: str = "", max_characters: int = 30) -> str:
    """The label of a quantity with its power of ten and its unit, if it has them: `peak(qd_theta1) [10⁻⁴ rad/s]`."""
    unit_text = f"{power}{study.units.get(name, '')}".strip()
    return escape_label(_rows_argument(name), max_characters) + (f" [{unit_text}]" if unit_text else "")


def _rows_argument(output: str) -> str:
    """The quantity of a kept curve: that of `rows(theta1, 101)` is theta1."""
    return output[5:-1].split(",")[0] if output.startswith("rows(") and output.endswith(")") else output


def label_x_axis(axes: Any, study: Study, name: str, values: np.ndarray, max_characters: int = 30) -> None:
    """Set the ticks and the label of the horizontal axis."""
    power = style.extract_power_of_ten(axes.xaxis, values)
    axes.set_xlabel(label_with_unit(study, name, power, max_characters))
    limit_ticks(axes.xaxis, values, bool(power))


def label_y_axis(axes: Any, study: Study, name: str, values: np.ndarray) -> None:
    """Set the ticks and the label of the vertical axis."""
    power = style.extract_power_of_ten(axes.yaxis, values)
    axes.set_ylabel(label_with_unit(study, name, power))


def limit_ticks(axis: Any, values: np.ndarray, powers: bool) -> None:
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
