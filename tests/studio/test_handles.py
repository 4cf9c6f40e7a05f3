"""Where lengths are taken hold of, and a pose that is kept while the text changes."""

from __future__ import annotations

import math

import pytest

from tests.studio.conftest import Inside, text


def test_the_ends_of_every_link_can_be_taken_hold_of(inside: Inside):
    answer = inside.check(text("four_bar"))
    frames = [f["name"] for f in answer["scene"]["frames"]]
    actual = {(h["body"], tuple(round(x, 9) for x in h["point"])) for h in answer["mechanism"]["handles"]}
    assert all(frames[h["frame"]] == h["body"] for h in answer["mechanism"]["handles"])
    assert actual == {
        ("ground", (1, 0, 0)),  # the rocker's pin
        ("crank", (0.3, 0, 0)),
        ("coupler", (0.45, 0, 0)),  # the frame C
        ("coupler", (0.9, 0, 0)),
        ("rocker", (0.6, 0, 0)),
    }


def test_a_description_without_toml_has_none(inside: Inside):
    response = inside.post("/api/convert", {"text": text("two_r"), "format": "toml", "to": "urdf"})
    assert inside.check(response["text"], "urdf")["mechanism"]["handles"] == []


def test_the_pose_of_the_page_is_kept_and_its_loops_are_closed(inside: Inside):
    longer = text("four_bar").replace("l2 = 0.9", "l2 = 0.95")
    inside.check(longer)
    q = inside.check(text("four_bar"))["mechanism"]["q"]
    answer = inside.post("/api/check", {"text": longer, "format": "toml", "q": q})
    a, b, c = answer["posed"]["q"]
    ends = [0.3 * math.cos(a) + 0.95 * math.cos(a + b), 0.3 * math.sin(a) + 0.95 * math.sin(a + b)]
    assert ends == pytest.approx([1 + 0.6 * math.cos(c), 0.6 * math.sin(c)], abs=1e-8)
    assert answer["posed"]["closed"]
    assert (
        inside.post("/api/check", {"text": text("two_r"), "format": "toml", "q": q}).get("posed") is None
    )  # another mechanism's
