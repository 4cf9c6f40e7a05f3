"""`new`, `library`, `show`: what is written can be read, and what is shown is what the mechanism has."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import lagrangian as lg
from tests.cli.conftest import Run


def test_the_starter_is_a_planar_arm(run: Run) -> None:
    """Its mass matrix is that of two slender bars, by the textbook's formula."""
    assert run("new", "elbow").code == 0
    arm = lg.load("elbow.toml")
    assert arm.name == "elbow"
    l1, l2, m1, m2 = (float(arm.parameters[x]) for x in ("l1", "l2", "m1", "m2"))
    c2 = np.cos(0.7)
    M11 = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * c2)
    assert lg.compile(arm).mass_matrix([0.3, 0.7])[0, 0] == pytest.approx(M11, rel=1e-12)
    assert {"tip"} == {f.name for f in arm.frames}
    assert arm.initial.t_span is not None


def test_an_existing_file_is_kept(run: Run, wrong: Callable[..., str]) -> None:
    Path("arm.toml").write_text("mine")
    assert "--force" in wrong("new", "arm")
    assert Path("arm.toml").read_text() == "mine"
    assert run("new", "arm", "--force").code == 0
    assert lg.load("arm.toml").nv == 2


@pytest.mark.parametrize("name", lg.library()[::5])
def test_a_copy_from_the_library_is_the_same_but_for_its_name(run: Run, name: str) -> None:
    assert run("new", "mine", "--from", name, "--json").json == {"file": "mine.toml", "name": "mine"}
    mine, theirs = lg.load("mine.toml"), lg.library(name)
    assert mine.name == "mine"
    assert (mine.bodies, mine.joints, mine.loops) == (theirs.bodies, theirs.joints, theirs.loops)


def test_names_that_are_none(wrong: Callable[..., str]) -> None:
    assert "there is no folder" in wrong("new", "nowhere/arm")
    assert "cannot name a mechanism" in wrong("new", "...")
    assert "lagrangian new other" in wrong("new", "other.urdf")
    assert "Did you mean 'four_bar'" in wrong("new", "x", "--from", "fourbar")


def test_the_library_is_listed(run: Run) -> None:
    done = run("library")
    assert all(name in done.out for name in lg.library())
    listed = {row["name"]: row for row in run("library", "--json").json["library"]}
    assert listed["stewart"]["loops"] == len(lg.library("stewart").loops)
    assert listed["puma560"]["joints"] == 6
    assert listed["two_r"]["poses"] == list(lg.library("two_r").poses)


def test_show_draws_the_tree_with_its_loop(run: Run) -> None:
    out = run("show", "four_bar").out
    assert "1 degree of freedom" in out
    lines = [line for line in out.splitlines() if "→" in line and "loop" not in line]
    crank, coupler, rocker = (next(line for line in lines if f"→ {body}" in line) for body in ("crank", "coupler", "rocker"))
    assert coupler.index("phi2") > crank.index("theta1") == rocker.index("phi3")
    assert sum("loop closure point" in line for line in out.splitlines()) == 2
    assert "mass [kg]" in out


def test_show_as_data(run: Run) -> None:
    data = run("show", "two_r", "--json").json
    arm = lg.library("two_r")
    assert data["coordinates"] == list(arm.coordinate_names)
    assert data["mobility"]["degrees"] == 2
    assert data["bodies"][0]["mass"] == 12.456
    assert data["poses"]["upright"] == pytest.approx([np.pi / 2, 0])
    assert data["joints"][0]["limits"]["upper"] is None  # infinite
    freedom = run("show", "bricard", "--json").json["mobility"]
    assert [freedom[x] for x in ("degrees", "equations", "rank", "gruebler", "redundant")] == [1, 5, 4, 0, 1]


