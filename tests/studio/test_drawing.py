"""Drawings as descriptions: how freely they move, how they move, what they weigh, and how they are recovered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studio.drawing import masses
from lagrangian.studio.drawing.drawing import drawing_from_dict
from lagrangian.studio.drawing.links import drawing_mobility, gruebler_count, spanning_tree, unconnected_links
from lagrangian.studio.drawing.routes import describe_drawing, drawing_motion, examples, recover_drawing
from lagrangian.studio.drawing.to_toml import drawing_to_toml
from tests.studio.drawings import example, four_bar, pin, slider_crank

NAMES = [x["name"] for x in examples()["examples"]]


def without_motors(drawing: dict[str, Any]) -> dict[str, Any]:
    return {**drawing, "motors": []}


@pytest.mark.parametrize("name", NAMES)
def test_gruebler_counts_as_the_mechanism_does(name: str) -> None:
    drawing = drawing_from_dict(without_motors(example(name)))
    loaded = lg.loads(drawing_to_toml(drawing))
    assert gruebler_count(drawing) == loaded.gruebler == lg.mobility(loaded).degrees


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_recovered_from_its_description(name: str) -> None:
    drawing = drawing_from_dict(example(name))
    again = recover_drawing({"text": drawing_to_toml(drawing)})
    assert again["left_out"] == []
    back = drawing_from_dict(again["drawing"])
    places = {x.name: (x.x, x.y, x.ground, x.trace) for x in back.pins}
    for x in drawing.pins:
        assert places[x.name] == (pytest.approx(x.x, abs=1e-10), pytest.approx(x.y, abs=1e-10), x.ground, x.trace)
    assert {(x.name, frozenset(x.pins), x.width, x.mass) for x in back.bars} == {
        (x.name, frozenset(x.pins), x.width, x.mass) for x in drawing.bars
    }
    assert {(x.pin, x.on, x.angle) for x in back.sliders} == {(x.pin, x.on, x.angle) for x in drawing.sliders}
    assert back.motors == drawing.motors
    assert back.gravity == drawing.gravity
    assert recover_drawing({"text": drawing_to_toml(back)})["drawing"] == again["drawing"]


def test_the_coupler_curve_is_that_of_the_library() -> None:
    motion = drawing_motion({"drawing": four_bar(), "seconds": 1.0})
    bar = lg.library("four_bar")
    compiled = lg.compile(bar)
    q = np.array(bar.initial.q)
    for k in range(0, len(motion["t"]), 10):
        q = lg.assemble(bar, q, fixed={"theta1": math.pi / 2 + 2 * math.pi * motion["t"][k]})
        point = compiled.pose(q, "C")[:2, 3]
        assert motion["pins"]["P"]["x"][k] == pytest.approx(point[0], abs=1e-6)
        assert motion["pins"]["P"]["y"][k] == pytest.approx(point[1], abs=1e-6)


def test_a_slider_crank_moves_as_the_formula_says() -> None:
    r, l, angle, speed = 0.1, 0.3, 0.7, 5.0
    motion = drawing_motion({"drawing": slider_crank(r, l, angle, speed), "seconds": 2.0})
    theta = angle + speed * np.array(motion["t"])
    np.testing.assert_allclose(motion["pins"]["C"]["x"], r * np.cos(theta) + np.sqrt(l**2 - (r * np.sin(theta)) ** 2), atol=1e-7)
    np.testing.assert_allclose(motion["pins"]["C"]["y"], 0, atol=1e-9)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "quick-return", "watt-six-bar"])
def test_forces_and_weights_accelerate_the_links(name: str) -> None:
    """Newton, for every bar: what its pins exert on it, and its weight, is its mass times the acceleration of its centre."""
    drawing = drawing_from_dict(example(name))
    motion = drawing_motion({"drawing": example(name), "seconds": 2.0})
    mechanism = lg.loads(drawing_to_toml(drawing))
    t = np.array(motion["t"])
    for link in mechanism.bodies:
        force = np.zeros((len(t), 2))
        for x in motion["forces"]:
            sign = (x["on"] == link.name) - (x["by"] == link.name)
            force += sign * np.column_stack([x["x"], x["y"]])
        if link.name.startswith("block"):
            path = motion["pins"][link.name.removeprefix("block ")]
            center = np.column_stack([path["x"], path["y"]])
        else:
            center = centre(drawing, link.name, motion)
        dt = t[1] - t[0]
        acceleration = (center[2:] - 2 * center[1:-1] + center[:-2]) / dt**2  # off by dt^2 / 12 times the fourth derivative
        expected = float(link.mass) * (acceleration + np.array([0, 9.81]))
        np.testing.assert_allclose(force[1:-1], expected, atol=0.02 * np.abs(force).max())


def centre(drawing: Any, name: str, actual: dict[str, Any]) -> np.ndarray:
    """The path of a bar's centre of mass, from those of its first two pins."""
    bar = drawing.bar(name)
    points = [(drawing.pin(x).x, drawing.pin(x).y) for x in bar.pins]
    whole = masses.plate(points, bar.width)
    a, b, c = (complex(*p) for p in (points[0], points[1], whole.center))
    share = (c - a) / (b - a)
    first, second = (np.array(actual["pins"][x]["x"]) + 1j * np.array(actual["pins"][x]["y"]) for x in bar.pins[:2])
    path = first + share * (second - first)
    return np.column_stack([path.real, path.imag])


