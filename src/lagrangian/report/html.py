"""Small pieces of HTML. All text is escaped unless it is `Html` already, so that no name in a file can become markup."""

from __future__ import annotations

import base64
import html
import math
import zlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lagrangian.report.svg import address, slim

SVG_LIMIT = 300_000  # characters; figures that are larger become pictures of dots
PACKED = 20_000  # characters: what is folded and longer is packed
MOST = 40  # rows of a table; more are not read
ROUNDING = 1e-12  # of the largest number in a column: less is not told from zero
COLUMN = 9.6  # in, the width of a page's text


class Html(str):
    """Markup, which is put into a page as it is."""


def text(x: Any) -> Html:
    return x if isinstance(x, Html) else Html(html.escape(str(x)))


def element(tag: str, *inner: Any, **attributes: str) -> Html:
    """`class_` is the attribute class."""
    told = "".join(f' {name.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for name, value in attributes.items())
    return Html(f"<{tag}{told}>{''.join(map(text, inner))}</{tag}>")


def joined(parts: Iterable[Any]) -> Html:
    return Html("\n".join(map(text, parts)))


def paragraph(*inner: Any, kind: str = "") -> Html:
    return element("p", *inner, class_=kind) if kind else element("p", *inner)


def folded(title: Any, body: Any, opened: bool = False, long: bool = False) -> Html:
    """What is shown when it is asked for; on paper in any case, unless it is long. Much of that is packed: see unfold.js."""
    body = text(body)
    if long and not opened and len(body) > PACKED:
        packed = base64.b64encode(zlib.compress(body.encode("utf-8"), 9)).decode("ascii")
        body = Html(f'<script type="text/plain" class="packed">{packed}</script>')
    marks = (" class=long" if long else "") + (" open" if opened else "")
    return Html(f"<details{marks}><summary>{text(title)}</summary>{text(body)}</details>")


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    left: Sequence[int] = (0,),
    most: int = MOST,
    kind: str = "",
    marked: Collection[int] = (),
) -> Html:
    """Numbers to the right, columns in `left` to the left, units without a heading; empty columns are left out.

    Of more than `most` rows, the others are only counted: they may be empty. `marked` are the numbers of rows that stand out.
    """
    if not rows:
        return Html("")
    shown = [row for row in rows[:most] if row]
    rows_of = ['<tr class="over">' if k in marked else "<tr>" for k in range(len(shown))]
    kept = [k for k in range(len(head)) if any(str(row[k]) for row in shown)]
    sides = {k: ' class="n"' if k not in left else ' class="u"' if k and not head[k] else "" for k in kept}
    top = "".join(f"<th{sides[k]}>{text(head[k])}</th>" for k in kept)
    cells = ["".join(f"<td{sides[k]}>{text(row[k])}</td>" for k in kept) for row in shown]
    body = "\n".join(f"{begin}{inner}</tr>" for begin, inner in zip(rows_of, cells, strict=True))
    more = paragraph(f"and {len(rows) - most} more", kind="quiet") if len(rows) > most else ""
    named = f' class="{kind}"' if kind else ""
    inner = f"<thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody>"
    return Html(f'<div class="wide"><table{named}>{inner}</table></div>{more}')


def facts(pairs: Iterable[tuple[str, Any]]) -> Html:
    """Names with what they are, those that are empty left out."""
    found = [(name, value) for name, value in pairs if str(value)]
    return Html(f"<dl>{''.join(f'<dt>{text(name)}</dt><dd>{text(value)}</dd>' for name, value in found)}</dl>")


def code(lines: str) -> Html:
    return element("pre", element("code", lines.strip("\n")))


# -- numbers ------------------------------------------------------------------------------------------------------------


def number(x: float, digits: int = 4) -> Html:
    """Digits that count, powers of ten as such."""
    x = float(x)
    if not math.isfinite(x):
        return Html("∞" if x > 0 else "−∞" if x < 0 else "not a number")
    if x == 0:
        return Html("0")
    if 1e-3 <= abs(x) < 10 ** max(digits, 5):
        whole = abs(x) >= 10**digits
        told = f"{x:.0f}" if whole else f"{x:.{digits}g}"
        return Html((f"{float(told):.10f}".rstrip("0").rstrip(".") if "e" in told else told).replace("-", "−"))
    mantissa, exponent = f"{x:.{max(digits - 2, 1)}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = f"10<sup>{int(exponent)}</sup>".replace("-", "−")
    return Html(f"{mantissa.replace('-', '−')}\u00a0×\u00a0{power}" if mantissa != "1" else power)


def column(values: Iterable[float], digits: int = 4) -> list[Html]:
    """Numbers below each other: what is but the rounding of the larger ones is 0."""
    found = [float(x) for x in values]
    least = ROUNDING * max((abs(x) for x in found if math.isfinite(x)), default=0.0)
    return [number(0.0 if abs(x) < least else x, digits) for x in found]


def rough(x: float) -> Html:
    """An error's size: one or two digits are enough."""
    if x < 0:
        return Html(f"−{rough(-x)}")
    if x == 0 or not math.isfinite(x):
        return number(x)
    mantissa, exponent = f"{x:.1e}".split("e")
    if -3 <= int(exponent) < 4:
        return Html(f"{x:.2g}")
    return Html(f"{mantissa.removesuffix('.0')}\u00a0×\u00a010<sup>{int(exponent)}</sup>".replace("-", "−"))


# -- pictures -----------------------------------------------------------------------------------------------------------


def figure(picture: Any, alt: str, caption: Any = "") -> Html:
    """A figure of matplotlib, as lines in colours of a light page or a dark one; as dots where that is smaller."""
    from lagrangian.pictures.dark import themed

    width, height = picture.get_size_inches()
    if width < COLUMN:
        picture.set_size_inches(COLUMN, height)

    lines = slim(themed(picture.svg()))
    if len(lines) > SVG_LIMIT:
        return framed(image(picture.encoded("png", 160), "png", alt, class_="plot"), caption)
    return framed(Html(f'<img alt="{html.escape(alt)}" class="lines" src="{address(lines)}">'), caption)


def image(data: bytes, kind: str, alt: str, **attributes: str) -> Html:
    more = "".join(f' {name.rstrip("_")}="{html.escape(value)}"' for name, value in attributes.items())
    return Html(f'<img alt="{html.escape(alt)}" src="data:image/{kind};base64,{base64.b64encode(data).decode()}"{more}>')


def framed(inner: Html, caption: Any = "") -> Html:
    below = element("figcaption", caption) if caption else ""
    return element("figure", inner, below)
