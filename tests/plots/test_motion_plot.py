"""Plots over time: what is on the axes, that curves hold the motion's numbers, and what is refused."""

from __future__ import annotations

import copy
import re
import time
import warnings
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.events import Happening
from lagrangian.motion.status import Ending, Status
from lagrangian.plots.quantities import multiplier_units, split_equation_name
from tests.plots.motions import chain, crane, floating, resting, run, stopped_motion

UNIT = re.compile(r"\[.+\]$")
DEG = 180 / np.pi


def curves(figure: Any, label: str) -> dict[str, np.ndarray]:
    """The curves of the panel whose axis is so called, by name."""
    (axes,) = [a for a in figure.axes if a.get_ylabel() == label]
    return {line.get_label(): line.get_ydata() for line in axes.lines if not line.get_label().startswith("_")}


def labels(figure: Any) -> list[str]:
    return [axes.get_ylabel() for axes in figure.axes]


@pytest.mark.parametrize("name", ["two_r", "four_bar", "scara", "stewart", "chaplygin_sleigh", "differential_drive"])
def test_every_axis_has_its_unit(name: str) -> None:
    figure = run(name).plot()
    for axes in figure.axes:
        assert UNIT.search(axes.get_ylabel()), axes.get_ylabel()
        assert np.allclose(axes.get_xlim(), (0, 0.4))
    lowest = [axes for axes in figure.axes if axes.get_subplotspec().is_last_row()]
    assert {axes.get_xlabel() for axes in lowest} == {"time [s]"}


def test_curves_hold_the_numbers_of_the_motion() -> None:
    motion = crane()
    figure = motion.plot("coordinates", "speeds", "accelerations", "torques", "energy", "balance")
    names = motion.coordinate_names
    angles, lengths = [0], [1]
    for label, values, factor, at in (
        ("angle [deg]", motion.q, DEG, angles),
        ("displacement [m]", motion.q, 1, lengths),
        ("angular speed [deg/s]", motion.qd, DEG, angles),
        ("speed [m/s]", motion.qd, 1, lengths),
        ("acceleration [m/s²]", motion.qdd, 1, lengths),
    ):
        shown = curves(figure, label)
        assert list(shown) == [names[k] for k in at]
        for k in at:
            assert np.array_equal(shown[names[k]], factor * values[:, k])
    energy = curves(figure, "energy [J]")
    assert np.allclose(energy["work of torques"], motion.work["torque"].sum(axis=1))
    assert np.array_equal(energy["kinetic"], motion.kinetic_energy)
    assert np.ptp(energy["potential − min"] - motion.potential_energy) < 1e-12
    assert energy["potential − min"].min() == 0
    assert np.allclose(energy["total"], energy["kinetic"] + energy["potential − min"])
    (balance,) = [a for a in figure.axes if a.get_ylabel().startswith("energy balance")]
    assert np.array_equal(balance.lines[-1].get_ydata(), motion.energy_balance)


