"""`workspace`, `cycle` and `singularities`: what is printed and written is what the library finds."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

import lagrangian as lg
from lagrangian.motion.storage import netcdf
from tests.cli.conftest import Run


def test_a_cycle_is_printed_drawn_and_written(run: Run) -> None:
    done = run("cycle", "four_bar", "--speed", "4", "--curve", "C", "--plot", "-o", "bars.csv", "--rows", "91")
    assert done.code == 0
    assert "crank-rocker" in done.out
    assert "dead centre of phi3 at theta1 = 29.9264 deg" in done.out
    assert "C draws a closed curve" in done.out
    assert "wrote four_bar-cycle.png" in done.out
    assert Path("four_bar-cycle.png").stat().st_size > 10_000
    with Path("bars.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ours = lg.analyse_cycle("four_bar", speed=4.0, rows=91)
    assert len(rows) == 91
    assert float(rows[7]["phi3 [rad]"]) == ours.q[7, 2]
    assert float(rows[7]["torque [N m]"]) == ours.torque[7]


def test_a_turn_as_json_and_netcdf(run: Run) -> None:
    result = run("cycle", "slider_crank", "--json", "-o", "crank.nc", "--over", "0:180deg", "--rows", "19").json
    assert result["range"] == pytest.approx([0, math.pi])
    assert [d["of"] for d in result["dead_centres"]] == ["output", "output"]
    assert result["files"] == ["crank.nc"]
    data, about = netcdf.read(Path("crank.nc"))
    assert about["mechanism"] == "slider_crank"
    assert len(data["transmission_angle"]) == 19
    of_frame = run("cycle", "four_bar", "--driven", "C.x", "--json", "--rows", "19").json
    assert of_frame["output"] == "C.x"


def test_turns_are_compared(run: Run) -> None:
    done = run("cycle", "four_bar", "--sweep", "l1=0.2:0.4:3", "--plot", "-o", "cycles.csv", "--rows", "19")
    assert done.code == 0
    assert "3 cycles of theta1, of which 3 are full turns" in done.out
    assert Path("four_bar-cycles.png").stat().st_size > 10_000
    assert len(Path("cycles.csv").read_text().splitlines()) == 4
    data = run("cycle", "four_bar", "--sweep", "l1=0,0.3", "--json", "--rows", "19").json
    assert data["parameters"]["l1"] == [0.0, 0.3]
    assert data["transmission_angle"][0] is None
    assert data["swing"][1] == lg.analyse_cycle("four_bar", rows=19).travels["phi3"].extent


def test_a_coupler_point_travels(run: Run) -> None:
    done = run("cycle", "four_bar", "--curve", "C", "--rows", "19")
    assert "C travels: x from 0.107742 to 0.65731" in done.out
    assert "phi3 swings by 60.2652 deg" in done.out
    assert "time ratio 1.041" in done.out


def test_coordinates_are_held(run: Run) -> None:
    data = run("cycle", "five_bar", "--input", "q1", "--fixed", "q2=30deg", "--json", "--rows", "19").json
    assert data["input"] == "q1"
    done = run("cycle", "five_bar", "--input", "q1")
    assert (done.code, "--fixed q2=" in done.err) == (2, True)
    assert "give a value for all of them, or for none" in run("cycle", "five_bar", "--input", "q1", "--fixed", "q2=1,phi3").err


@pytest.mark.slow
def test_a_workspace(run: Run) -> None:
    arguments = ("workspace", "two_r", "--samples", "500", "--resolution", "12", "--over", "theta2=0.5:150deg")
    done = run(*arguments, "--plot", "-o", "reach.csv")
    assert done.code == 0
    assert "two_r: 'tip' reaches" in done.out
    assert "with one hole" in done.out
    assert Path("two_r-workspace.png").stat().st_size > 10_000
    with Path("reach.csv").open(encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    x, y = float(row["x [m]"]), float(row["y [m]"])
    q = [float(row["theta1 [rad]"]), float(row["theta2 [rad]"])]
    assert x == pytest.approx(math.cos(q[0]) + math.cos(sum(q)), abs=1e-9)
    assert y == pytest.approx(math.sin(q[0]) + math.sin(sum(q)), abs=1e-9)


def test_singular_configurations(run: Run) -> None:
    done = run("singularities", "two_r", "--over", "theta2=-1:200deg", "--plot", "-o", "s.csv")
    assert done.code == 0
    assert "theta2 = 0 deg, type 1: 'tip' cannot move along y" in done.out
    assert Path("two_r-singularities.png").exists()
    data = run("singularities", "two_r", "--over", "theta2=-1:200deg,theta1=0:1", "--lines", "3", "--json").json
    assert {s["type"] for s in data["found"]} == {1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("workspace", "two_r", "--frame", "tipp"), "Did you mean 'tip'"),
        (("workspace", "two_r", "--over", "theta2=3"), "is not a range; two numbers and a colon are needed"),
        (("workspace", "two_r", "-o", "reach.xlsx"), "written to .csv or .nc"),
        (("workspace", "four_bar"), "moves along a curve"),
        (("cycle", "four_bar", "--input", "crank"), "--input: there is no coordinate 'crank'"),
        (("cycle", "four_bar", "--driven", "tip"), "--driven: there is no coordinate or frame 'tip'"),
        (("cycle", "two_r"), "--input is needed for two_r"),
        (("cycle", "four_bar", "--sweep", "l9=1,2"), "--sweep: there is no parameter 'l9'"),
        (("cycle", "four_bar", "--sweep", "l1=normal(1, 2)"), "is a distribution"),
        (("cycle", "four_bar", "--sweep", "l1=0.2:0.3:2", "--curve", "C"), "--curve cannot be used with --sweep"),
        (("singularities", "two_r"), "--over must give the range"),
        (("singularities", "two_r", "--over", "theta=0:1"), "no coordinate 'theta'"),
    ],
)
def test_wrong_options_of_design_commands_are_refused(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize("command", ["workspace", "cycle", "singularities"])
def test_help_names_the_options_of_design_commands(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.code == 0
    assert "--plot" in done.out
