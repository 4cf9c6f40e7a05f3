"""`simulate`, `inverse`, `size`: what is printed and written is what the library computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
import typer

import lagrangian as lg
from lagrangian.cli.command import option_spelling
from lagrangian.cli.commands.simulate import print_summary
from lagrangian.errors import ArgumentError, ArgumentName, argument_spelling
from tests.cli.conftest import Run


def test_a_run_is_the_library_s(run: Run) -> None:
    done = run("simulate", "two_r", "-t", "2")
    assert done.code == 0
    assert done.out.startswith("two_r: reached t = 2 s")
    ours = lg.simulate(lg.library("two_r"), 2)
    read = lg.read("two_r.nc")
    np.testing.assert_array_equal(read.q, ours.q)
    data = run("simulate", "two_r", "-t", "2", "--json").json
    assert data["q_end"] == ours.q[-1].tolist()
    assert data["files"] == ["two_r.nc"]
    assert data["energy_balance"] == np.abs(ours.energy_balance).max()


def test_starts_and_torques(run: Run) -> None:
    """By name, in order, by pose; with units; the same expression as the library's."""
    arm = lg.library("two_r")
    torque = "2 - 0.1*theta1 + sin(t)*qd_theta2"
    start = {"q0": {"theta1": np.pi / 6, "theta2": 0.1}, "qd0": {"theta2": -0.5}}
    ours = lg.simulate(arm, (1, 3), **start, torque={"theta1": torque})
    options = ["-t", "1:3", "--torque", f"theta1={torque}", "--qd0", "theta2=-0.5", "--json"]
    for q0 in ("theta1=30deg,theta2=0.1", "30deg, 0.1", "[pi/6, 1/10]"):
        assert run("simulate", "two_r", "--q0", q0, *options).json["q_end"] == pytest.approx(ours.q[-1].tolist(), abs=1e-12)
    posed = run("simulate", "two_r", "--q0", "upright", "-t", "1", "--torque", "0", "--json").json
    assert posed["q_end"] == pytest.approx([np.pi / 2, 0], abs=1e-9)  # balanced


def test_events_wrenches_and_methods(run: Run) -> None:
    done = run("simulate", "deployable_four_bar", "--json").json
    assert done["message"].startswith("stopped by event 'locked'")
    assert done["t"][1] == pytest.approx(12.282995609629952, abs=1e-7)
    done = run("simulate", "deployable_four_bar", "--at-event", "locked=record", "--event", "dead centre", "--json").json
    assert done["message"].startswith("stopped by event 'dead centre'")
    done = run("simulate", "deployable_four_bar", "-t", "13", "--at-event", "locked=lock:phi1,phi2", "--json").json
    assert done["t"][1] == 13
    assert done["qd_end"] == pytest.approx([0, 0, 0], abs=1e-12)
    pushed = run("simulate", "two_r", "-t", "1", "--wrench", "tip=0,0,0,0,-15*sin(t),0", "--method", "dp5", "--json").json
    ours = lg.simulate(lg.library("two_r"), 1, wrenches={"tip": (0, 0, 0, 0, "-15*sin(t)", 0)}, method="dp5")
    assert pushed["q_end"] == pytest.approx(ours.q[-1].tolist(), abs=1e-12)
    assert "5" in pushed["statistics"]["method"]


def test_files_take_the_name_of_the_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for name in ("plot", "animate", "report"):

        def write(self: object, path: Path, name: str = name, **_: object) -> None:
            results.append(name)
            path.write_text(name)

        monkeypatch.setattr(lg.Motion, name, write)
    Path("out").mkdir()
    data = run("simulate", "two_r", "-t", "1", "-o", "out/first.csv", "--plot", "--animate", "--report", "--json").json
    assert data["files"] == ["out/first.csv", "out/first.png", "out/first.html", "out/first-report.html"]
    assert results == ["plot", "animate", "report"]
    assert [Path(x).read_text() for x in data["files"][1:]] == results
    assert sorted(data["files"]) == sorted(str(x) for x in Path("out").iterdir())  # nothing is left beside them
    assert Path("out/first.csv").read_text().startswith("t,q_theta1,q_theta2")


