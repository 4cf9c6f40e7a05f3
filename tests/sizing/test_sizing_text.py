"""What a sizing says, as a table, as a file and as an error."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.sizing.tasks import (
    reach,
    rows,
    sine,
    wheel,
)


def test_when_nothing_fits() -> None:
    weak = lg.Motor("weak", 0.001, 0.003, 300, 500, 1e-6)
    sizing = lg.size_actuators(wheel(), sine(wheel()), catalogue=[weak], gears=[1, 20])
    a = sizing["axis"]
    assert not sizing.fits
    assert a.chosen is None
    assert a.feasible == ()
    assert a.nearest is not None
    assert a.nearest.gear.ratio == 20
    assert sizing.mechanism is not None
    assert np.array_equal(sizing.tau, sine(wheel()).tau)
    for part in ("weak with 20:1", "margin of the continuous torque of the motor is", "accelerating factor"):
        assert part in a.message
    assert a.message in str(sizing)
    with pytest.raises(lg.ArgumentError, match="axis: no motor fits"):
        lg.size_actuators(wheel(), sine(wheel()), catalogue=[weak], strict=True)
    slow = lg.Motor("slow", 10, 30, 1, 2, 1e-6)
    message = lg.size_actuators(wheel(), sine(wheel()), catalogue=[slow], gears=20)["axis"].message
    assert "margin of the speed of the motor is" in message
    assert "It gives 19 rpm, but 550 rpm are needed" in message


def test_a_joint_of_several_speeds_has_its_demand_alone() -> None:
    body = lg.Body("load", mass=1, center=(0, 0, 0), inertia=(1, 1, 1))
    joint = lg.Joint("wrist", "universal", "ground", "load", axis=(1, 0, 0), axis2=(0, 1, 0))
    m = lg.Mechanism("m", (body,), (joint,), gravity=(0, 0, 0))
    t = np.linspace(0, 1, 50)
    motion = rows(m, t, np.column_stack([t, t]), np.ones((50, 2)), np.zeros((50, 2)))
    sizing = lg.size_actuators(m, motion)
    assert list(sizing.demand) == ["wrist.1", "wrist.2"]
    assert "several speeds" in sizing["wrist.1"].message
    assert not sizing.fits


def test_table_csv_and_plot(tmp_path: Path) -> None:
    arm = lg.library("two_r")
    sizing = lg.size_actuators(arm, reach(arm))
    text = str(sizing)
    for a in sizing.actuators.values():
        assert a.chosen is not None
        assert a.chosen.motor.name in text
    assert "The choice converged after 1 round. The torques were checked with the chosen rotors (error " in text
    assert "power in  back [W]  energy in  back [J]" in text
    assert "2 of 2" in repr(sizing)
    assert sizing.to_csv(tmp_path / "s.csv") == tmp_path / "s.csv"
    with pytest.raises(lg.ArgumentError, match="no actuated joint 'q9'"):
        sizing.demand["q9"]
    with (tmp_path / "s.csv").open() as stream:
        read = list(csv.DictReader(stream))
    assert [row["joint"] for row in read] == list(sizing.demand)
    for row in read:
        a = sizing[row["joint"]]
        assert a.chosen is not None
        assert float(row["rms_torque"]) == a.demand.rms_torque
        assert row["motor"] == a.chosen.motor.name
        assert float(row["margin_peak"]) == a.chosen.margins["peak"]
    sizing.plot(str(tmp_path / "first.svg"))
    assert (tmp_path / "first.svg").exists()
    figure = sizing.plot(path=tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000
    assert len(figure.axes) == 2
    first, second = sizing.demand
    named = arm.replace(joints=[replace(j, name=f"={j.name}") for j in arm.joints], initial=lg.InitialState(), poses={})
    hostile = lg.size_actuators(named, reach(named), catalogue=False)
    hostile.to_csv(tmp_path / "h.csv")
    with (tmp_path / "h.csv").open() as stream:
        cells = list(csv.reader(stream))
    assert [row[0] for row in cells] == ["joint", f"'={first}", f"'={second}"]  # no formula for a spreadsheet
    assert [float(row[1]) for row in cells[1:]] == [d.peak_torque for d in hostile.demand.values()]
    assert len(sizing.plot(next(iter(sizing.demand))).axes) == 1
    task = next(line for line in figure.axes[0].lines if line.get_label() == "task")
    first = next(iter(sizing.actuators.values()))
    assert task.get_xdata() == pytest.approx(first.speed * 30 / np.pi)
    alone = lg.size_actuators(arm, reach(arm), catalogue=False)
    assert alone.mechanism is arm
    assert "At the motors" not in str(alone)
    alone.to_csv(tmp_path / "d.csv")
    with pytest.raises(lg.ArgumentError, match="only the demand was computed"):
        alone.plot()
    with pytest.raises(lg.ArgumentError, match="there is no actuated joint 'theta9'"):
        sizing.plot("theta9")
    with pytest.raises(lg.ArgumentError, match="there is no folder"):
        sizing.to_csv(tmp_path / "none" / "s.csv")
    with pytest.raises(lg.ArgumentError, match="cannot be written"):
        sizing.plot(path=tmp_path / "s.unknown")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"margin": 0}, "margin"),
        ({"margin": {"peek": 2}}, "Did you mean 'peak'"),
        ({"margin": {"peak": "2"}}, "margin: peak"),
        ({"prefer": "mas"}, "Did you mean 'mass'"),
        ({"prefer": "cost"}, "no motor in the catalogue states its cost"),
        ({"dwell": -1}, "dwell"),
        ({"dwell": 1, "cycle_time": 3}, "give one"),
        ({"cycle_time": 0.5}, "the motion takes"),
        ({"dwell": 1}, "ends at rest"),
        ({"derating": 0}, "derating"),
        ({"max_inertia_ratio": -1}, "max_inertia_ratio"),
        ({"gears": {"axes": 3}}, "Did you mean 'axis'"),
        ({"gears": {"axis": "3"}}, "gears of 'axis'"),
        ({"lead": {"axis": 0.01}}, "sliding joint"),
        ({"catalogue": 7}, "catalogue"),
    ],
)
def test_bad_arguments(more: dict[str, Any], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        lg.size_actuators(wheel(), sine(wheel(), np.linspace(0, 1, 50)), **more)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tau": None}, "tau"),
        ({"tau": np.zeros((50, 2))}, r"motion.tau has shape \(50, 2\); \(50, 1\)"),
        ({"q": np.zeros(50)}, "motion.q has shape"),
        ({"t": np.zeros(50)}, "must increase"),
        ({"t": np.linspace(1, 0, 50)}, "must increase"),
        ({"t": np.zeros(1)}, "motion.t has shape"),
        ({"qdd": np.full((50, 1), np.nan)}, "motion.qdd .* row 0"),
        ({"qd": [["a"]] * 50}, "not an array of numbers"),
    ],
)
def test_bad_motions(changes: dict[str, Any], says: str) -> None:
    motion = sine(wheel(), np.linspace(0, 1, 50))
    motion.__dict__.update(changes)
    with pytest.raises(lg.ArgumentError, match=says):
        lg.size_actuators(wheel(), motion)
    with pytest.raises(lg.ArgumentError, match="no 't'"):
        lg.size_actuators(wheel(), object())
    passive, zero = lg.library("chaplygin_sleigh"), np.zeros((2, 3))
    with pytest.raises(lg.ArgumentError, match="no joint is actuated"):
        lg.size_actuators(passive, SimpleNamespace(t=np.array([0.0, 1]), q=zero, qd=zero, qdd=zero, tau=zero))


def test_a_motion_of_another_mechanism_is_refused() -> None:
    arm = lg.library("two_r")
    motion = lg.inverse(arm, lg.paths.joint_line([0, 0], [1, 1], 1.0))
    with pytest.raises(lg.ArgumentError, match="'two_r', not of 'three_r'"):
        lg.size_actuators(lg.library("three_r"), motion)