def test_powers_of_ten_are_in_the_unit() -> None:
    """A tick of an axis, times what stands before the unit, is the value there."""
    (axes,) = run("two_r").plot("balance").axes
    power = re.search(r"\[10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+) J\]", axes.get_ylabel())
    assert power is not None
    exponent = int(power[1].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    written = axes.yaxis.get_major_formatter()(3.0 * 10.0**exponent, 0)
    assert written == "3"


def test_no_label_needs_a_formula() -> None:
    """Formulas take matplotlib ten times as long as text; and a power of ten is never apart from its unit."""
    motion = copy.copy(run("four_bar"))
    motion.t = 1e5 * motion.t
    for figure in (motion.plot(), run("two_r").phase_portrait(), run("two_r").plot_path()):
        figure.draw_without_rendering()
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            assert axis.get_offset_text().get_text() == ""
            assert not any("$" in label.get_text() for label in axis.get_ticklabels(which="both"))
    (drift,) = motion.plot("drift").axes
    assert drift.get_xlabel() == "time [10⁴ s]"
    written = drift.yaxis.get_major_formatter()
    assert (written(1e-16, 0), written(1.0, 0), written(2e-5, 0)) == ("10⁻¹⁶", "10⁰", "2·10⁻⁵")


def test_nothing_is_shown_of_what_is_not_there() -> None:
    assert [re.sub(r" \[.*", "", label) for label in labels(run("two_r").plot())] == [
        "angle",
        "angular speed",
        "energy",
        "energy balance",
    ]
    assert labels(resting().plot()) == ["angle [deg]"]
    closed = run("four_bar")
    shown = labels(closed.plot())
    assert "torque [N m]" in shown
    assert "constraint force λ [N]" in shown
    assert "drift [SI]" in shown
    assert not any(label.startswith("friction") for label in shown)
    # joints without a torque have no curve there, unless nothing has any
    assert list(curves(closed.plot("torques"), "torque [N m]")) == ["theta1"]
    none = run("two_r").plot("torques")
    assert list(curves(none, "torque [N m]")) == ["theta1", "theta2"]
    assert [text.get_text() for text in none.axes[0].texts] == ["all zero"]
    assert list(none.axes[0].get_yticks()) == [0.0]
    assert "all zero" not in [text.get_text() for axes in closed.plot().axes for text in axes.texts]


def test_angles_lengths_and_quaternions_stand_apart() -> None:
    motion = floating()
    figure = motion.plot("coordinates", "speeds")
    assert labels(figure) == ["quaternion [1]", "position [m]", "angular velocity [deg/s]", "velocity [m/s]"]
    assert np.array_equal(np.column_stack(list(curves(figure, "quaternion [1]").values())), motion.q[:, :4])
    assert np.allclose(np.column_stack(list(curves(figure, "position [m]").values())), motion.q[:, 4:], rtol=0, atol=1e-8)
    assert np.array_equal(curves(figure, "angular velocity [deg/s]")["float.wy"], DEG * motion.qd[:, 1])


def test_multipliers_are_grouped_by_constraint() -> None:
    motion = run("stewart")
    (axes,) = motion.plot("multipliers").axes
    looks = {line.get_label(): (line.get_color(), str(line._dash_pattern)) for line in axes.lines}
    assert list(looks) == list(motion.constraint_names)
    for one, other in combinations(looks, 2):
        (loop, part), (loop2, part2) = one.split("."), other.split(".")
        assert (looks[one][0] == looks[other][0]) == (loop == loop2)
        assert (looks[one][1] == looks[other][1]) == (part == part2)
    messages = [text.get_text() for text in axes.get_legend().get_texts()]
    assert messages == [*(f"ball{k}" for k in range(1, 7)), "x", "y", "z"]


def test_units_of_multipliers() -> None:
    """A loop's force closes a position, its moment an angle; an expression's is not known."""
    units = dict(zip(run("bricard").constraint_names, multiplier_units(run("bricard")), strict=True))
    assert units == {"closure.x": "N", "closure.y": "N", "closure.z": "N", "closure.xz": "N m", "closure.yz": "N m"}
    wheel = lg.Mechanism(
        "wheel",
        [lg.Body("disc", 1.0, (0, 0, 0), (0.1, 0.1, 0.2))],
        [lg.Joint("float", "free", "ground", "disc")],
        constraints=[
            lg.RollingConstraint("floor", "disc", 0.5, axis=(0, 0, 1)),
            lg.KnifeEdgeConstraint("knife", "disc", (1, 0, 0)),
        ],
    )
    names = lg.compile(wheel).constraint_names
    assert len(names) == 4
    assert multiplier_units(SimpleNamespace(mechanism=wheel, constraint_names=names)) == ["N"] * 4
    rolls, cuts = (
        lg.RollingConstraint("a.floor", "disc", 0.5, axis=(0, 0, 1)),
        lg.KnifeEdgeConstraint("a.knife", "disc", (1, 0, 0)),
    )
    dotted = wheel.replace(constraints=[rolls, cuts])
    motion = SimpleNamespace(mechanism=dotted, constraint_names=tuple(f"a.{name}" for name in names))
    assert multiplier_units(motion) == ["N"] * 4
    assert [split_equation_name(motion, name)[0] for name in motion.constraint_names] == ["a.floor"] * 3 + ["a.knife"]
    assert multiplier_units(run("wire_particles")) == ["N"]
    assert set(multiplier_units(run("differential_drive"))) == {"N or N m"}


def test_reactions_are_sizes() -> None:
    motion = run("four_bar")
    figure = motion.plot("reactions", joints="theta1")
    wrench = motion.reactions[:, 0]
    assert np.allclose(curves(figure, "reaction, |force| [N]")["theta1"], np.linalg.norm(wrench[:, 3:], axis=1))
    assert np.allclose(curves(figure, "reaction, |moment| [N m]")["theta1"], np.linalg.norm(wrench[:, :3], axis=1))


def test_joints_are_picked_by_any_of_their_names() -> None:
    motion = run("stewart")
    figure = motion.plot("coordinates", "speeds", joints=["leg2", "hip1.2", "platform"])
    assert list(curves(figure, "displacement [m]")) == ["leg2"]
    assert list(curves(figure, "angular speed [deg/s]")) == ["hip1.2"]
    assert list(curves(figure, "velocity [m/s]")) == ["platform.vx", "platform.vy", "platform.vz"]
    sleigh = run("chaplygin_sleigh").plot("coordinates", "speeds", joints="sleigh.vx")
    assert list(curves(sleigh, "position [m]")) == ["sleigh.x"]


@pytest.mark.parametrize(
    ("what", "more", "says"),
    [
        (("speed",), {}, "Did you mean 'speeds'"),
        (("nonsense",), {}, "there is no quantity or frame to plot called 'nonsense'"),
        ((), {"joints": "theta9"}, "there is no joint or coordinate 'theta9'. Did you mean 'theta"),
        (([1, 2],), {}, r"there is no quantity or frame to plot called \[1, 2\]"),
        (("multipliers",), {}, "no constraints"),
        (("drift",), {}, "no constraints"),
        ((), {"path": "figure.bmp"}, r"cannot be written as '.bmp'; end its name with .png, .svg or .pdf"),
        ((), {"path": "figure"}, "without an ending"),
        ((), {"path": "/nowhere/at/all/figure.png"}, "there is no folder"),
        ((), {"path": 3}, "a path to a file is needed"),
    ],
)
def test_wrong_quantities_are_refused(what: tuple[str, ...], more: dict[str, Any], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        run("two_r").plot(*what, **more)


def test_plots_are_saved_as_png_svg_and_pdf(tmp_path: Path) -> None:
    motion = run("two_r")
    for ending, first in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")):
        motion.plot("balance", path=tmp_path / f"f{ending}")
        assert (tmp_path / f"f{ending}").read_bytes().startswith(first)
    root = ET.parse(tmp_path / "f.svg").getroot()
    assert root.tag.endswith("svg")
    # 160 to the inch, of 6.8 inches
    assert int.from_bytes((tmp_path / "f.png").read_bytes()[16:20], "big") == 1088
    again = motion.plot("balance")
    assert again.to_bytes("svg") == (tmp_path / "f.svg").read_bytes()
    assert ET.fromstring(again.to_svg()).tag.endswith("svg")


def test_the_users_settings_stay() -> None:
    with matplotlib.rc_context({"lines.linewidth": 7.0, "font.size": 30.0, "axes.facecolor": "red"}):
        before = copy.deepcopy(dict(matplotlib.rcParams))
        figure = run("two_r").plot("coordinates")
        figure.to_bytes("png")
        assert dict(matplotlib.rcParams) == before
        axes = figure.axes[0]
        assert axes.lines[-1].get_linewidth() == 1.5
        assert axes.get_facecolor() == (1.0, 1.0, 1.0, 1.0)
    with pytest.raises(lg.ArgumentError):
        run("two_r").plot(path="/nowhere/f.png")
    assert matplotlib.rcParams["lines.linewidth"] == matplotlib.rcParamsDefault["lines.linewidth"]


def test_no_windows_and_no_figures_left_open() -> None:
    import matplotlib.pyplot as plt

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(22):  # pyplot warns of the 21st
            run("two_r").plot("balance")
    assert plt.get_fignums() == []


def overlaps(figure: Any, texts: list[Any]) -> list[tuple[str, str]]:
    figure.draw_without_rendering()
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts]
    return [(a, b) for (a, x), (b, y) in combinations(boxes, 2) if x.overlaps(y)]


def with_events(motion: lg.Motion, *events: tuple[str, float]) -> lg.Motion:
    other = copy.copy(motion)
    other.events = [Happening(name, t, motion.q[0], motion.qd[0]) for name, t in events]
    return other


def test_events_are_marked_and_their_labels_apart() -> None:
    motion = stopped_motion()
    figure = motion.plot()
    at = motion.events[0].t
    for axes in figure.axes:
        assert any(len(set(line.get_xdata())) == 1 and line.get_xdata()[0] == at for line in axes.lines)
    assert [t.get_text() for t in figure.axes[0].texts if t.get_text()] == ["locked"]
    close = [(f"event number {k} with a longer name", 0.2 + 0.003 * k) for k in range(9)]
    for events in (close, [(f"late {k}", 0.4 - 0.01 * k) for k in range(5)], [("again", 0.01 * k) for k in range(30)]):
        figure = with_events(run("two_r"), *events).plot("coordinates", "speeds")
        texts = [t for t in figure.axes[0].texts if t.get_text()]
        assert overlaps(figure, [*texts, *figure.texts, *figure.legends[0].get_texts()]) == []
        for text in texts:
            box = text.get_window_extent()
            assert box.x0 >= 0
            assert box.x1 <= figure.bbox.width
    assert [t.get_text() for t in texts] == ["again (30 times)"]


@pytest.mark.parametrize("name", ["stewart", "bricard"])
def test_no_text_lies_on_another(name: str) -> None:
    figure = run(name).plot()
    texts = [t for axes in figure.axes for t in (axes.yaxis.label, axes.xaxis.label)]
    texts += [t for legend in (*figure.legends, *(a.get_legend() for a in figure.axes)) if legend for t in legend.get_texts()]
    texts = [t for t in (*texts, *figure.texts) if t.get_text()]
    assert overlaps(figure, texts) == []
    for text in texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0
        assert box.y1 <= figure.bbox.y1


def test_many_joints_have_a_ramp_and_a_note() -> None:
    figure = chain(30).plot("coordinates")
    (axes,) = figure.axes
    assert len(axes.lines) == 30
    assert len({line.get_color() for line in axes.lines}) == 30
    messages = [text.get_text() for text in axes.get_legend().get_texts()]
    assert messages == ["j0", "j10", "j19", "j29", "(30 in this order)"]


def test_a_long_chain_does_not_take_for_ever() -> None:
    motion = chain(1000, 300)
    start = time.process_time()
    figure = motion.plot()
    figure.to_bytes("png")
    assert time.process_time() - start < 15
    axes = figure.axes[0]
    assert "(60 of 1000, in this order)" in [text.get_text() for text in axes.get_legend().get_texts()]
    for line in (axes.lines[0], axes.lines[-1]):
        k = motion.coordinate_names.index(line.get_label())
        assert k in (0, 999)
        assert np.array_equal(line.get_ydata(), DEG * motion.q[:, k])


def test_motions_without_their_mechanism_and_of_few_rows(tmp_path: Path) -> None:
    run("scara").save(tmp_path / "m.nc")
    read = lg.read(tmp_path / "m.nc")
    alone = copy.copy(read)
    alone.mechanism = None
    figure = alone.plot("coordinates", "speeds")
    assert labels(figure) == ["coordinate [rad or m]", "speed [rad/s or m/s]"]
    assert np.array_equal(curves(figure, "coordinate [rad or m]")["d3"], read.q[:, 2])
    assert list(curves(alone.plot("coordinates", joints="d3"), "coordinate [rad or m]")) == ["d3"]
    with pytest.raises(lg.ArgumentError, match="there is no joint or coordinate 'd4'"):
        alone.plot(joints="d4")
    one = run("two_r").resample([0.1])
    assert len(one.t) == 1
    assert one.plot().axes[0].lines[-1].get_marker() == "o"
    none = copy.copy(chain(2))
    none.t = none.t[:0]
    with pytest.raises(lg.ArgumentError, match="no rows"):
        none.plot()


def test_a_run_that_ended_early_says_so() -> None:
    motion = copy.copy(run("two_r"))
    motion.ending = Ending(Status.STEP_TOO_SMALL, 0.4, reason="the step became too small")
    from matplotlib.text import Annotation

    (beside,) = [a for a in motion.plot().artists if isinstance(a, Annotation)]
    assert beside.get_text() == motion.message


def test_names_are_plain_text() -> None:
    """Neither dollars nor underscores nor lengths of names mean anything to a figure."""
    names = [
        "_hidden",
        "a$b",
        "x$\\frac{$",
        "a name of more letters than anybody would ever want to read in a legend",
    ]
    motion = chain(len(names))
    joints = [lg.Joint(n, "revolute", "ground", b.name) for n, b in zip(names, motion.mechanism.bodies, strict=True)]
    m = motion.mechanism.replace(joints=joints, name="$\\sqrt{$")
    motion.mechanism, motion.name, motion.coordinate_names, motion.speed_names = m, m.name, m.coordinate_names, m.speed_names
    motion.events = [Happening("$e$_{", 0.5, motion.q[0], motion.qd[0])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = motion.plot("coordinates", "speeds")
        figure.to_bytes("png")
        motion.phase_portrait("_hidden", "a$b").to_bytes("png")
    messages = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [t.replace("\\$", "$") for t in messages][:3] == ["\u200b_hidden", "a$b", "x$\\frac{$"]
    assert messages[3].endswith("…")
    assert len(messages[3]) < 40
