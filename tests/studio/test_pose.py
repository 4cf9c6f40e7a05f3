"""Mechanisms moved by hand: joints set, points dragged, loops closed, limits kept; and what the page is told of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lagrangian.configuration.poses import body_poses
from lagrangian.studio import pose
from lagrangian.studio.models import ModelCache
from lagrangian.studio.pose import pose_mechanism
from tests.studio.conftest import Inside, text

MODELS = ModelCache()
AHEAD, BESIDE = np.array([0.1, 0.0, 0.0]), np.array([0.03, 0.01, 0.0])


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is."""
    monkeypatch.setattr(pose, "DRAG_TIME", math.inf)


def model(name: str) -> Any:
    return MODELS.get_or_read(text(name), "toml")


def tip(answer: dict[str, Any], name: str, frame: str) -> np.ndarray:
    from lagrangian.viewer.scene.poses import frame_names

    return np.array(answer["poses"]["p"][frame_names(model(name).valid_mechanism).index(frame)])


@pytest.mark.parametrize("to", [(1.2, 0.8), (0.5, -1.4), (-1.0, -1.0)])
def test_the_tip_of_an_arm_is_dragged_where_it_can_reach(to: tuple[float, float]) -> None:
    asked = {"q": [-1.0, 0.8], "drag": {"frame": "tip", "point": [0, 0, 0], "to": [*to, 0]}}
    posed = pose_mechanism(model("two_r"), asked)
    assert tip(posed, "two_r", "tip") == pytest.approx([*to, 0], abs=1e-5)
    # the law of cosines, for two links of 1 m
    cosine = (to[0] ** 2 + to[1] ** 2 - 2) / 2
    assert math.cos(posed["q"][1]) == pytest.approx(cosine, abs=1e-5)
    assert posed["message"] == ""


def test_what_is_out_of_reach_is_followed_as_near_as_can_be() -> None:
    posed = pose_mechanism(model("two_r"), {"q": [-1.0, 0.8], "drag": {"frame": "tip", "point": [0, 0, 0], "to": [3, 4, 0]}})
    assert tip(posed, "two_r", "tip") == pytest.approx([2 * 0.6, 2 * 0.8, 0], abs=2e-2)  # stretched, on the ray
    assert "3 m are missing" in posed["message"]


def test_a_point_beside_a_frame_is_dragged() -> None:
    grabbed = [-0.5, 0.0, 0.0]  # the middle of the second link, as the tip sees it
    posed = pose_mechanism(model("two_r"), {"q": [0.3, 0.5], "drag": {"frame": "tip", "point": grabbed, "to": [1.0, 0.9, 0]}})
    T = body_poses(model("two_r").valid_mechanism, posed["q"])["link2"][0]
    assert T[:3, :3] @ [0.5, 0, 0] + T[:3, 3] == pytest.approx([1.0, 0.9, 0], abs=1e-5)


def test_limits_stop_a_dragged_joint() -> None:
    source = text("two_r").replace('child = "link1"', 'child = "link1"\nlimits = { lower = -0.5, upper = 0.5 }')
    bounded = MODELS.get_or_read(source, "toml")
    posed = pose_mechanism(bounded, {"q": [0.0, 0.3], "drag": {"frame": "tip", "point": [0, 0, 0], "to": [-1.0, 1.0, 0]}})
    assert -0.5 - 1e-9 <= posed["q"][0] <= 0.5 + 1e-9
    posed = pose_mechanism(bounded, {"q": [0.0, 0.3], "set": {"theta1": 3.0}})
    assert posed["q"][0] == 0.5