def test_other_values_of_parameters(run: Run, wrong: Callable[..., str]) -> None:
    data = run("show", "two_r", "--set", "m1=2.5,l1=250mm", "--set", "r1=pi/10", "--json").json
    assert data["bodies"][0]["mass"] == 2.5
    assert data["parameters"]["l1"] == 0.25
    assert data["parameters"]["r1"] == pytest.approx(np.pi / 10)
    assert "there is no parameter 'mm1'" in wrong("show", "two_r", "--set", "mm1=1")
    assert "name=value" in wrong("show", "two_r", "--set", "m1")
    assert "--set m1" in wrong("show", "two_r", "--set", "m1=heavy")


def test_a_mechanism_that_is_none(run: Run, wrong: Callable[..., str]) -> None:
    assert "no mechanism is given" in wrong("show", "")
    assert "Did you mean 'puma560'" in wrong("show", "puma650")
    run("new", "gripper")
    assert "Did you mean 'gripper.toml'" in wrong("show", "griper.toml")
    Path("notes.txt").write_text("x")
    assert "there is no reader" in wrong("show", "notes.txt")
    assert "--floating is for URDF" in wrong("show", "two_r", "--floating")
    assert "--mimic is for URDF" in wrong("show", "two_r", "--mimic")
    assert "--no-mimic is for URDF and SDF files; mechanisms of the library" in wrong("show", "two_r", "--no-mimic")
    assert "--no-floating is for URDF and SDF" in wrong("show", "two_r", "--no-floating")
    assert "--no-loops is for URDF files" in wrong("show", "two_r", "--no-loops")
    assert "--loops is for URDF" in wrong("show", "two_r", "--loops", "two_r.yaml")
    assert "--xacro is for URDF" in wrong("show", "two_r", "--xacro", "a:=1")
    assert "--root is for MJCF" in wrong("show", "two_r", "--root", ".")


def test_a_file_goes_before_the_library(run: Run) -> None:
    run("new", "two_r")
    assert run("show", "two_r.toml", "--json").json["parameters"]["l1"] == 0.5
    assert run("show", "two_r", "--json").json["parameters"]["l1"] == 1.0


def test_show_draws_a_picture(run: Run, wrong: Callable[..., str]) -> None:
    done = run("show", "two_r", "--picture", "arm.png", "--pose", "upright")
    assert done.code == 0
    assert "wrote arm.png" in done.out
    assert Path("arm.png").read_bytes().startswith(b"\x89PNG")
    assert "there is no pose" in wrong("show", "two_r", "--picture", "b.png", "--pose", "upside")
    options = ("--view", "30,20", "--zoom", "2", "--target", "tip", "--size", "160x120")
    assert run("show", "two_r", "--picture", "c.png", *options).code == 0
    expected = lg.library("two_r").draw(view=(30, 20), zoom=2, target="tip", size=(160, 120))
    assert np.array_equal(np.asarray(Image.open("c.png")), expected)
    assert "there is no view 'side'" in wrong("show", "two_r", "--picture", "b.png", "--view", "side")
    assert "--view cannot be used without --picture FILE" in wrong("show", "two_r", "--view", "front")
    assert "--size is '10'; a width and a height" in wrong("show", "two_r", "--picture", "b.png", "--size", "10")


def test_help_imports_nothing_heavy() -> None:
    """What `lagrangian --help` needs is the command line and the standard library."""
    heavy = ("numpy", "llvmlite", "matplotlib", "sympy")
    program = f"import sys; import lagrangian.cli.main; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_files_outside_the_model_need_a_root(run: Run, wrong: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    (tmp_path / "link.xml").write_text('<mujoco><body name="link"><joint/><geom size=".1"/></body></mujoco>')
    main = tmp_path / "arm" / "arm.xml"
    main.write_text('<mujoco><worldbody><include file="../link.xml"/></worldbody></mujoco>')
    assert "--root" in wrong("show", str(main))
    assert "link" in run("show", str(main), "--root", str(tmp_path)).out
    assert "is valid" in run("check", str(main), "--root", str(tmp_path)).out


