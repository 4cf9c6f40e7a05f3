"""The page as text: whole, offline, small, with names escaped; and animations as files."""

from __future__ import annotations

import copy
import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.motion.motion import Motion
from lagrangian.viewer.page import page_html, player_assets, player_html
from tests.browser.tracks import slider

VOID = {"meta", "input", "br", "img", "link"}


class Tags(HTMLParser):
    """Complains of tags that are not closed in order, and collects ids and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag


def parse_tags(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


@pytest.fixture(scope="module")
def motion() -> Motion:
    return lg.simulate(lg.library("two_r"), 0.5)


@pytest.mark.parametrize("name", ["slider", '</script><script>alert(1)</script> "x" <!-- & {assets}'])
def test_a_page_is_whole_and_asks_for_nothing(name: str) -> None:
    html = page_html(slider(name=name), name)
    tags = parse_tags(html)
    assert tags.ids == ["player"]
    assert tags.addresses == []
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", html)
    assert "alert(1)</script>" not in html


def test_fragments_have_ids_of_their_own() -> None:
    seen = slider(rows=2)
    html = player_assets() + player_html(seen) + player_html(seen) + player_html(seen, id='a"b')
    ids = parse_tags(html).ids
    assert len(set(ids)) == 3
    assert ids[2] == 'a"b'


def test_a_page_is_small() -> None:
    """Ten seconds at 30 rows each, of 8 frames and 24 arrows."""
    seen = slider(rows=301)
    turn = np.random.default_rng(0).normal(size=(301, 8, 4))
    scene = dataclasses.replace(seen.scene, frames=tuple("abcdefgh"))
    seen = dataclasses.replace(
        seen,
        scene=scene,
        positions=turn[..., :3],
        quaternions=turn / np.linalg.norm(turn, axis=-1)[..., None],
        arrows=seen.arrows * 12,
    )
    assert len(page_html(seen, "x")) < 400_000


def test_rows_that_are_not_numbers_are_left_out() -> None:
    seen = slider(rows=5)
    positions = seen.positions.copy()
    positions[3:] = np.nan
    assert '"rows":3' in player_html(dataclasses.replace(seen, positions=positions))
    with pytest.raises(ArgumentError, match="finite"):
        player_html(dataclasses.replace(seen, positions=positions * np.nan))
    with pytest.raises(ArgumentError, match="speed"):
        player_html(seen, speed=0)


def test_an_animation_is_written_where_it_was_said(motion: Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = motion.animate(tmp_path / "run.html", speed=0.5, trace=motion.mechanism.bodies[-1].name)
    assert written == tmp_path / "run.html"
    text = written.read_text(encoding="utf-8")
    assert '"speed":0.5' in text
    assert '"traces":[2]' in text
    monkeypatch.chdir(tmp_path)
    assert motion.animate() == Path("two_r.html")
    assert (tmp_path / "two_r.html").stat().st_size < 300_000
    odd = copy.copy(motion)
    odd.name = "../a b/c"
    assert odd.animate() == Path("a_b_c.html")


def test_a_film_is_written_for_its_ending(motion: Motion, tmp_path: Path) -> None:
    messages: list[tuple[int, int]] = []
    written = motion.animate(
        tmp_path / "run.GIF", speed=4, size=(120, 90), progress=lambda done, total: messages.append((done, total))
    )
    assert messages
    assert messages == [(k + 1, len(messages)) for k in range(len(messages))]
    assert written == tmp_path / "run.GIF"
    assert written.read_bytes()[:4] == b"GIF8"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "run.avi"}, r"\.html.*\.gif.*\.mp4"),
        ({"path": "nowhere/run.html"}, "no folder 'nowhere'"),
        ({"speed": 0}, "speed is 0"),
        ({"speed": float("nan")}, "speed is nan"),
        ({"trace": "tipp"}, "there is no frame or body 'tipp'"),
    ],
)
def test_what_cannot_be_animated_is_reported(
    motion: Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=said):
        motion.animate(**arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_motion_without_its_mechanism_says_how_to_get_it(motion: Motion, tmp_path: Path) -> None:
    bare = copy.copy(motion)
    bare.mechanism = None
    with pytest.raises(ArgumentError, match=r"lagrangian\.read\(path, mechanism\)"):
        bare.animate(tmp_path / "run.html")