def test_the_motor_gives_the_power_that_the_energy_takes() -> None:
    motion = drawing_motion({"drawing": example("four-bar"), "seconds": 2.0})
    energy = np.array(motion["energy"]["kinetic"]) + np.array(motion["energy"]["potential"])
    t, power = np.array(motion["t"]), np.array(motion["motors"][0]["power"])
    values = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t))])
    np.testing.assert_allclose(energy - energy[0], values, atol=2e-3 * np.ptp(energy))


def test_a_torque_drives_a_wheel_as_newton_says() -> None:
    bar = {"name": "AB", "pins": ["A", "B"], "mass": 3.0}
    motor = {"pin": "A", "drives": "AB", "against": "ground", "kind": "torque", "value": 0.5}
    drawing = {"gravity": 0, "pins": [pin("A", 1, 2, ground=True), pin("B", 1.4, 2)], "bars": [bar], "motors": [motor]}
    motion = drawing_motion({"drawing": drawing, "seconds": 2.0})
    angle = 0.5 * 0.5 / (3.0 * 0.4**2 / 3) * np.array(motion["t"]) ** 2
    np.testing.assert_allclose(motion["pins"]["B"]["x"], 1 + 0.4 * np.cos(angle), atol=1e-6)


def test_a_motor_between_two_moving_bars_turns_one_against_the_other() -> None:
    pins = [pin("A", 0, 0, ground=True), pin("B", 0.5, 0), pin("C", 0.9, 0)]
    bars = [{"name": "AB", "pins": ["A", "B"]}, {"name": "BC", "pins": ["B", "C"]}]
    motors = [
        {"pin": "A", "drives": "AB", "against": "ground", "value": 1.0},
        {"pin": "B", "drives": "AB", "against": "BC", "value": 3.0},  # AB against BC: BC turns back by 3 - 1 rad/s
    ]
    motion = drawing_motion({"drawing": {"pins": pins, "bars": bars, "motors": motors}, "seconds": 1.0})
    t = np.array(motion["t"])
    x = 0.5 * np.cos(t) + 0.4 * np.cos(t - 3 * t)
    np.testing.assert_allclose(motion["pins"]["C"]["x"], x, atol=1e-7)


def test_a_crank_that_cannot_turn_round_is_reported() -> None:
    drawing = four_bar(1.0, 0.8, 0.9, 0.6)
    motion = drawing_motion({"drawing": drawing, "seconds": 3.0})
    assert "cannot turn it further" in motion["warnings"][0]
    assert not motion["ended"]


def test_forces_end_before_a_dead_centre_where_they_have_no_bound() -> None:
    """The crank stops where coupler and rocker are in line: by the law of cosines of that triangle."""
    l0, l1, l2, l3 = 1.0, 0.8, 0.9, 0.6
    drawing = four_bar(l0, l1, l2, l3)
    motion = drawing_motion({"drawing": drawing, "seconds": 3.0})
    assert len(motion["warnings"]) == 1
    assert "grows without bound" not in motion["warnings"][0]
    reach = math.acos((l0**2 + l1**2 - (l2 + l3) ** 2) / (2 * l0 * l1))  # of the crank, from the line of the ground
    dead = (reach - math.pi / 2) / (2 * math.pi)
    assert f"{dead:.3g} s" in motion["warnings"][0]
    assert 0.9 * dead < motion["t"][-1] < dead
    for force in motion["forces"]:
        assert max(force["size"]) < 500 * force["size"][0]


