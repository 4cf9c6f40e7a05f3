"""Names as robot files have them, with signs and blanks in them, in options that take name=value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity
from tests.cli.conftest import Run

NAMES = ("left/waist", "left-knee", "blue::wheel", "an elbow", "1st")


def chain(*names: str) -> str:
    """An MJCF model of hinges, one after the other."""
    body = '<body pos="0.1 0 0"><joint name="{}" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/>'
    return f"<mujoco><worldbody>{''.join(map(body.format, names))}{'</body>' * len(names)}</worldbody></mujoco>"


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    file = tmp_path / "robot.xml"
    file.write_text(chain(*NAMES))
    return file


@pytest.mark.parametrize("mark", ["{}", "`{}`", " {} "])
def test_names_are_given_as_they_are_printed_or_in_backquotes(run: Run, robot: Path, mark: str) -> None:
    names = [mark.format(name) for name in NAMES]
    values = [0.1, -0.2, 0.3, 0.4, -0.5]
    begin = ",".join(f"{name}={x}" for name, x in zip(names, values, strict=True))
    torques = [text for name, x in zip(names, values, strict=True) for text in ("--torque", f"{name}={x}*t")]
    done = run("simulate", robot, "-t", "0.1", "--q0", begin, "--qd0", begin, *torques, "--json")
    own = dict(zip(NAMES, values, strict=True))
    m = lg.load(robot)
    ours = lg.simulate(m, 0.1, q0=own, qd0=own, torque={name: f"{x}*t" for name, x in own.items()})
    assert done.json["q_end"] == pytest.approx(ours.q[-1].tolist(), abs=1e-12)
    assert lg.assemble(m, begin).tolist() == values  # in Python, too


def test_names_of_paths(run: Run, robot: Path) -> None:
    for path in (["--to", "left/waist=0.3, an elbow=0.2"], ["--formula", "left/waist=0.3*t", "--formula", "an elbow=0.2*t"]):
        assert run("inverse", robot, *path, "--duration", "1").code == 0
        ends = dict(zip(NAMES, lg.read("robot-inverse.nc").q[-1], strict=True))
        assert (ends["left/waist"], ends["an elbow"]) == pytest.approx((0.3, 0.2))


def test_names_that_hold_what_divides_a_list(run: Run, wrong: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(chain("a,b", "c=d"))
    for option, value in (("--q0", "a,b=1"), ("--q0", "c=d=1"), ("--torque", "c=d=1")):
        assert "between backquotes: `a,b`=1" in wrong("simulate", file, "-t", "0.1", option, value)
    assert "write name=value" in wrong("simulate", file, "-t", "0.1", "--torque", "=1")
    done = run("simulate", file, "-t", "0.1", "--q0", "`a,b`=1, `c=d`=0.5", "--torque", "`c=d`=1", "--json").json
    ours = lg.simulate(lg.load(file), 0.1, q0=[1, 0.5], torque=[0, 1])
    assert done["q_end"] == pytest.approx(ours.q[-1].tolist(), abs=1e-12)


def test_a_name_is_given_once() -> None:
    with pytest.raises(ArgumentError, match="'a' is given twice"):
        quantity.parse_assignments("a=1, b=2, `a`=3", "q0")
    assert quantity.split_assignment("x=piecewise(t <= 1, 2, t == 3)", "x")[0] == "x"  # comparisons are no second sign
    with pytest.raises(ArgumentError, match="write name=value"):
        quantity.split_assignment("t <= 3", "x")


@pytest.mark.parametrize("name", ["left/waist", "left-knee", "an elbow"])
def test_an_expression_says_where_backquotes_are_missing(robot: Path, name: str) -> None:
    m = lg.load(robot)
    with pytest.raises(ArgumentError, match=f"between backquotes: `{name}`"):
        lg.simulate(m, 0.1, torque={name: f"-3*{name}"})
    with pytest.raises(ArgumentError, match=f"between backquotes: `qd_{name}`"):
        lg.simulate(m, 0.1, torque={name: f"-3*`{name}` - qd_{name}"})
    lg.simulate(m, 0.1, torque={name: f"-3*`{name}` - `qd_{name}`"})
    with pytest.raises(ArgumentError) as other:
        lg.simulate(m, 0.1, torque={name: "3*nothing"})
    assert "backquotes" not in str(other.value)
