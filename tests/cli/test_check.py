"""`check`: what is wrong or doubtful in a description is found, with its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.cli.commands import check
from lagrangian.model.shapes import Visual
from lagrangian.report.findings import findings as findings_of_mechanism
from tests.cli.conftest import Run


def edited_copy(run: Run, name: str, *changes: tuple[str, str]) -> str:
    """A copy of a mechanism of the library with some texts changed."""
    run("new", "mine", "--from", name, "--force")
    text = Path("mine.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    Path("mine.toml").write_text(text)
    return "mine.toml"


def findings(run: Run, file: str, code: int = 0) -> str:
    done = run("check", file, "--json")
    assert done.code == code, done
    return "\n".join(f"{f['kind']}: {f['place']}: {f['what']}; {f['remedy']}" for f in done.json["findings"])


@pytest.mark.parametrize("name", lg.library()[::5])
def test_the_library_is_fine(run: Run, name: str) -> None:
    data = run("check", name, "--json")
    assert data.code == 0
    assert not [f for f in data.json["findings"] if f["kind"] == "error"]


def test_the_starter_is_fine(run: Run) -> None:
    run("new")
    done = run("check", "arm.toml")
    assert done.code == 0
    assert "arm.toml is valid" in done.out
    assert "total mass 5 kg" in done.out


def test_a_misspelt_entry_has_its_place(run: Run) -> None:
    results = findings(run, edited_copy(run, "two_r", ("center =", "centre =")), 1)
    assert "[[body]] 1 'link1'" in results
    assert "Did you mean 'center'" in results
    done = run("check", "mine.toml")
    assert "cannot be used" in done.out
    assert done.err.startswith("error: ")


def test_a_file_that_is_none(run: Run) -> None:
    assert "neither a file" in findings(run, "nothing", 1)
    Path("broken.toml").write_text("[[body]\nname = 3")
    assert "broken.toml" in findings(run, "broken.toml", 1)


def test_a_joint_that_moves_nothing(run: Run) -> None:
    file = edited_copy(run, "two_r", ('mass = "m2"', "mass = 0"), ('inertia = [0, "I2", "I2"]', "inertia = [0, 0, 0]"))
    results = findings(run, file, 1)
    assert "error: joint 'theta2': the bodies that it moves have no inertia" in results
    assert "note: body link2: it has no mass" in results


def test_a_massless_link_that_a_loop_moves_is_fine(run: Run) -> None:
    results = findings(run, edited_copy(run, "four_bar", ("m2 = 1.8", "m2 = 0")))
    assert "note: body coupler: it has no mass" in results
    assert "no inertia along it" not in results
    # a pointer that nothing moves, beside wheels that a gear joins
    parts = [f'[[body]]\nname = "{x}"\nmass = {m}\ninertia = [{m}, {m}, {m}]' for x, m in (("u", 1), ("v", 1), ("pointer", 0))]
    parts += [
        f'[[joint]]\nname = "{x}"\ntype = "revolute"\nchild = "{y}"' for x, y in (("a", "u"), ("b", "v"), ("loose", "pointer"))
    ]
    Path("wheels.toml").write_text("\n".join(['name = "wheels"', *parts, '[[constraint]]\nname = "gear"\nequation = "a + 2*b"']))
    assert "error: joint 'loose': the bodies that it moves have no inertia" in findings(run, "wheels.toml", 1)


def test_a_point_mass_is_noted(run: Run) -> None:
    assert "body link2: it is a point mass" in findings(run, edited_copy(run, "two_r", ('inertia = [0, "I2", "I2"]', "")))


def test_loops_that_cannot_be_closed(run: Run) -> None:
    results = findings(run, edited_copy(run, "four_bar", ("l0 = 1.0", "l0 = 9.0"), ("[initial]\nq", "[initial]\n#")), 1)
    assert "error" in results


def test_a_pose_that_is_open(run: Run) -> None:
    file = edited_copy(run, "four_bar", ("[pose]", "[pose]\nwrong = [0, 0, 0]"))
    assert "warning: pose 'wrong': it does not close the loops: closure.x misses by" in findings(run, file)


def test_poses_and_starts_outside_limits_are_warned_of(run: Run) -> None:
    joint = 'name = "theta1"\ntype = "revolute"'
    results = findings(run, edited_copy(run, "two_r", (joint, f"{joint}\nlimits = {{ lower = -170, upper = 170 }}")))
    assert "joint theta1: its limits are more than two turns" in results
    results = findings(run, edited_copy(run, "two_r", (joint, f"{joint}\nlimits = {{ lower = -1, upper = 1 }}")))
    assert "warning: pose 'hanging': theta1 = -1.571 is outside its limits, -1 to 1" in results


def test_warnings_of_readers(run: Run) -> None:
    Path("r.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    results = findings(run, "r.urdf")
    assert results.count("impossible inertia (1: b [Izz = 9 exceeds Ixx + Iyy = 2]): no real body has such an inertia") == 1
    assert "warning" in results


def test_remarks_are_counted_elsewhere(run: Run) -> None:
    """Remarks of the same kind and places are one."""
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = '<link name="a"/>' + "".join(f'<link name="{name}">{body}</link>' for name in "bcd")
    joints = "".join(
        f'<joint name="j{child}" type="continuous"><parent link="a"/><child link="{child}"/><dynamics {value}/></joint>'
        for child, value in {"b": 'D="1" K="2" mu_coulomb="0"', "c": 'E="1"', "d": 'F="1"'}.items()
    )
    Path("r.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    results = findings(run, "r.urdf")
    assert results.count("warning: ") == 3
    assert "'D', 'K' and 'mu_coulomb' of a <dynamics> (1: jb in line 1): ignored" in results
    assert run("show", "r.urdf").err == "note: the reader has 3 remarks; `lagrangian check r.urdf` lists them\n"


def test_meshes_are_found_as_pictures_find_them(run: Run) -> None:
    """With the reason they have for what they do not draw."""
    m = lg.library("pendulum")
    for file, why in (
        ("none.stl", "there is no such file"),
        ("a.step", "cannot be read"),
        ("http://x/y.stl", "only local files"),
    ):
        bodies = [replace(m.bodies[0], visuals=(Visual("mesh", file=file),))]
        messages = [str(f) for f in check.findings(m.replace(bodies=bodies)) if f.place.startswith("mesh")]
        assert len(messages) == 1
        assert why in messages[0]


def test_joints_without_inertia_are_one_error_and_fixed_joints_are_none(run: Run) -> None:
    kinds = ("continuous", "fixed", "continuous", "fixed")
    joint = '<joint name="j{0}" type="{1}"><parent link="l{0}"/><child link="l{2}"/></joint>'
    joints = "".join(joint.format(k, kind, k + 1) for k, kind in enumerate(kinds))
    links = "".join(f'<link name="l{k}"/>' for k in range(5))
    Path("drawn.urdf").write_text(f'<robot name="drawn">{links}{joints}</robot>')
    messages = [line for line in findings(run, "drawn.urdf", code=1).splitlines() if line.startswith("error")]
    assert len(messages) == 1
    assert messages[0].startswith("error: joint 'j0', 'j2': the bodies that each moves have no inertia along it")


@pytest.mark.parametrize(
    ("factor", "said"),
    [(1e9, "in g mm²"), (1e6, "in kg mm²"), (1e4, "in kg cm²"), (1.0, ""), (1e-6, "divided by a power of ten")],
)
def test_check_tells_of_inertias_in_other_units(factor: float, said: str) -> None:
    """Of a bar of 2 kg and 0.4 m, whose inertia is m l^2/12."""
    inertia = factor * 2.0 * 0.4**2 / 12
    bar = lg.Body("bar", mass=2.0, center=(0.2, 0, 0), inertia=(0, inertia, inertia))
    m = lg.Mechanism("arm", [bar], [lg.Joint("hinge", "revolute", "ground", "bar")], frames=[lg.Frame("tip", "bar", (0.4, 0, 0))])
    warned = [str(x) for x in findings_of_mechanism(m) if x.kind == "warning"]
    if not said:
        assert not warned
        return
    assert said in warned[0]
    assert f"'bar' (2 kg, radius of gyration {np.sqrt(inertia / 2):.3g} m, size 0.4 m)" in warned[0]


def test_check_tells_of_a_joint_that_its_limits_lock() -> None:
    bar = lg.Body("bar", mass=2.0, center=(0.2, 0, 0), inertia=(0, 0.02, 0.02))
    m = lg.Mechanism("arm", [bar], [lg.Joint("hinge", "revolute", "ground", "bar", limits=lg.JointLimits(0.0, 0.0))])
    assert [str(x) for x in findings_of_mechanism(m) if x.kind == "warning"] == [
        "joint hinge: its limits leave it no room: it is locked at 0. If it is to move, give the limits of the real joint, or "
        "none; if it is not, make it fixed"
    ]
