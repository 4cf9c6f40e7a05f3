"""Drawings of any kind: what can be read has a description that loads, or a message that says why there is none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.errors import LagrangianError
from lagrangian.studio.drawing.drawing import drawing_from_dict, drawing_to_dict
from lagrangian.studio.drawing.routes import describe_drawing, recover_drawing
from tests.studio.drawings import four_bar, pin

NAMES = list("ABCDEFG")
places = st.integers(-8, 8).map(lambda k: k / 8)


def result_or_message(function: Any, given_: Any) -> Any:
    """What it answers, or the text of the error that it is meant to raise."""
    try:
        return function(given_)
    except LagrangianError as error:
        return str(error)


@st.composite
def drawings(draw: st.DrawFn) -> dict[str, Any]:
    """Pins on a grid, bars through any of them, sliders and motors wherever they may be."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    pins = [
        {"name": x, "x": draw(places), "y": draw(places), "ground": draw(st.booleans()), "trace": draw(st.booleans())}
        for x in names
    ]
    several = st.lists(st.sampled_from(names), min_size=2, max_size=4, unique=True) if len(names) > 1 else st.nothing()
    bars = [{"name": f"bar{k}", "pins": draw(several)} for k in range(draw(st.integers(0, 6)) if len(names) > 1 else 0)]
    links = ["ground", *(x["name"] for x in bars), *(f"block {x}" for x in names)]
    some = st.sampled_from(names)
    sliders = [
        {"pin": draw(some), "on": draw(st.sampled_from(links)), "angle": draw(st.sampled_from([0.0, 0.5, 1.5707963267948966]))}
        for _ in range(draw(st.integers(0, 2)))
    ]
    motors = [
        {
            "pin": draw(some),
            "drives": draw(st.sampled_from(links)),
            "against": draw(st.sampled_from(links)),
            "kind": draw(st.sampled_from(["speed", "torque"])),
        }
        for _ in range(draw(st.integers(0, 2)))
    ]
    return {"pins": pins, "bars": bars, "sliders": sliders, "motors": motors}


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawings())
def test_any_drawing_is_described_or_says_why_not(drawing: dict[str, Any]) -> None:
    actual = result_or_message(describe_drawing, {"drawing": drawing})
    if isinstance(actual, str):
        assert len(actual) > 20
        return
    assert actual["words"].endswith(".")
    assert actual["text"] or len(actual["problem"]) > 20
    if actual["text"]:
        mechanism = lg.loads(actual["text"])
        speeds = sum(x["kind"] == "speed" for x in drawing["motors"])
        assert mechanism.gruebler == actual["degrees"] - speeds


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawings())
def test_any_description_is_recovered(drawing: dict[str, Any]) -> None:
    """What is recovered is described as it was: the same pins, bars, sliders and motors."""
    try:
        text = describe_drawing({"drawing": drawing})["text"]
    except LagrangianError:
        return
    if not text:
        return
    try:
        again = recover_drawing({"text": text})["drawing"]
    except lg.AssemblyError:  # motors that work against each other
        return
    expected = drawing_from_dict(drawing)
    assert {x["name"] for x in again["bars"]} == {x.name for x in expected.bars}
    assert len(again["sliders"]) == len(expected.sliders)
    assert len(again["motors"]) == len(expected.motors)
    used = {p for x in expected.bars for p in x.pins} | {x.pin for x in expected.sliders}
    assert len(again["pins"]) == len(used)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["name", "pins", "bars", "x", "y", "on", "pin"]), inner, max_size=5)
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(anything)
def test_anything_else_is_refused_in_words(given_: Any) -> None:
    actual = result_or_message(drawing_from_dict, given_)
    assert not isinstance(actual, str) or len(actual) > 15


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pins": [pin("A B", 0, 0)]}, "a letter and up to 11"),
        ({"pins": [pin("A", float("nan"), 0)]}, "pin A: x is nan; a number between -10000 and 10000 is needed"),
        ({"pins": [pin("A", 0, 0), pin("A", 1, 0)]}, "two pins are called 'A'"),
        ({"bars": [{"pins": ["A"]}]}, "the names of two pins or more are needed"),
        ({"bars": [{"pins": ["A", "Z"]}]}, "bar AZ: there is no pin 'Z'"),
        ({"bars": [{"pins": ["A", "B"], "widht": 1}]}, "Did you mean 'width'?"),
        ({"bars": [{"pins": ["A", "B"], "mass": -1}]}, "bar AB: mass is -1"),
        ({"sliders": [{"pin": "A"}]}, "either fixed to the ground or slides along it"),
        ({"sliders": [{"pin": "C", "on": "rocker"}]}, "the pin is fixed to rocker"),
        (
            {"motors": [{"pin": "A", "drives": "crank", "against": "ground", "kind": "steam"}]},
            "there is no kind of motor 'steam'",
        ),
        ({"motors": [{"pin": "P", "drives": "coupler", "against": "ground"}]}, "'ground' is not joined at this pin"),
        ({"motors": [{"pin": "A", "drives": "crank", "against": "crank"}]}, "it turns a link against itself"),
        ({"gravity": "down"}, "the drawing: gravity is 'down'"),
        ({"wheels": []}, "there is no entry 'wheels'"),
        ({"bars": [{"name": "x\u202e", "pins": ["A", "B"]}]}, "visible characters"),
        ({"bars": [{"pins": ["A", "B"]}] * 99}, "at most 80 are possible"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], message: str) -> None:
    actual = result_or_message(describe_drawing, {"drawing": {**four_bar(), **change}})
    assert message in (actual if isinstance(actual, str) else actual["problem"])


def test_hostile_names_are_only_text() -> None:
    name = "<script>alert(1)</script>\"'''\\ ]"
    drawing = four_bar()
    drawing["name"] = name
    drawing["bars"][0]["name"] = name
    drawing["motors"][0]["drives"] = name
    text = describe_drawing({"drawing": drawing})["text"]
    mechanism = lg.loads(text)
    assert mechanism.name == name
    assert mechanism.bodies[0].name == name
    again = recover_drawing({"text": text})["drawing"]
    assert again["bars"][0]["name"] == name
    assert drawing_to_dict(drawing_from_dict(again)) == again


def test_other_mechanisms_are_refused_with_the_joint_at_fault() -> None:
    with pytest.raises(LagrangianError, match=r"turn about z"):
        recover_drawing({"text": lg.dumps(lg.library("puma560"))})


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar", "two_r", "pendulum"])
def test_planar_mechanisms_of_the_library_can_be_drawn(name: str) -> None:
    actual = recover_drawing({"text": lg.dumps(lg.library(name))})
    again = describe_drawing({"drawing": actual["drawing"]})
    assert again["degrees"] == lg.library(name).gruebler
    assert lg.loads(again["text"]).gruebler == again["degrees"]