def test_a_run_that_cannot_go_on(run: Run) -> None:
    """What there is of it is written, and the exit code says that it failed."""
    done = run("simulate", "two_r", "-t", "2", "--torque", "theta1=1/(1 - t)")
    assert done.code == 1
    assert "reached" not in done.out
    assert lg.read("two_r.nc").t[-1] <= 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--q0", "1,2,3"], "--q0 is [1.0, 2.0, 3.0]; 2 finite numbers are needed: theta1, theta2"),
        (["--q0", "upside"], "there is no pose 'upside'"),
        (["--q0", "theta3=1"], "there is no coordinate 'theta3'"),
        (["--q0", "theta1=1;rm"], "write name=value"),
        (["--qd0", "theta1=1/0"], "--qd0: 'theta1'"),
        (["--time", "1:2:3"], "--time is '1:2:3'"),
        (["--time", "soon"], "--time"),
        (["--time", "-1"], "the end must come after"),
        (["--torque", "theta1"], "--torque: 'theta1' is not understood"),
        (["--torque", "theta3=1"], "there is no joint or speed 'theta3'"),
        (["--torque", "theta1=__import__('os').system('x')"], "is not understood (column"),
        (["--torque", "theta1=1", "--torque", "theta1=2"], "'theta1' is given twice"),
        (["--wrench", "tip=1,2"], "six"),
        (["--event", "theta9 - 1"], "theta9"),
        (["--method", "euler"], "there is no method 'euler'"),
        (["--method", "rk4"], "fixed time step"),
        (["-o", "run.txt"], ".nc"),
        (["-o", "no/run.nc"], "there is no folder"),
        (["--rows", "1"], "at least 2 rows"),
    ],
)
def test_bad_options(wrong: Callable[..., str], options: list[str], message: str) -> None:
    assert message in wrong("simulate", "two_r", *options)
    assert not list(Path().glob("*.nc"))


def test_no_time_is_reported(run: Run, wrong: Callable[..., str]) -> None:
    run("new", "arm")
    text = Path("arm.toml").read_text()
    Path("arm.toml").write_text(text.replace("t_span = [0, 5]", ""))
    assert "use --time" in wrong("simulate", "arm.toml")


