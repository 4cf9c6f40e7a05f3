"""How all figures look: colours that the colour-blind tell apart, line styles for black and white, sizes, a light grid.

The settings hold while one of these figures is made or written, and never change the user's own. A `StyledFigure` opens no
window, has no global state, and shows itself in notebooks.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lagrangian.errors import ArgumentError
from lagrangian.files import as_path, write

# Okabe and Ito (2008); their yellow is too light for lines
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
GREY, FAINT = "#666666", "#B0B0B0"

# neighbours differ without their colours too; four and the seven colours have no common divisor: 28 pairs before one comes back
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (6, 1.6, 1.2, 1.6)), (0, (1.3, 1.3)))
MAX_NAMED_CURVES = 10  # curves that a legend can name; more than these are a ramp of colours
CONSTANT_TOLERANCE = 1e-9  # of a curve's size: by less it does not change
MAX_CURVES = 60  # curves of one panel: of more, so many are drawn, evenly chosen
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FORMATS = (".png", ".svg", ".pdf")
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
def plot_style() -> Iterator[None]:
    """Apply this style in a `with` block, and restore the user's afterwards."""
    import matplotlib

    window_settings = ("backend", "interactive")  # what decides about windows is not a matter of style
    settings: Any = {k: v for k, v in matplotlib.rcParamsDefault.items() if not k.startswith(window_settings)} | SETTINGS
    with matplotlib.rc_context():
        matplotlib.rcParams.update(settings)
        yield


class StyledFigure(Figure):
    """A figure that is drawn and written in the style it was made in, whatever the user's settings are."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure to a stream, or whole to a file, whose ending decides the format if none is given."""
        if isinstance(fname, str | os.PathLike):
            file = Path(fname)
            kind = str(options.get("format") or file.suffix[1:] or self.canvas.get_default_filetype()).lower()
            stream = io.BytesIO()
            self.savefig(stream, **{**options, "format": kind})
            write(file if file.suffix or options.get("format") else file.with_name(f"{file.name}.{kind}"), stream.getvalue())
            return
        # without its date, the same picture is the same file
        date = {"pdf": "CreationDate", "svg": "Date"}.get(str(options.get("format") or "").lower())
        if date is not None:
            options["metadata"] = {date: None, **(options.get("metadata") or {})}
        with plot_style():
            super().savefig(fname, **options)

    def to_bytes(self, kind: str = "png", dpi: float | None = None) -> bytes:
        """The content of a file of this kind."""
        stream = io.BytesIO()
        self.savefig(stream, format=kind, **({} if dpi is None else {"dpi": dpi}))
        return stream.getvalue()

    def to_svg(self) -> str:
        """The `<svg>` element alone, for use in a page."""
        text = self.to_bytes("svg").decode()
        return text[text.index("<svg") :]

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The picture that a notebook shows, with two pixels for each of its own."""
        width, height = (round(100 * x) for x in self.get_size_inches())
        return self.to_bytes("png", 200.0), {"width": width, "height": height}


def figure_path(path: str | os.PathLike[str] | None) -> Path | None:
    """The file of a figure, checked before the figure is made."""
    if path is None:
        return None
    file = as_path(path)
    if file.suffix.lower() not in FORMATS:
        kind = f"as {file.suffix!r}" if file.suffix else "without an ending"
        raise ArgumentError(
            f"{file}: a figure cannot be written {kind}; end its name with {', '.join(FORMATS[:-1])} or {FORMATS[-1]}",
            concerns="path",
        )
    return file


def save_if_named(figure: StyledFigure, file: Path | None) -> StyledFigure:
    """Write the figure to a file if one is named, and return it."""
    if file is not None:
        figure.savefig(file)
    return figure


def curve_style(index: int, count: int = 1) -> dict[str, Any]:
    """Colour and line style of one of several curves; of many, a colour along a ramp."""
    if count <= MAX_NAMED_CURVES:
        return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index % len(DASHES)]}
    from matplotlib import colormaps

    # the brightest part of the ramp would be lost on white
    return {"color": colormaps["viridis"](0.88 * index / (count - 1)), "linestyle": "-", "linewidth": 1.1}


def escape_label(text: str, max_characters: int = 36) -> str:
    """A name as a figure shows it: dollars begin no formula, an underscore hides nothing, and a name that is too long is cut."""
    text = " ".join(text.split())
    text = text if len(text) <= max_characters else text[: max_characters - 1].rstrip() + "…"
    return ("\u200b" if text.startswith("_") else "") + text.replace("$", r"\$")


def extract_power_of_ten(axis: Any, values: np.ndarray) -> str:
    """Take the power of ten out of an axis with very large or small numbers; return the text that then stands before its unit."""
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    exponent = math.floor(math.log10(size)) if size > 0 else 0
    if -3 < exponent < 4:
        return ""
    axis.set_major_formatter(lambda x, _: f"{x / 10.0**exponent:.6g}".replace("-", "\N{MINUS SIGN}"))
    return "10" + str(exponent).translate(SUPERSCRIPTS) + " "


def widen_constant_axis(axes: Any, values: np.ndarray) -> None:
    """Widen an axis whose curves are constant but for rounding, so that it does not show the rounding."""
    finite = values[np.isfinite(values)]
    size = float(np.abs(finite).max(initial=0.0))
    if size > 0 and float(np.ptp(finite)) < CONSTANT_TOLERANCE * size:
        middle = (float(finite.min()) + float(finite.max())) / 2
        axes.set_ylim(middle - 0.06 * size, middle + 0.06 * size)


def set_log_labels(axis: Any) -> None:
    """Label an axis with powers of ten as plain text, which is drawn much faster than formulas; and between them if few fit."""

    def format_tick(x: float, _: Any) -> str:
        exponent = math.floor(math.log10(x) + 1e-9) if x > 0 else 0
        factor = round(x / 10.0**exponent)
        return ("" if factor == 1 else f"{factor}·") + "10" + str(exponent).translate(SUPERSCRIPTS)

    low, high = axis.get_view_interval()
    axis.set_major_formatter(format_tick)
    axis.set_minor_formatter(format_tick if low > 0 and high < 10 * low else lambda x, _: "")


def set_symmetric_log(axes: Any, values: np.ndarray) -> None:
    """Make an axis logarithmic to both sides and linear about zero, where most of the values are small."""
    size = np.abs(values[np.isfinite(values)])
    threshold = 10.0 ** math.floor(math.log10(float(np.median(size[size > 0]))))
    axes.set_yscale("symlog", linthresh=threshold, linscale=1.0)
    top = 10.0 ** math.ceil(math.log10(float(size.max())))
    decades = round(math.log10(top / threshold))
    powers = threshold * 10.0 ** np.arange(0, decades + 1, math.ceil((decades + 1) / 6))
    ticks = [*(-powers[::-1] if values.min() < 0 else ()), 0.0, *(powers if values.max() > 0 else ())]
    axes.set_yticks(ticks)
    axes.set_yticks([], minor=True)
    axes.set_ylim(max(-top, 1.3 * float(values.min()) - threshold), min(top, 1.3 * float(values.max()) + threshold))
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:g}".replace("-", "\N{MINUS SIGN}") if abs(x) < 1e5 else f"{x:.0e}")
