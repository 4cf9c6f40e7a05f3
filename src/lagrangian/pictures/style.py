"""How all figures look: colours that the colour-blind tell apart, line styles for black and white, sizes, a light grid.

The settings hold while one of these figures is made or written, and never change the user's own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.files import as_path

if TYPE_CHECKING:
    from lagrangian.pictures.figure import Picture

# Okabe and Ito (2008); their yellow is too light for lines
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000"
COLORS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
GREY, FAINT = "#666666", "#B0B0B0"

# neighbours differ without their colours too; four and the seven colours have no common divisor: 28 pairs before one comes back
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (6, 1.6, 1.2, 1.6)), (0, (1.3, 1.3)))

SEVERAL = 10  # curves that a legend can name; more than these are a ramp of colours
STEADY = 1e-9  # of a curve's size: by less it does not change
MOST = 60  # curves of one panel: of more, so many are drawn, evenly chosen

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WRITTEN = (".png", ".svg", ".pdf")
DPI = 160

SETTINGS: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "mathtext.fontset": "dejavusans",
    "text.usetex": False,
    "text.color": "#222222",
    "figure.facecolor": "white",
    "figure.dpi": 100.0,
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.titlesize": 11.0,
    "figure.titleweight": "bold",
    "axes.facecolor": "white",
    "axes.edgecolor": GREY,
    "axes.labelcolor": "#222222",
    "axes.labelsize": 9.0,
    "axes.titlesize": 9.0,
    "axes.titleweight": "normal",
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.xmargin": 0.0,
    "axes.ymargin": 0.07,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": False,
    "axes.formatter.useoffset": False,
    "axes.unicode_minus": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "grid.linestyle": "-",
    "grid.alpha": 1.0,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "#222222",
    "ytick.labelcolor": "#222222",
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "xtick.direction": "out",
    "ytick.direction": "out",
    "lines.linewidth": 1.5,
    "lines.scale_dashes": False,
    "lines.markersize": 5.0,
    "lines.solid_capstyle": "round",
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "legend.handlelength": 2.1,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.1,
    "legend.labelspacing": 0.25,
    "legend.borderaxespad": 0.0,
    "legend.borderpad": 0.2,
    "path.simplify": True,
    "savefig.dpi": DPI,
    "savefig.facecolor": "white",
    "savefig.bbox": None,
    "svg.fonttype": "path",  # looks the same on every machine
    "svg.hashsalt": "lagrangian",  # the same numbers make the same file
    "pdf.fonttype": 42,
}


@contextmanager
def styled() -> Iterator[None]:
    """This style, whatever the user's is, and the user's again afterwards."""
    import matplotlib

    kept = ("backend", "interactive")  # what decides about windows is not a matter of style
    settings: Any = {k: v for k, v in matplotlib.rcParamsDefault.items() if not k.startswith(kept)} | SETTINGS
    with matplotlib.rc_context():
        matplotlib.rcParams.update(settings)
        yield


def curve(index: int, count: int = 1) -> dict[str, Any]:
    """Colour and line style of one of several curves; of many, a colour along a ramp."""
    if count <= SEVERAL:
        return {"color": COLORS[index % len(COLORS)], "linestyle": DASHES[index % len(DASHES)]}
    from matplotlib import colormaps

    # the brightest part of the ramp would be lost on white
    return {"color": colormaps["viridis"](0.88 * index / (count - 1)), "linestyle": "-", "linewidth": 1.1}


def plain(text: str, most: int = 36) -> str:
    """A name as it is, for a figure: dollars begin no formula, an underscore hides nothing, and what is too long is cut."""
    text = " ".join(text.split())
    text = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    return ("\u200b" if text.startswith("_") else "") + text.replace("$", r"\$")


def power_of_ten(axis: Any, values: np.ndarray) -> str:
    """Takes the power of ten out of an axis with very large or small numbers; what then stands before its unit."""
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    exponent = math.floor(math.log10(size)) if size > 0 else 0
    if -3 < exponent < 4:
        return ""
    axis.set_major_formatter(lambda x, _: f"{x / 10.0**exponent:.6g}".replace("-", "\N{MINUS SIGN}"))
    return "10" + str(exponent).translate(RAISED) + " "


def steady(axes: Any, values: np.ndarray) -> None:
    """An axis of curves that do not change, but for rounding, which is not what it should show."""
    known = values[np.isfinite(values)]
    size = float(np.abs(known).max(initial=0.0))
    if size > 0 and float(np.ptp(known)) < STEADY * size:
        middle = (float(known.min()) + float(known.max())) / 2
        axes.set_ylim(middle - 0.06 * size, middle + 0.06 * size)


def log_labels(axis: Any) -> None:
    """Powers of ten as plain text, which is set in a fraction of the time that formulas take; between them where few fit."""

    def told(x: float, _: Any) -> str:
        exponent = math.floor(math.log10(x) + 1e-9) if x > 0 else 0
        factor = round(x / 10.0**exponent)
        return ("" if factor == 1 else f"{factor}·") + "10" + str(exponent).translate(RAISED)

    low, high = axis.get_view_interval()
    axis.set_major_formatter(told)
    axis.set_minor_formatter(told if low > 0 and high < 10 * low else lambda x, _: "")


def symmetric_log(axes: Any, values: np.ndarray) -> None:
    """An axis that is logarithmic to both sides, and linear about zero: where most of the values are small."""
    size = np.abs(values[np.isfinite(values)])
    linear = 10.0 ** math.floor(math.log10(float(np.median(size[size > 0]))))
    axes.set_yscale("symlog", linthresh=linear, linscale=1.0)
    top = 10.0 ** math.ceil(math.log10(float(size.max())))
    decades = round(math.log10(top / linear))
    powers = linear * 10.0 ** np.arange(0, decades + 1, math.ceil((decades + 1) / 6))
    ticks = [*(-powers[::-1] if values.min() < 0 else ()), 0.0, *(powers if values.max() > 0 else ())]
    axes.set_yticks(ticks)
    axes.set_yticks([], minor=True)
    axes.set_ylim(max(-top, 1.3 * float(values.min()) - linear), min(top, 1.3 * float(values.max()) + linear))
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:g}".replace("-", "\N{MINUS SIGN}") if abs(x) < 1e5 else f"{x:.0e}")


def writable(path: str | os.PathLike[str] | None) -> Path | None:
    """Where a figure goes, checked before it is made."""
    if path is None:
        return None
    file = as_path(path)
    if file.suffix.lower() not in WRITTEN:
        kind = f"as {file.suffix!r}" if file.suffix else "without an ending"
        raise ArgumentError(
            f"{file}: a figure cannot be written {kind}; end its name with {', '.join(WRITTEN[:-1])} or {WRITTEN[-1]}",
            concerns="path",
        )
    return file


def written(figure: Picture, file: Path | None) -> Picture:
    """The figure, in a file too if one is named."""
    if file is not None:
        figure.savefig(file)
    return figure