def test_a_file_is_replaced_when_the_new_one_is_whole(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "wrote two_r.nc" in run("simulate", "two_r", "-t", "1").out
    assert "replaced two_r.nc" in run("simulate", "two_r", "-t", "2").out
    before = Path("two_r.nc").read_bytes()

    def breaks(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", breaks)
    done = run("simulate", "two_r", "-t", "1")
    assert done.code == 2
    assert "two_r.nc: it cannot be written: No space left" in done.err
    assert Path("two_r.nc").read_bytes() == before
    assert [x.name for x in Path().iterdir()] == ["two_r.nc"]


def test_a_start_that_does_not_close_the_loops(run: Run) -> None:
    """The run begins at the nearest that does, which is told so that it can be pasted; speeds likewise."""
    run("new", "bar", "--from", "four_bar")
    text = Path("bar.toml").read_text()
    Path("bar.toml").write_text(re.sub(r"(?m)^(q|qd) = .*", lambda m: f"{m[1]} = [1.0, 0.5, 1.2]", text))
    done = run("simulate", "bar.toml", "-t", "0.1")
    assert done.code == 0
    assert "[initial] q does not close the loops: closure.x misses by" in done.err
    assert "[initial] qd does not keep the constraints" in done.err
    assert "--q0 theta1=57deg" in done.err
    assert "lagrangian.assemble" not in done.err
    begun = lg.read("bar.nc")
    assert np.abs(lg.compile(lg.library("four_bar")).closure(begun.q[0])).max() < 1e-12
    entries = dict(re.findall(r"(?m)^  (q|qd) = (\[.*\])$", done.err))
    assert "warning" in run("check", "bar.toml").out
    for name, line in entries.items():
        text = re.sub(rf"(?m)^{name} = .*", f"{name} = {line}", text)
    Path("bar.toml").write_text(text)  # pasted: nothing is left to tell
    done = run("simulate", "bar.toml", "-t", "0.1")
    assert done.err == ""
    np.testing.assert_allclose(lg.read("bar.nc").q[0], begun.q[0], atol=1e-9)
    np.testing.assert_allclose(lg.read("bar.nc").qd[0], begun.qd[0], atol=1e-8)
    done = run("simulate", "bar.toml", "-t", "0.1", "--q0", "0,0,0")
    assert "--q0 does not close the loops" in done.err
    assert done.code == 0


def test_a_start_that_cannot_be_closed(run: Run) -> None:
    run("new", "bar", "--from", "four_bar")
    text = Path("bar.toml").read_text().replace("l0 = 1.0", "l0 = 9.0")
    text = re.sub(r"(?ms)^\[pose\].*?(?=^\[)", "", text)
    Path("bar.toml").write_text(re.sub(r"(?m)^q = .*", "q = [1.0, 0.5, 1.2]", text))
    done = run("simulate", "bar.toml", "-t", "0.1")
    assert done.code == 1
    assert "no configuration was found that closes the loops" in done.err


def test_events_are_not_a_wall(capsys: pytest.CaptureFixture[str]) -> None:
    m = lg.library("pendulum")
    swing = lg.Event("sin(8*t)", name="swing")
    motion = lg.simulate(m, 5, torque=0, events=[swing], t_eval=11)
    assert len(motion.events) > 10
    motion.events[0] = replace(motion.events[0], t=2.2e-20)
    print_summary(motion)
    out = capsys.readouterr().out
    assert out.count("swing at t = ") == 6
    assert "swing at t = 0 s" in out
    assert f"and {len(motion.events) - 6} more events" in out


def test_options_are_called_what_they_are_here(wrong: Callable[..., str]) -> None:
    assert "--rows is 1" in wrong("simulate", "two_r", "--rows", "1")
    assert "--step 0.001" in wrong("simulate", "two_r", "--method", "rk4")
    assert "--rtol is 2.0" in wrong("simulate", "two_r", "--rtol", "2")
    assert "--method: there is no method" in wrong("simulate", "two_r", "--method", "euler")
    assert "a duration in seconds is needed, such as 10" in wrong("simulate", "two_r", "--time", "ten")
    assert "tanh" not in wrong("simulate", "two_r", "--time", "sin(")


def test_an_argument_without_an_option_keeps_its_name() -> None:
    def command(limits: Annotated[bool, typer.Option("--limits/--no-limits")] = True) -> None: ...

    with argument_spelling(option_spelling(command)):
        assert str(ArgumentName("limits", False)) == "--no-limits"
        assert str(ArgumentName("max_step", 0.1)) == "max_step=0.1"
        assert str(ArgumentError("is 3", where="arm.toml", argument="limits", remedy="a bool is needed")) == (
            "arm.toml: --limits is 3; a bool is needed"
        )
    assert str(ArgumentName("limits", False)) == "limits=False"


def test_torques_within_their_limits(run: Run) -> None:
    arm = lg.library("two_r")
    limited = replace(arm.joints[0], limits=replace(arm.joints[0].limits, effort=3.0))
    lg.save(arm.replace(joints=[limited, arm.joints[1]]), "arm.toml")
    pushed = ["simulate", "arm.toml", "-t", "0.1", "--torque", "theta1=20"]
    done = run(*pushed)
    assert "theta1 is driven with 20 N m; its limit is 3 N m" in done.out
    assert "--saturate keeps torques" in done.out
    assert run(*pushed, "--saturate", "--json").json["torque_peak"][0] == 3


# -- inverse -----------------------------------------------------------------------------------------------------------


def test_the_lectures_circle(run: Run) -> None:
    """Torques as the library has them, which are checked against the lectures elsewhere."""
    arm = lg.library("two_r")
    circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
    ours = lg.inverse(arm, circle, frame="tip", q0={"theta2": -0.8})
    options = ["--circle", "1.2,1.2,0.2", "-t", "10", "--timing", "uniform", "--q0", "theta2=-0.8"]
    data = run("inverse", "two_r", *options, "--json").json
    assert data["torque_peak"] == pytest.approx(np.abs(ours.tau).max(axis=0).tolist(), rel=1e-9)
    assert data["files"] == ["two_r-inverse.nc"]
    tip = lg.compile(arm).pose(lg.read("two_r-inverse.nc").q, "tip")[:, :2, 3]
    np.testing.assert_allclose(np.hypot(*(tip - 1.2).T), 0.2, atol=1e-9)
    assert "RMS" in run("inverse", "two_r", *options).out


@pytest.mark.parametrize(
    ("options", "begin", "end"),
    [
        (["--line", "1.2,1.2 : 0.8,1"], (1.2, 1.2), (0.8, 1)),
        (["--line", "1200mm,1.2 : l1,r1"], (1.2, 1.2), (1, 0.773)),
        (["--arc", "1.4,1.2 : 1.2,1.4 : 1,1.2"], (1.4, 1.2), (1, 1.2)),
        (["--spline", "1.2,1.2 : 1,1.3 : 0.8,1"], (1.2, 1.2), (0.8, 1)),
        (["--formula", "x=1.2 - 0.1*t^2", "--formula", "y=1.2"], (1.2, 1.2), (0.8, 1.2)),
    ],
)
def test_paths_of_the_tip(run: Run, options: list[str], begin: tuple[float, float], end: tuple[float, float]) -> None:
    assert run("inverse", "two_r", *options, "--duration", "2", "--rows", "11").code == 0
    q = lg.read("two_r-inverse.nc").q
    tip = lg.compile(lg.library("two_r")).pose(q, "tip")[:, :2, 3]
    np.testing.assert_allclose(tip[[0, -1]], [begin, end], atol=1e-9)


def test_paths_of_joints(run: Run) -> None:
    run("inverse", "puma560", "--from", "qz", "--to", "qn", "--duration", "2", "-o", "a.nc")
    poses = lg.library("puma560").poses
    np.testing.assert_allclose(lg.read("a.nc").q[[0, -1]], [poses["qz"], poses["qn"]], atol=1e-12)
    run("inverse", "two_r", "--to", "theta2=90deg", "--duration", "1", "-o", "b.nc")  # the other stays where it starts
    np.testing.assert_allclose(lg.read("b.nc").q[[0, -1]], [[-np.pi / 2, np.pi / 4], [-np.pi / 2, np.pi / 2]], atol=1e-12)
    run("inverse", "four_bar", "--to", "theta1=150deg", "--duration", "1", "-o", "c.nc")  # loops move the others
    motion = lg.read("c.nc")
    assert motion.q[-1, 0] == pytest.approx(np.radians(150))
    assert motion.drift.max() < 1e-12
    Path("rows.csv").write_text("t,theta1,theta2\n" + "".join(f"{t},{t * t},{-t}\n" for t in np.linspace(0, 1, 21)))
    run("inverse", "two_r", "--path", "rows.csv", "-o", "d.nc")
    np.testing.assert_allclose(lg.read("d.nc").q[-1], [1, -1], atol=1e-9)


def test_paths_that_cannot_be(run: Run, wrong: Callable[..., str]) -> None:
    assert "exactly one path is needed, but none is given" in wrong("inverse", "two_r")
    assert "--circle and --line are given" in wrong("inverse", "two_r", "--circle", "1,1,1", "--line", "1,1:2,2")
    assert "has no duration" in wrong("inverse", "two_r", "--circle", "1.2,1.2,0.2")
    assert "X,Y,RADIUS" in wrong("inverse", "two_r", "--circle", "1,1", "-t", "1")
    assert "2 are needed" in wrong("inverse", "two_r", "--line", "1,1", "-t", "1")
    assert "a point is x,y" in wrong("inverse", "two_r", "--line", "1:2", "-t", "1")
    lg.save(lg.library("puma560").replace(frames=()), "bare.toml")
    assert "Use --frame" in wrong("inverse", "bare.toml", "--line", "0.4,0,0.2:0.4,0.1,0.2", "-t", "1")
    assert "there is no frame" in wrong("inverse", "two_r", "--line", "1,1:1,1.2", "-t", "1", "--frame", "tup")
    assert "--from needs --to" in wrong("inverse", "two_r", "--line", "1,1:1,1.2", "--from", "zero", "-t", "1")
    assert "there is no such file" in wrong("inverse", "two_r", "--path", "none.csv")
    assert "out of reach" in wrong("inverse", "two_r", "--line", "5,5:6,6", "-t", "1", code=1)


def test_orientations_along_a_curve(run: Run, wrong: Callable[..., str]) -> None:
    line = ["inverse", "three_r", "--line", "0.6,0.5 : 0.5,0.6", "-t", "1", "--rows", "3"]
    arm = lg.library("three_r")
    frame = arm.frames[0].name

    def heading(how: str, *more: str) -> np.ndarray:
        done = run(*line, "--frame", frame, "--orientation", how, *more)
        assert f"orientation: {how}" in done.out, done
        R = lg.compile(arm).pose(lg.read("three_r-inverse.nc").q, frame)
        return np.arctan2(R[:, 1, 0], R[:, 0, 0])

    near = "0.2,0.6,-0.5"
    assert np.ptp(heading("free", "--q0", near)) > 1e-3
    np.testing.assert_allclose(heading("keep", "--q0", near), 0.3, atol=1e-9)
    np.testing.assert_allclose(heading("rpy=0,0,30deg"), np.radians(30), atol=1e-9)
    np.testing.assert_allclose(heading("cos(0.1),0,0,sin(0.1)"), 0.2, atol=1e-9)
    assert "free, keep, three angles" in wrong(*line, "--orientation", "up")
    assert "free, keep, three angles" in wrong(*line, "--orientation", "1,0,0")
    assert "--orientation applies to" in wrong("inverse", "two_r", "--to", "zero", "-t", "1", "--orientation", "keep")


# -- size --------------------------------------------------------------------------------------------------------------


def test_motors_for_a_path_and_for_a_run(run: Run) -> None:
    options = ["--to", "theta1=0,theta2=0.5", "--duration", "1"]
    direct = run("size", "two_r", *options, "--csv", "m.csv", "--json")
    assert direct.code == 0
    run("inverse", "two_r", *options, "-o", "move.nc")
    again = run("size", "move.nc", "--json").json
    assert again["joints"] == direct.json["joints"]
    ours = lg.size_actuators(lg.library("two_r"), lg.read("move.nc"))
    for name, joint in again["joints"].items():
        assert joint["motor"] == ours[name].chosen.motor.name
        assert joint["demand"]["peak_torque"] == ours[name].demand.peak_torque
    assert Path("m.csv").read_text().startswith("joint,")
    other = run("size", "two_r", "move.nc", "--set", "m2=3")
    assert "bodies link2 changed since then" in " ".join(other.err.split())
    shown = run("size", "two_r", "move.nc", "--plot")
    assert shown.err == ""
    assert again["joints"]["theta1"]["motor"] in shown.out
    assert Path("two_r-motors.png").read_bytes().startswith(b"\x89PNG")


def test_no_motor_is_a_failure(run: Run) -> None:
    done = run("size", "two_r", "--to", "theta1=0,theta2=0.5", "--duration", "1", "--gears", "1")
    assert done.code == 1
    assert "none;" in done.out


def test_sizes_that_cannot_be(run: Run, wrong: Callable[..., str]) -> None:
    assert "no motion is given" in wrong("size", "two_r")
    assert "netCDF" in wrong("size", "two_r", "run.csv")
    assert "there is no such file" in wrong("size", "two_r", "run.nc")
    run("simulate", "two_r", "-t", "1")
    assert "are both motions; give one of them" in wrong("size", "two_r", "two_r.nc", "--to", "zero", "-t", "1")
    assert "differ" in wrong("size", "puma560", "two_r.nc")
    assert "are both motions; give one of them" in wrong("size", "two_r.nc", "--to", "zero", "-t", "1")
    assert "no torques" in wrong("size", "two_r.nc")
    assert "no torques" in wrong("size", "two_r", "two_r.nc")
    assert "--gears" in wrong("size", "two_r", "--to", "zero", "-t", "1", "--gears", "many")


def test_solvers_side_by_side(run: Run) -> None:
    done = run("compare-solvers", "pendulum", "-t", "1", "--methods", "dp5,rk4", "--rtol", "1e-6", "--step", "0.01")
    assert done.code == 0
    head, titles, first, second = done.out.splitlines()
    assert head == "pendulum, 0 to 1 s; differences are to verner9 at rtol 1e-13"
    assert titles.split()[:2] == ["method", "rtol"]
    assert first.startswith("dp5     rtol 1e-06")
    assert second.startswith("rk4     step 0.01 s")
    rows = run("compare-solvers", "pendulum", "-t", "1", "--methods", "dp5", "--rtol", "1e-6,1e-8", "--json").json["rows"]
    assert [row["rtol"] for row in rows] == [1e-6, 1e-8]


def test_payloads_change_the_torque_of_every_command(run: Run, wrong: Callable[..., str]) -> None:
    """Of every command that is given a mechanism: the torque that holds an arm, and its motion."""
    done = run("simulate", "two_r", "-t", 0.1, "--torque", "0", "--payload", "tip=2,0.1,0,0", "--json")
    loaded = lg.library("two_r").with_payload("tip", 2.0, (0.1, 0, 0))
    assert done.json["q_end"] == lg.simulate(loaded, 0.1, torque=0).q[-1].tolist()
    shown = run("show", "two_r", "--payload", "tip=m1", "--json").json
    assert shown["bodies"][1]["mass"] == pytest.approx(float(lg.library("two_r").body("link2").mass) + 12.456)
    assert "--payload tip=2,1 has 2 numbers; give a mass, or a mass and a point" in wrong("show", "two_r", "--payload", "tip=2,1")
    assert "--payload tup: there is no frame or body 'tup'" in wrong("show", "two_r", "--payload", "tup=2")
    assert "write name=value" in wrong("show", "two_r", "--payload", "tip")
