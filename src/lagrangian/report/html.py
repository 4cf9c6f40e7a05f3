"""Small pieces of HTML. All text is escaped unless it is `Html` already, so that no name in a file can become markup."""

from __future__ import annotations

import base64
import html
import math
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from lagrangian.plots.svg import data_url, minify_svg, theme_svg

MAX_SVG_LENGTH = 300_000  # characters; figures that are larger become pictures of dots
MAX_UNPACKED_LENGTH = 20_000  # characters: what is folded and longer is packed
MAX_ROWS = 40  # rows of a table; more are not read
ROUNDING = 1e-12  # of the largest number in a column: smaller numbers are shown as zero
COLUMN_WIDTH = 9.6  # in, the width of a page's text


class Html(str):
    """Markup, which is put into a page as it is."""


def escape_text(x: Any) -> Html:
    return x if isinstance(x, Html) else Html(html.escape(str(x)))


def html_to_text(markup: str, format_power: Callable[[str], str] = "^{}".format) -> str:
    """The text of a fragment of HTML; `format_power` writes what is raised."""
    without_powers = re.sub(r"<sup>(.*?)</sup>", lambda match: format_power(match[1]), markup)
    return html.unescape(re.sub(r"<[^>]+>", "", without_powers))


def element(tag: str, *inner: Any, **attributes: str) -> Html:
    """Make an element. The keyword `class_` is the attribute class."""
    attribute_text = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for name, value in attributes.items()
    )
    return Html(f"<{tag}{attribute_text}>{''.join(map(escape_text, inner))}</{tag}>")


def join_html(parts: Iterable[Any]) -> Html:
    return Html("\n".join(map(escape_text, parts)))


def paragraph(*inner: Any, css_class: str = "") -> Html:
    return element("p", *inner, class_=css_class) if css_class else element("p", *inner)


def collapsible(title: Any, body: Any, is_open: bool = False, is_long: bool = False) -> Html:
    """Make a part that unfolds. On paper it is unfolded unless it is long. A long body is compressed: see unfold.js."""
    body = escape_text(body)
    if is_long and not is_open and len(body) > MAX_UNPACKED_LENGTH:
        packed = base64.b64encode(zlib.compress(body.encode("utf-8"), 9)).decode("ascii")
        body = Html(f'<script type="text/plain" class="packed">{packed}</script>')
    marks = (" class=long" if is_long else "") + (" open" if is_open else "")
    return Html(f"<details{marks}><summary>{escape_text(title)}</summary>{escape_text(body)}</details>")


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    left_aligned: Sequence[int] = (0,),
    max_rows: int = MAX_ROWS,
    css_class: str = "",
    highlighted: Collection[int] = (),
) -> Html:
    """Make a table with numbers to the right, `left_aligned` columns to the left, and without empty columns.

    Rows after the first `max_rows` are only counted, and may be empty. `highlighted` are the indices of rows that stand out.
    """
    if not rows:
        return Html("")
    shown_rows = [row for row in rows[:max_rows] if row]
    row_tags = ['<tr class="over">' if k in highlighted else "<tr>" for k in range(len(shown_rows))]
    visible_columns = [k for k in range(len(head)) if any(str(row[k]) for row in shown_rows)]
    sides = {k: ' class="n"' if k not in left_aligned else ' class="u"' if k and not head[k] else "" for k in visible_columns}
    top = "".join(f"<th{sides[k]}>{escape_text(head[k])}</th>" for k in visible_columns)
    cells = ["".join(f"<td{sides[k]}>{escape_text(row[k])}</td>" for k in visible_columns) for row in shown_rows]
    body = "\n".join(f"{begin}{inner}</tr>" for begin, inner in zip(row_tags, cells, strict=True))
    more = paragraph(f"and {len(rows) - max_rows} more", css_class="quiet") if len(rows) > max_rows else ""
    class_attribute = f' class="{css_class}"' if css_class else ""
    inner = f"<thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody>"
    return Html(f'<div class="wide"><table{class_attribute}>{inner}</table></div>{more}')


def definition_list(pairs: Iterable[tuple[str, Any]]) -> Html:
    """Make a list of names and values, without those that are empty."""
    filled_pairs = [(name, value) for name, value in pairs if str(value)]
    return Html(
        f"<dl>{''.join(f'<dt>{escape_text(name)}</dt><dd>{escape_text(value)}</dd>' for name, value in filled_pairs)}</dl>"
    )


def code_block(lines: str) -> Html:
    return element("pre", element("code", lines.strip("\n")))


# -- numbers ------------------------------------------------------------------------------------------------------------


def number(x: float, digits: int = 4) -> Html:
    """Write a number with significant digits, and with a power of ten if it is large or small."""
    x = float(x)
    if not math.isfinite(x):
        return Html("∞" if x > 0 else "−∞" if x < 0 else "not a number")
    if x == 0:
        return Html("0")
    if 1e-3 <= abs(x) < 10 ** max(digits, 5):
        whole = abs(x) >= 10**digits
        digits_text = f"{x:.0f}" if whole else f"{x:.{digits}g}"
        return Html(
            (f"{float(digits_text):.10f}".rstrip("0").rstrip(".") if "e" in digits_text else digits_text).replace("-", "−")
        )
    mantissa, exponent = f"{x:.{max(digits - 2, 1)}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = f"10<sup>{int(exponent)}</sup>".replace("-", "−")
    return Html(f"{mantissa.replace('-', '−')}\u00a0×\u00a0{power}" if mantissa != "1" else power)


def number_column(values: Iterable[float], digits: int = 4) -> list[Html]:
    """Write the numbers of a column. Those below the rounding error of the largest are 0."""
    numbers = [float(x) for x in values]
    rounding = ROUNDING * max((abs(x) for x in numbers if math.isfinite(x)), default=0.0)
    return [number(0.0 if abs(x) < rounding else x, digits) for x in numbers]


def short_number(x: float) -> Html:
    """Write the size of an error, for which one or two digits are enough."""
    if x < 0:
        return Html(f"−{short_number(-x)}")
    if x == 0 or not math.isfinite(x):
        return number(x)
    mantissa, exponent = f"{x:.1e}".split("e")
    if -3 <= int(exponent) < 4:
        return Html(f"{x:.2g}")
    return Html(f"{mantissa.removesuffix('.0')}\u00a0×\u00a010<sup>{int(exponent)}</sup>".replace("-", "−"))


# -- pictures -----------------------------------------------------------------------------------------------------------


def figure(picture: Any, alt: str, caption: Any = "") -> Html:
    """Make an element of a matplotlib figure: an SVG in the colours of a light and a dark page, or a PNG if that is smaller."""
    width, height = picture.get_size_inches()
    if width < COLUMN_WIDTH:
        picture.set_size_inches(COLUMN_WIDTH, height)

    lines = minify_svg(theme_svg(picture.to_svg()))
    if len(lines) > MAX_SVG_LENGTH:
        return figure_element(image(picture.to_bytes("png", 160), "png", alt, class_="plot"), caption)
    return figure_element(Html(f'<img alt="{html.escape(alt)}" class="lines" src="{data_url(lines)}">'), caption)


def image(data: bytes, kind: str, alt: str, **attributes: str) -> Html:
    more = "".join(f' {name.rstrip("_")}="{html.escape(value)}"' for name, value in attributes.items())
    return Html(f'<img alt="{html.escape(alt)}" src="data:image/{kind};base64,{base64.b64encode(data).decode()}"{more}>')


def figure_element(inner: Html, caption: Any = "") -> Html:
    figcaption = element("figcaption", caption) if caption else ""
    return element("figure", inner, figcaption)
