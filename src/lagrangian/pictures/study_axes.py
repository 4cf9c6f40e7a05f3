"""Labels and ticks of a study's panels: names with their units, powers of ten taken out, and no more ticks than have room."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.pictures import style
from lagrangian.pictures.style import plain
from lagrangian.studies.result import Study

ROOM = 36  # characters of tick labels beside each other under a panel
GAP = 2  # characters between two of them


def labelled(study: Study, name: str, power: str = "", most: int = 30) -> str:
    """A name with its power of ten and its unit, as far as there are any: `peak(qd_theta1) [10⁻⁴ rad/s]`."""
    inside = f"{power}{study.units.get(name, '')}".strip()
    return plain(_of_rows(name), most) + (f" [{inside}]" if inside else "")


def _of_rows(output: str) -> str:
    """rows(theta1, 101) is of theta1."""
    return output[5:-1].split(",")[0] if output.startswith("rows(") and output.endswith(")") else output


def across(axes: Any, study: Study, name: str, values: np.ndarray, most: int = 30) -> None:
    """Ticks and label of the horizontal axis."""
    power = style.power_of_ten(axes.xaxis, values)
    axes.set_xlabel(labelled(study, name, power, most))
    few_ticks(axes.xaxis, values, bool(power))


def up(axes: Any, study: Study, name: str, values: np.ndarray) -> None:
    """Ticks and label of the vertical axis."""
    power = style.power_of_ten(axes.yaxis, values)
    axes.set_ylabel(labelled(study, name, power))


def few_ticks(axis: Any, values: np.ndarray, powers: bool) -> None:
    """As many ticks as have room beside each other, by the digits that it takes to tell them apart."""
    from matplotlib.ticker import MaxNLocator

    good = values[np.isfinite(values)]
    if not good.size:
        return
    size, span = float(np.abs(good).max()), float(np.ptp(good))
    if size == 0 or span == 0:
        return
    if powers:  # which are taken out of the labels
        size, span = (x / 10.0 ** math.floor(math.log10(size)) for x in (size, span))
    decimals = max(0, -math.floor(math.log10(span / 5) + 1e-9))
    label = max(1, math.floor(math.log10(size)) + 1) + (decimals + 1) * bool(decimals) + bool(good.min() < 0)
    axis.set_major_locator(MaxNLocator(nbins=int(np.clip(ROOM // (label + GAP), 2, 6)), steps=[1, 2, 2.5, 5, 10]))