def test_a_four_bar_stays_closed_while_its_crank_is_set() -> None:
    l0, l1, l2, l3 = 1.0, 0.3, 0.9, 0.6
    q: Any = None
    for angle in np.linspace(math.pi / 2, math.pi / 2 + 2 * math.pi, 25):
        posed = pose_mechanism(model("four_bar"), {"q": q, "set": {"theta1": float(angle)}})
        q = posed["q"]
        assert posed["closed"]
        crank = l1 * np.exp(1j * q[0])
        coupler = crank + l2 * np.exp(1j * (q[0] + q[1]))
        rocker = l0 + l3 * np.exp(1j * q[2])
        assert abs(coupler - rocker) < 1e-9
    # after a whole turn it is in the assembly in which it began
    first = pose_mechanism(model("four_bar"), {"q": "upright"})["q"]
    assert math.remainder(q[1] - first[1], 2 * math.pi) == pytest.approx(0, abs=1e-6)


def test_a_coupler_is_dragged_along_its_curve() -> None:
    start = pose_mechanism(model("four_bar"), {"q": "upright"})
    at = tip(start, "four_bar", "C")
    posed = pose_mechanism(
        model("four_bar"), {"q": start["q"], "drag": {"frame": "C", "point": [0, 0, 0], "to": (at + AHEAD).tolist()}}
    )
    assert posed["closed"]
    now = tip(posed, "four_bar", "C")
    # the nearest point of the curve: what is left is across the curve's tangent
    ahead = pose_mechanism(model("four_bar"), {"q": posed["q"], "set": {"theta1": posed["q"][0] + 1e-4}})
    tangent = tip(ahead, "four_bar", "C") - now
    gap = at + AHEAD - now
    assert abs(gap @ tangent) < 2e-2 * np.linalg.norm(gap) * np.linalg.norm(tangent)


@pytest.mark.parametrize("name", ["stewart", "delta", "three_rrr", "rolling_disc", "free_body"])
def test_others_follow_and_stay_closed(name: str) -> None:
    values = model(name).valid_mechanism
    frame = values.frames[-1].name if values.frames else values.bodies[-1].name
    start = pose_mechanism(model(name), {})
    at, size = tip(start, name, frame), float(model(name).view().track.scene.size)
    asked = {"q": start["q"], "drag": {"frame": frame, "point": [0, 0, 0], "to": (at + size * BESIDE).tolist()}}
    posed = pose_mechanism(model(name), asked)
    assert posed["closed"]
    assert np.linalg.norm(tip(posed, name, frame) - at) > 0.005 * size
    assert np.isfinite(posed["q"]).all()


@pytest.mark.parametrize(
    "asked",
    [{"q": [1]}, {"q": ["a", "b"]}, {"q": [0, float("1e999")]}, {"set": {"nothing": 1}}, {"set": {"theta1": "x"}}, {"set": [1]},
     {"drag": {"frame": "nothing", "to": [0, 0, 0]}}, {"drag": {"frame": "tip", "to": [0, 0]}}, {"drag": 3}, {"q": "nowhere"}],
)  # fmt: skip
def test_nonsense_is_refused(inside: Inside, asked: dict[str, Any]) -> None:
    import json

    body = json.dumps({"text": text("two_r"), "format": "toml", **asked}).encode()
    answer = inside.client.post("/api/pose", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 or "nowhere" in answer.json()["message"]


def test_the_pose_that_is_answered_is_where_the_bodies_are(inside: Inside) -> None:
    response = inside.post("/api/pose", {"text": text("two_r"), "format": "toml", "q": [0.4, -0.7], "set": {"theta2": 0.9}})
    assert response["q"] == [0.4, 0.9]
    names = [f["name"] for f in inside.check(text("two_r"))["scene"]["frames"]]
    assert response["poses"]["p"][names.index("tip")] == pytest.approx(
        [math.cos(0.4) + math.cos(1.3), math.sin(0.4) + math.sin(1.3), 0], abs=1e-8
    )
    turn = response["poses"]["r"][names.index("link2")]
    assert np.abs(turn) == pytest.approx(np.abs([math.cos(0.65), 0, 0, math.sin(0.65)]), abs=1e-8)
