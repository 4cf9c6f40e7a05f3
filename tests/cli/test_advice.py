"""What a text advises on the command line is an option, and no call of a Python function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import lagrangian as lg
from lagrangian.errors import ArgumentName
from tests.cli.conftest import Run

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
ENDS = '<parent link="a"/><child link="{}"/>'
MIMIC = (
    f'<robot name="r">{"".join(map(LINK.format, "abc"))}<joint name="j" type="continuous">{ENDS.format("b")}</joint>'
    f'<joint name="k" type="continuous">{ENDS.format("c")}<mimic joint="j"/></joint></robot>'
)
SERVO = """<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
<actuator><motor joint="j"/></actuator><keyframe><key name="home" qpos="1" qvel="2"/></keyframe></mujoco>"""
FREE = '<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass></inertial></link></model></sdf>'


def check_message(run: Run, name: str, text: str) -> str:
    """What `check` says of a file; and that the library names arguments."""
    Path(name).write_text(text)
    done = run("check", name)
    assert "load(" not in done.out + done.err
    assert any("load(path, " in note for note in lg.load(name).notes)
    return " ".join((done.out + done.err).split())


def test_options_in_place_of_arguments_of_load(run: Run) -> None:
    assert "--mimic couples it" in check_message(run, "r.urdf", MIMIC)
    assert "--no-floating fixes it" in check_message(run, "m.sdf", FREE)
    servo = check_message(run, "s.xml", SERVO)
    assert "--keyframe NAME starts a simulation with it" in servo
    assert "--set NAME=X sets controls (0 by default) and gains: ctrl_j" in servo
    Path("r.yaml").write_text("closed_loop: [[b, c]]\ntype: [6d]\n")
    assert "--no-loops ignores the file" in check_message(run, "r.urdf", MIMIC)


def test_folders_are_chosen_by_an_option(wrong: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "part.xml").write_text("<mujoco/>")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "robot.xml").write_text('<mujoco><include file="../a b/part.xml"/></mujoco>')
    assert wrong("show", "c/robot.xml").endswith("a folder that contains both: --root .")


def test_calls_as_python_has_them() -> None:
    assert str(ArgumentName("mimic", True, call="load(path)")) == "load(path, mimic=True)"
    assert str(ArgumentName("keyframe", ..., call="load(path)")) == "load(path, keyframe=...)"
    assert str(ArgumentName("full", True, call="show")) == "show(full=True)"