def test_a_base_flies_or_is_held(run: Run) -> None:
    """By default as the format has it: URDF's is held, SDF's flies."""
    Path("b.sdf").write_text('<sdf version="1.9"><model name="m"><link name="b"/></model></sdf>')
    Path("b.urdf").write_text('<robot name="m"><link name="b"/></robot>')
    for file, options, speeds in (
        ("b.sdf", (), 6),
        ("b.sdf", ("--floating",), 6),
        ("b.sdf", ("--no-floating",), 0),
        ("b.urdf", (), 0),
        ("b.urdf", ("--floating",), 6),
        ("b.urdf", ("--no-floating",), 0),
    ):
        assert f"{speeds} speeds" in run("show", file, *options).out


LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
HINGE = '<joint name="{0}" type="continuous"><parent link="base"/><child link="{1}"/>{2}</joint>'


def test_mimic_joints_are_coupled_if_asked(run: Run, wrong: Callable[..., str]) -> None:
    links = "".join(map(LINK.format, ("base", "a", "b")))
    joints = HINGE.format("j", "a", "") + HINGE.format("k", "b", '<mimic joint="j"/>')
    Path("hand.urdf").write_text(f'<robot name="hand">{links}{joints}</robot>')
    for options, degrees in (((), 2), (("--mimic",), 1), (("--no-mimic",), 2)):
        assert run("show", "hand.urdf", *options, "--json").json["mobility"]["degrees"] == degrees
    Path("hand.xml").write_text("<mujoco/>")
    assert "MJCF takes no option '--mimic'; couple joints by <equality>" in wrong("show", "hand.xml", "--mimic")


def test_a_file_of_loops_is_named_or_left_out(run: Run, wrong: Callable[..., str]) -> None:
    links = "".join(map(LINK.format, ("base", "a", "b", "c", "d")))
    joints = HINGE.format("j", "a", "") + HINGE.format("k", "b", "")
    joints += "".join(
        f'<joint name="f_{tip}" type="fixed"><parent link="{link}"/><child link="{tip}"/></joint>' for link, tip in ("ac", "bd")
    )
    Path("pair.urdf").write_text(f'<robot name="pair">{links}{joints}</robot>')
    text = 'closed_loop:\n- ["c", "d"]\ntype:\n- "6d"\n'
    for name in ("pair.yaml", "other.yml"):
        Path(name).write_text(text)
    for options, loops in (((), 1), (("--no-loops",), 0), (("--loops", "other.yml"), 1)):
        assert len(run("show", "pair.urdf", *options, "--json").json["loops"]) == loops, options
    assert "exclude each other; use one of them" in wrong("show", "pair.urdf", "--no-loops", "--loops", "other.yml")


def test_arguments_of_a_xacro_file(run: Run, wrong: Callable[..., str]) -> None:
    pytest.importorskip("xacro")
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="side" default="left"/>'
    Path("r.urdf.xacro").write_text(f'{head}<link name="$(arg side)_$(arg tip)"/></robot>')
    for options in (("--xacro", "tip:=a:=b", "--xacro", "side:=my"), ("--xacro", "tip=a:=b", "--xacro", "side=my")):
        assert run("show", "r.urdf.xacro", *options, "--json").json["bodies"][0]["name"] == "my_a:=b"
    assert "Undefined substitution argument tip; --xacro tip:=... gives it a value" in wrong("show", "r.urdf.xacro")
    assert "no argument of this xacro file called 'sid'" in wrong(
        "show", "r.urdf.xacro", "--xacro", "tip:=a", "--xacro", "sid:=b"
    )
    assert "such as --xacro prefix:=left_" in wrong("show", "r.urdf.xacro", "--xacro", "left")


def test_the_library_is_listed_without_numpy() -> None:
    program = "import sys, lagrangian as lg; len(list(lg.library())); print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
