"""What is wrong with a description is told at its line, and what would be right."""

from __future__ import annotations

import pytest

from lagrangian.studio.thread_warnings import route_warnings_by_thread
from tests.studio.conftest import Inside, text

ARM = """name = "arm"
[parameters]
l = 1.0
[[body]]
name = "link"
mass = 1.0
center = ["l/2", 0, 0]
inertia = [0, 0.1, 0.1]
[[joint]]
name = "theta"
type = "revolute"
child = "link"
limits = { lower = -1, upper = 1 }
[[frame]]
name = "tip"
body = "link"
xyz = ["l", 0, 0]
[initial]
q = [0.5]
t_span = [0, 1]
"""
# what is changed, and the line and the marked text that are told
WRONG = [
    ('name = "arm"', 'name = "arm', 1, None),
    ("mass = 1.0", "mass = ", 6, None),
    ("mass = 1.0", "mas = 1.0", 6, "mas"),
    ("mass = 1.0", 'mass = "m * 2"', 6, '"m * 2"'),
    ("mass = 1.0", "mass = -1.0", 6, None),
    ("mass = 1.0", "mass = true", 6, "true"),
    ('["l/2", 0, 0]', '["l/2", 0]', 7, '["l/2", 0]'),
    ('["l/2", 0, 0]', '["l/2", "k", 0]', 7, '"k"'),
    ('type = "revolute"', 'type = "revolut"', 11, '"revolut"'),
    ('type = "revolute"\n', "", 9, "[[joint]]"),
    ('child = "link"', 'child = "lnk"', 12, '"lnk"'),
    ("lower = -1", "lower = 2", 13, None),
    ("lower = -1", "lowr = -1", 13, "lowr"),
    ('body = "link"', 'body = "limb"', 16, None),
    ("q = [0.5]", "q = [0.5, 1]", 19, "[0.5, 1]"),
    ("t_span = [0, 1]", "t_span = [1, 0]", 20, "[1, 0]"),
    ('child = "link"', 'child = "ground"', 12, '"ground"'),
    ("[[joint]]", '[[body]]\nname = "loose"\nmass = 1\n[[joint]]', 9, None),
    ("[[frame]]", '[[joint]]\nname = "two"\ntype = "fixed"\nchild = "link"\n[[frame]]', 17, '"link"'),
    ("[initial]", "[inital]", 18, None),
    ("[[body]]", "[body]", 4, None),
    ("l = 1.0", "l = 1,0", 3, None),
    ("l = 1.0", "sin = 1.0", 3, None),
    ("[initial]", "[initial]\ngravity = [0, 0, 0]", 19, "gravity"),
]


@pytest.mark.parametrize(("old", "new", "line", "marked"), WRONG, ids=[x[1].replace("\n", " ") or "left out" for x in WRONG])
def test_every_problem_is_at_its_line(inside: Inside, old: str, new: str, line: int, marked: str | None) -> None:
    assert old in ARM
    text = ARM.replace(old, new, 1)
    answer = inside.check(text)
    assert not answer["ok"]
    first = answer["problems"][0]
    assert (first["severity"], first["line"]) == ("error", line), first
    assert "<text>" not in first["message"]
    assert first["message"]
    if marked is not None:
        assert first["end_line"] == line
        assert text.split("\n")[line - 1][first["column"] - 1 : first["end_column"] - 1] == marked


def test_a_description_without_fault_has_no_problem_and_is_described(inside: Inside) -> None:
    answer = inside.check(ARM)
    assert answer["ok"]
    assert answer["problems"] == []
    m = answer["mechanism"]
    assert (m["name"], m["bodies"], [j["name"] for j in m["joints"]]) == ("arm", ["link"], ["theta"])
    assert [(c["name"], c["value"], c["lower"], c["upper"], c["unit"]) for c in m["coordinates"]] == [
        ("theta", 0.5, -1, 1, "rad")
    ]
    (l,) = m["parameters"]
    assert (l["value"], l["where"]["line"], ARM[l["where"]["from"] : l["where"]["to"]]) == (1.0, 3, "1.0")
    assert "1 degree of freedom" in m["mobility"]
    assert answer["scene"]["frames"][-1]["name"] == "tip"


def test_warnings_are_reported_at_their_line_too(inside: Inside) -> None:
    with route_warnings_by_thread():  # which holds in a server; here pytest hears warnings itself
        answer = inside.check(ARM.replace('child = "link"', 'child = "link"\nrpy = [0, 0, 90]'))
    assert answer["ok"]
    (only,) = answer["problems"]
    assert (only["severity"], only["line"]) == ("warning", 13)
    assert "deg(90)" in only["remedy"]


def test_loops_that_cannot_close_are_a_problem(inside: Inside) -> None:
    answer = inside.check(text("four_bar").replace("l2 = 0.9", "l2 = 0.1"))
    assert not answer["ok"]
    assert any("loop" in x["message"] or "pose" in x["message"] or "acos" in x["message"] for x in answer["problems"])


def test_columns_after_wide_letters_are_those_of_javascript(inside: Inside) -> None:
    text = ARM.replace("mass = 1.0", 'mass = "1"  # 😀', 1).replace('name = "link"', 'name = "li😀nk"', 1)
    (first, *_) = inside.check(text)["problems"]
    assert first["line"] == 12  # the child that is no longer there


URDF = """<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="j" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('<mass value="1"/>', '<mass value="heavy"/>', 4),
        ('<child link="arm"/>', '<child link="leg"/>', None),
        ('xyz="0 0 1"', 'xyz="0 0"', 9),
        ('type="revolute"', 'type="revolut"', 6),
        ("</robot>", "", 11),
        ('<parent link="base"/>', '<parent link="base">', 11),
        ("<robot", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<robot', 1),
    ],
)
def test_problems_of_a_urdf_are_at_their_line(inside: Inside, old: str, new: str, line: int | None) -> None:
    assert inside.check(URDF, "urdf")["ok"]
    answer = inside.check(URDF.replace(old, new, 1), "urdf")
    assert not answer["ok"]
    first = answer["problems"][0]
    if line is None:
        assert 6 <= first["line"] <= 8, first
    else:
        assert first["line"] == line, first
    assert "root:" not in first["message"]
