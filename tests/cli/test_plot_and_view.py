"""`plot`, `animate`, `view`, `report`, `tour`: options reach what draws, and files are where they are said to be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.scene.poses import drawn_configuration
from tests.cli.conftest import Run


@pytest.fixture
def drawing_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """What the methods that draw are given, in place of drawing."""
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def record_call(self: object, *a: Any, name: str, **k: Any) -> None:
        """What it is given, but for where to: that is beside the file, until it is whole."""
        place = k.pop("path", None) or next((x for x in a if isinstance(x, Path)), None)
        if place is not None:
            place.write_text(name)
        counted = k.pop("progress", None)
        if counted is not None:
            counted(1, 2)
        calls.append((name, tuple(x for x in a if not isinstance(x, Path)), k))

    for kind in (lg.Motion, lg.Mechanism):
        for name in ("plot", "phase_portrait", "plot_path", "animate", "view", "report"):
            monkeypatch.setattr(kind, name, partialmethod(record_call, name=name), raising=False)
    return calls


def test_options_of_plot_reach_the_method_that_draws(run: Run, drawing_calls: list[Any]) -> None:
    assert run("plot", "two_r", "-t", "1", "coordinates", "torques", "--joints", "theta1, theta2").code == 0
    over_time = {"frames": None, "angles": "degrees", "scale": "auto"}
    assert drawing_calls.pop() == ("plot", ("coordinates", "torques"), {"joints": ["theta1", "theta2"], **over_time})
    assert Path("two_r.png").read_text() == "plot"
    run("plot", "two_r", "-t", "1", "--joints", "2")
    assert drawing_calls.pop()[2] == {"joints": ["theta2"], **over_time}
    run("plot", "two_r", "-t", "1", "--frames", "tip,link1", "--angles", "radians", "--scale", "log")
    assert drawing_calls.pop()[2] == {"joints": None, "frames": ["tip", "link1"], "angles": "radians", "scale": "log"}
    run("plot", "two_r", "-t", "1", "--phase", "-o", "p.svg")
    assert drawing_calls.pop() == ("phase_portrait", (), {"angles": "degrees"})
    assert run("plot", "two_r", "-t", "1", "--path", "tip", "--plane", "xy", "--json").json == {"files": ["two_r-path.png"]}
    assert drawing_calls.pop() == ("plot_path", ("tip",), {"plane": "xy"})


def test_runs_over_each_other_and_frames(run: Run, drawing_calls: list[Any], wrong: Callable[..., str]) -> None:
    run("simulate", "two_r", "-t", "0.2", "--rows", "5", "-o", "a.nc")
    run("simulate", "two_r", "-t", "0.1", "--rows", "5", "-o", "b.nc")
    assert run("plot", "a.nc", "coordinates", "tip", "--with", "b.nc").code == 0
    _, what, options = drawing_calls.pop()
    assert what == ("coordinates", "tip")
    assert options["label"] == "a"
    assert {name: motion.last for name, motion in options["others"].items()} == {"b": 0.1}
    assert "another run is also called a;" in wrong("plot", "a.nc", "--with", "a.nc")
    assert "--with applies to plots over time" in wrong("plot", "a.nc", "--phase", "--with", "b.nc")


def test_what_is_reported_in_a_report(run: Run, drawing_calls: list[Any], wrong: Callable[..., str]) -> None:
    run("simulate", "two_r", "-t", "0.2", "--torque", "theta1=20", "--rows", "21", "-o", "a.nc")
    Path("notes.md").write_text("More\nwords", encoding="utf-8")
    arguments = ("--title", "Arm", "--author", "A", "--date", "today", "--notes", "notes.md", "--angles", "radians")
    assert run("report", "a.nc", *arguments, "--margin", "2").code == 0
    options = drawing_calls.pop()[2]
    sizing = options.pop("sizing")
    assert options == {"title": "Arm", "author": "A", "date": "today", "notes": "More\nwords", "angles": "radians"}
    expected = lg.size_actuators("two_r", lg.read("a.nc"), margin=2.0)
    assert str(sizing) == str(expected)
    assert "--notes: none.md cannot be read" in wrong("report", "a.nc", "--notes", "none.md")


def test_animations_and_reports(run: Run, drawing_calls: list[Any]) -> None:
    done = run("animate", "two_r", "-t", "1", "--speed", "0.5", "--trace", "tip", "--size", "640x480", "-o", "a.gif")
    assert "wrote a.gif" in done.out
    assert drawing_calls.pop() == ("animate", (), {"speed": 0.5, "trace": ["tip"], "size": (640, 480)})
    assert run("report", "two_r", "-t", "1", "--json").json == {"files": ["two_r-report.html"]}
    said = {"title": None, "author": None, "date": None, "notes": None, "angles": "degrees"}
    assert drawing_calls.pop() == ("report", (), said)
    assert "replaced two_r-report.html" in run("report", "two_r", "-t", "1").out


def test_options_of_view_reach_the_viewer(run: Run, drawing_calls: list[Any]) -> None:
    assert run("view", "four_bar", "--pose", "theta1=30deg", "--port", "8099", "--no-browser").code == 0
    name, _, options = drawing_calls.pop()
    assert (name, options["port"], options["browser"]) == ("view", 8099, False)
    q = drawn_configuration(lg.library("four_bar"), options["q"])  # where the viewer draws it
    assert q[0] == pytest.approx(np.radians(30))
    assert np.abs(lg.compile(lg.library("four_bar")).closure(q)).max() < 1e-12
    run("view", "two_r", "--pose", "upright")
    assert drawing_calls.pop()[2]["q"] == "upright"


def test_a_pose_that_is_none_is_reported_before_anything_is_served(wrong: Callable[..., str]) -> None:
    assert "--pose: there is no pose 'upside'" in wrong("view", "two_r", "--pose", "upside", "--no-browser")


def test_options_of_sliders_reach_the_page(run: Run, drawing_calls: list[Any]) -> None:
    run("animate", "two_r", "-t", "1", "--slider", "l1=0.5:1.5", "--slider", "q0.theta1=-90deg:0", "--slider", "m2")
    assert drawing_calls.pop()[2]["sliders"] == [("l1", 0.5, 1.5), ("q0.theta1", pytest.approx(-np.pi / 2), 0.0), "m2"]
    run("report", "two_r", "-t", "1", "--no-sliders")
    name, _, values = drawing_calls.pop()
    assert (name, values["sliders"]) == ("report", False)
    run("simulate", "two_r", "-t", "1", "--animate", "--report", "--slider", "l1")
    assert [name for name, _, values in drawing_calls if values.get("sliders") == ["l1"]] == ["animate", "report"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["animate", "two_r", "--slider", "l1=2"], "give the smallest and the largest value, such as l1=0.2:0.5"),
        (["animate", "two_r", "--slider", "l1=a:b"], "is not understood"),
        (["report", "two_r", "--slider", "l1", "--no-sliders"], "exclude each other; use one of them"),
        (["simulate", "two_r", "-t", "1", "--slider", "l1"], "need --animate or --report"),
        (["plot", "two_r", "q", "--phase"], "exclude each other"),
        (["plot", "two_r", "--frames", "tip", "--phase"], "exclude each other"),
        (["plot", "two_r", "-o", "a.html"], ".png, .svg, .pdf"),
        (["plot", "two_r", "energy", "--joints", "theta1"], "changes nothing in a plot of energy"),
        (["plot", "two_r", "-t", "1", "--joints", "theta1", "theta2"], "--joints theta1,theta2"),
        (["plot", "two_r", "-t", "1", "--joints", "3"], "joints are numbered 1 to 2: theta1, theta2"),
        (["plot", "none.nc"], "there is no such file"),
        (["animate", "two_r", "-o", "a.avi"], ".html, .gif, .mp4"),
        (["animate", "two_r", "--size", "big"], "960x720"),
        (["animate", "nothing"], "neither a file nor"),
        (["report", "two_r", "-o", "no/a.html"], "there is no folder"),
        (["view", "none.nc"], "there is no such file"),
    ],
)
def test_bad_input(wrong: Callable[..., str], drawing_calls: list[Any], arguments: list[str], message: str) -> None:
    assert message in wrong(*arguments)
    assert not drawing_calls


def test_a_run_carries_its_mechanism(run: Run, wrong: Callable[..., str], drawing_calls: list[Any]) -> None:
    run("simulate", "two_r", "-t", "1", "-o", "a.nc")
    assert lg.read("a.nc").mechanism is not None
    assert run("plot", "a.nc").code == 0
    assert Path("a.png").read_text() == drawing_calls.pop()[0]
    assert "a run cannot be changed" in wrong("plot", "a.nc", "--set", "l1=2")
    assert "--pose applies to a mechanism" in wrong("view", "a.nc", "--pose", "upright")
    assert "is a run" in wrong("show", "a.nc")


def test_real_files(run: Run) -> None:
    done = run("simulate", "two_r", "-t", "1", "--plot", "--animate", "--report")
    assert done.code == 0
    assert Path("two_r.png").read_bytes().startswith(b"\x89PNG")
    for page in ("two_r.html", "two_r-report.html"):
        assert Path(page).read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")


def test_the_tour_is_given_its_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.cli.commands import tour

    met = []
    monkeypatch.setattr(tour, "make_tour", lambda *a: met.append(a))
    assert run("tour", "-o", "there", "--no-open").code == 0
    assert met == [(Path("there"), False)]
