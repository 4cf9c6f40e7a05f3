"""The page around the parts: nothing is fetched, it opens from a disk, and prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from lagrangian.report.html import Html, element, text

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
{assets}
{script}</head>
<body>
<nav class="toc" aria-label="Contents"><a class="home" href="#top">{title}</a><ol>
{contents}
</ol></nav>
<main id="top">
<header>
{head}
</header>
{body}
<footer>{foot}</footer>
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    body: Html


def page(
    title: str,
    head: Html,
    sections: Sequence[Section],
    foot: str = "Written by lagrangian. Lengths in m, masses in kg, angles in rad.",
) -> str:
    contents = "\n".join(f'<li><a href="#{section.id}">{text(section.title)}</a></li>' for section in sections)
    body = "\n".join(
        f'<section id="{section.id}">{element("h2", section.title)}\n{section.body}\n</section>' for section in sections
    )
    whole = head + body
    return _PAGE.format(
        title=text(title),
        style=style(),
        script=unfolding() if 'class="packed"' in whole else "",
        assets=_assets(whole) if "lagrangian-player" in whole else "",
        contents=contents,
        head=head,
        body=body,
        foot=text(foot),
    )


@cache
def style() -> str:
    return (files("lagrangian.report") / "style.css").read_text(encoding="utf-8")


@cache
def unfolding() -> str:
    """The script that unpacks what is folded."""
    return f"<script>\n{(files('lagrangian.report') / 'unfold.js').read_text(encoding='utf-8')}</script>\n"


def _assets(page: str) -> str:
    """Of the players, and of what computes if there is any."""
    from lagrangian.viewer.compute.assets import compute_assets
    from lagrangian.viewer.page import player_assets

    return player_assets() + (compute_assets("lgc-data" in page) if "lagrangian-computing" in page else "")
