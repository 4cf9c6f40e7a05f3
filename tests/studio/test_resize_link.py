"""A link dragged longer changes the number that gives it its length, and nothing else in the text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.poses import body_poses
from lagrangian.errors import LagrangianError
from lagrangian.studio.models import ModelCache
from lagrangian.studio.resize_link import link_ends, resize_link
from lagrangian.studio.toml_places import scan_toml
from tests.studio.conftest import Inside, text

MODELS = ModelCache()


def apply_edits(value: str, edits: list[dict[str, Any]]) -> str:
    """Edited as JavaScript counts."""
    data = value.encode("utf-16-le")
    for edit in sorted(edits, key=lambda x: -x["from"]):
        data = data[: 2 * edit["from"]] + edit["insert"].encode("utf-16-le") + data[2 * edit["to"] :]
    return data.decode("utf-16-le")


def drag_point(value: str, body: str, point: Any, by: Any, q: Any = None) -> tuple[dict[str, Any], str]:
    """Drag a point of a body by a vector in the body's frame."""
    model = MODELS.get_or_read(value, "toml")
    q = model.view().q if q is None else np.array(q)
    T = body_poses(model.valid_mechanism, q)[body][0]
    to = T[:3, :3] @ (np.array(point) + np.array(by)) + T[:3, 3]
    answer = resize_link(model, {"frame": body, "point": list(point), "to": to.tolist(), "q": q.tolist()})
    return answer, apply_edits(value, answer["edits"])


@pytest.mark.parametrize(
    ("name", "body", "point", "by", "parameter", "value"),
    [
        ("two_r", "link1", (1, 0, 0), (0.25, 0.1, 0), "l1", 1.25),
        ("two_r", "link2", (0.9, 0.05, 0), (-0.3, 0, 0), "l2", 0.7),
        ("four_bar", "coupler", (0.9, 0, 0), (0.1, 0, 0), "l2", 1.0),
        ("four_bar", "rocker", (0.6, 0, 0), (0.05, 0, 0), "l3", 0.65),
        ("four_bar", "ground", (1.0, 0, 0), (0.2, 0, 0), "l0", 1.2),
        ("scara", "link1", (0, 0, 0), (0.075, 0, 0), "l1", 0.4),  # frames at the far end of their links
    ],
)
def test_the_parameter_of_a_length_is_changed(name: str, body: str, point: Any, by: Any, parameter: str, value: float) -> None:
    source = text(name)
    answer, new = drag_point(source, body, point, by)
    assert (answer["name"], answer["value"]) == (parameter, pytest.approx(value))
    assert float(lg.loads(new).parameters[parameter]) == pytest.approx(value)
    assert source.split("\n")[answer["line"] - 1].startswith(parameter)
    before, after = source.split("\n"), new.split("\n")
    changed = [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == [answer["line"] - 1]  # and comments stay, also that of the line
    assert before[changed[0]].partition("#")[2] == after[changed[0]].partition("#")[2]


PLAIN = """# an arm
[[body]]
name = "a"   # 😀
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "first"
type = "revolute"
child = "a"
[[joint]]
name = "second"
type = "revolute"
parent = "a"
child = "b"
xyz = [ 0.3, # along x
        4e-1, 0 ]  # and y
[[frame]]
name = "end"
body = "b"
xyz = ["0.5", 0, 0]
[[frame]]
name = "odd"
body = "b"
xyz = [0, 0, "2*h + 0.1"]
[parameters]
h = 0.2
k = 7
"""


def test_plain_numbers_are_changed_in_their_place() -> None:
    answer, new = drag_point(PLAIN, "a", (0.3, 0.4, 0), (0.3, 0.4, 0), q=[0.1, 0.2])
    assert lg.loads(new).joints[1].placement.matrix()[:3, 3] == pytest.approx([0.6, 0.8, 0])
    assert "[ 0.6, # along x\n        0.8, 0 ]  # and y" in apply_edits(PLAIN, answer["edits"])


def test_a_number_in_quotes_and_an_expression() -> None:
    model = MODELS.get_or_read(PLAIN, "toml")
    T = body_poses(model.valid_mechanism, [0.0, 0.0])["b"][0]
    for end, by, expected in (((0.5, 0, 0), (0.1, 0, 0), 'xyz = ["0.6", 0, 0]'), ((0, 0, 0.5), (0, 0, 0.2), "h = 0.3")):
        to = T[:3, :3] @ (np.array(end) + by) + T[:3, 3]
        answer = resize_link(model, {"frame": "b", "point": list(end), "to": to.tolist(), "q": [0.0, 0.0]})
        assert expected in apply_edits(PLAIN, answer["edits"])


@pytest.mark.parametrize("name", ["jansen", "delta", "puma560", "slider_crank", "stewart", "peaucellier"])
def test_every_link_of_others_can_be_dragged_or_says_why_not(name: str) -> None:
    model = MODELS.get_or_read(text(name), "toml")
    m, q, dragged_ones = model.valid_mechanism, model.view().q, 0
    for body in ["ground", *(b.name for b in m.bodies)]:
        for end in link_ends(m, scan_toml(model.text), body):
            T = body_poses(m, q)[body][0]
            carrier = next((j for j in m.joints if j.child == body), None)
            inner = np.zeros(3) if carrier is None else carrier.child_placement.matrix()[:3, 3]
            length = float(np.linalg.norm(end.point - inner))
            to = T[:3, :3] @ (end.point + 0.1 * (end.point - inner)) + T[:3, 3]
            try:
                answer = resize_link(model, {"frame": body, "point": end.point.tolist(), "to": to.tolist(), "q": q.tolist()})
            except LagrangianError:
                continue
            dragged_ones += 1
            assert answer["length"] == pytest.approx(1.1 * length, rel=2e-3)
            lg.loads(apply_edits(model.text, answer["edits"]))
    assert dragged_ones > 2


def test_a_link_is_not_dragged_to_nothing_and_bodies_without_length_say_so(inside: Inside) -> None:
    answer, _ = drag_point(text("two_r"), "link1", (1, 0, 0), (-5, 0, 0))
    assert 0 < answer["value"] < 0.1
    lone = text("two_r").replace('[[frame]]\nname = "tip"\nbody = "link2"\nxyz = ["l2", 0, 0]', "")
    asked = {"text": lone, "format": "toml", "frame": "link2", "point": [1, 0, 0], "to": [2, 0, 0]}
    assert "frame" in inside.post("/api/stretch", asked, 400)["remedy"]
    assert inside.post("/api/stretch", {**asked, "text": "<robot/>", "format": "urdf"}, 400)["error"]