# -- masses -----------------------------------------------------------------------------------------------------------


def test_a_plate_on_a_line_is_a_bar() -> None:
    actual = masses.plate([(0, 0), (0.5, 0), (0.2, 0)], 0.04)
    assert actual.mass == masses.rod_mass(0.5, 0.04)
    assert actual.center == pytest.approx((0.25, 0))
    assert actual.inertia == pytest.approx(actual.mass * 0.25 / 12)


def test_a_square_plate_weighs_its_area_and_its_rim() -> None:
    side, width = 0.3, 1e-9  # hardly any rim
    actual = masses.plate([(0, 0), (side, side), (side, 0), (0, side), (0.1, 0.1)], width)
    assert actual.mass == pytest.approx(masses.SHEET_DENSITY * side**2, rel=1e-3)
    assert actual.center == pytest.approx((side / 2, side / 2))
    assert actual.inertia == pytest.approx(actual.mass * side**2 / 6, rel=1e-6)


# -- words ------------------------------------------------------------------------------------------------------------


def words(**parts: Any) -> str:
    return drawing_mobility(drawing_from_dict(parts)).message


def test_what_is_missing_is_reported() -> None:
    a, b, c = pin("A", 0, 0), pin("B", 1, 0), pin("C", 1, 1)
    bars = [{"pins": ["A", "B"]}, {"pins": ["B", "C"]}]
    held = {**a, "ground": True}
    assert "Draw a bar" in words()
    assert "Nothing holds the linkage" in words(pins=[a, b, c], bars=bars)
    assert "Two degrees of freedom: add two motors" in words(pins=[held, b, c], bars=bars)
    assert "BC is not connected to the ground" in words(
        pins=[held, b, c, pin("D", 2, 2)], bars=[bars[0], {"name": "BC", "pins": ["C", "D"]}]
    )
    assert "No degree of freedom" in words(pins=[held, b, {**c, "ground": True}], bars=bars)
    assert (
        "One degree of freedom: add a motor to drive it"
        in drawing_mobility(drawing_from_dict(without_motors(four_bar()))).message
    )
    assert drawing_mobility(drawing_from_dict(four_bar())).message == "One degree of freedom, and a motor drives it."
    motor = {"pin": "A", "drives": "AB", "against": "ground"}
    assert "add one more" in words(pins=[held, b, c], bars=bars, motors=[motor])
    assert "fixed to the ground at two pins" in words(pins=[held, {**b, "ground": True}], bars=bars[:1])
    assert drawing_mobility(drawing_from_dict(four_bar())).count == "3 × 3 links − 2 × 4 joints = 1"


def test_a_pin_that_joins_three_links_counts_twice() -> None:
    pins = [pin("A", 0, 0, ground=True), pin("B", 1, 0), pin("C", 2, 0, ground=True), pin("D", 1, 1, ground=True)]
    drawing = drawing_from_dict({"pins": pins, "bars": [{"pins": [x, "B"]} for x in "ACD"]})
    assert gruebler_count(drawing) == -1
    actual = spanning_tree(drawing)
    assert (len(actual.edges), len(actual.loops)) == (3, 2)
    assert lg.loads(drawing_to_toml(drawing)).gruebler == -1


def test_loose_links_are_found() -> None:
    pins = [pin("A", 0, 0, ground=True), pin("B", 1, 0), pin("C", 2, 0), pin("D", 1, 1)]
    assert unconnected_links(drawing_from_dict({"pins": pins, "bars": [{"pins": ["A", "B"]}, {"pins": ["C", "D"]}]})) == ("CD",)


def test_unfinished_drawings_are_no_errors() -> None:
    actual = describe_drawing({"drawing": {"pins": [pin("A", 0, 0), pin("B", 1, 0)], "bars": [{"pins": ["A", "B"]}]}})
    assert actual["text"] == ""
    assert "is not connected to the ground" in actual["problem"]
