"""Samples that are simulated many at a time give the same bits as one at a time, and fail alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studies import batches
from lagrangian.studies.evaluate import SampleSimulation
from lagrangian.studies.study import make_job

STATES = ["end(theta1)", "peak(qd_theta2)", "rms(qd_theta1)", "mean(theta2)", "rows(theta1 - theta2, 7)", "theta1*t"]
POSITIONS = [*STATES, "max(tip.x)", "min(tip.y)/l1", "end(energy)", "peak(kinetic_energy)"]
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "starts": ({"theta1": lg.distributions.uniform(-2, 2), "qd_theta2": lg.distributions.normal(0, 1)}, {"t_span": 1}, POSITIONS),
    "from a start of the run": (
        {"theta1": lg.distributions.uniform(-2, 2)},
        {"t_span": 1, "q0": {"theta2": 1.0}, "qd0": [0.1, 0.2]},
        STATES,
    ),
    "speeds alone": ({"qd_theta1": lg.distributions.normal(0, 1)}, {"t_span": 1}, STATES),
    "parameters": (
        {"l1": lg.distributions.normal(1, 0.1), "m2": lg.distributions.normal(12, 1)},
        {"t_span": 1, "t_eval": 11},
        [*STATES, "theta1*l1/r2"],
    ),
    "gains": (
        {"theta1": lg.distributions.uniform(-2, 2), "kd": lg.distributions.uniform(0, 3)},
        {"t_span": 1, "torque": {"theta1": "-kd*qd_theta1"}},
        STATES,
    ),
    "some cannot be": ({"m2": lg.distributions.normal(0, 5), "theta1": lg.distributions.normal(0, 1)}, {"t_span": 0.5}, STATES),
    "events that stop": (
        {"theta1": lg.distributions.uniform(-2, 2)},
        {"t_span": 1, "events": [lg.Event("theta1", "stop")]},
        STATES,
    ),
    "numbers of parts": ({"link2.mass": lg.distributions.uniform(5, 20)}, {"t_span": 0.5}, STATES),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_bits_as_one_at_a_time(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over, run, keep = CASES[case]
    assert SampleSimulation(make_job("two_r", over, run, keep)).batch.is_applicable
    many = lg.study("two_r", over, run, keep, samples=40, folder=tmp_path / "many", workers=1)
    monkeypatch.setattr(batches, "MIN_BATCH", 10**9)
    one = lg.study("two_r", over, run, keep, samples=40, folder=tmp_path / "one", workers=1)
    assert many.failed == one.failed
    assert 0 < len(many.failed) < 40 if case == "some cannot be" else not many.failed
    for name in keep:
        assert np.array_equal(many[name], one[name], equal_nan=True), name


@pytest.mark.parametrize(
    ("mechanism", "over", "run", "keep"),
    [
        ("two_r", {"l1": lg.distributions.normal(1, 0.1)}, {"t_span": 1}, "max(tip.x)"),  # with lengths of its own each
        ("two_r", {"theta1": lg.distributions.normal(1, 0.1)}, {"t_span": 1}, "peak(tau_theta1)"),
        ("four_bar", {"m2": lg.distributions.uniform(1, 2)}, {"t_span": 1}, "end(theta1)"),  # rows are moved onto the loops
        (
            "two_r",
            {"theta1": lg.distributions.normal(1, 0.1)},
            {"t_span": 1, "events": [lg.Event("theta1", name="level")]},
            "time(level)",
        ),
    ],
)
def test_what_lanes_do_not_have_is_made_one_at_a_time(mechanism: str, over: Any, run: Any, keep: str) -> None:
    assert not SampleSimulation(make_job(mechanism, over, run, keep)).batch.is_applicable


def test_pieces_of_a_chunk_make_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over, run, keep = CASES["starts"]
    whole = lg.study("two_r", over, run, keep, samples=64, folder=tmp_path / "whole", workers=1)
    monkeypatch.setattr(batches, "MAX_NUMBERS", 12 * 4 * 1001)
    pieces = lg.study("two_r", over, run, keep, samples=64, folder=tmp_path / "pieces", workers=1)
    for name in keep:
        assert np.array_equal(whole[name], pieces[name])


POSED = """
name = "posed"
gravity = [0, "-g", 0]
parameters = { l1 = 1.0, a = 0.3, m = 2.0, g = 9.81 }
body = [
    { name = "one", mass = "m", center = ["l1/2", 0, 0], inertia = [0.1, 0.1, 0.1] },
    { name = "two", mass = 1, center = [0.4, 0, 0], inertia = [0.1, 0.1, 0.1] },
]
joint = [
    { name = "q1", type = "revolute", child = "one" },
    { name = "q2", type = "revolute", parent = "one", child = "two", xyz = ["l1", 0, 0] },
]
pose.bent = { q1 = "a*l1", q2 = "-2*a" }
initial = { t_span = [0, 0.5] }
"""


@pytest.mark.parametrize("start", ["bent", None], ids=["a pose", "the own start"])
def test_a_start_that_is_varied_of_a_pose_that_is_written_with_parameters(tmp_path: Path, start: str | None) -> None:
    """The coordinate that is not varied follows the parameters of its sample, and the varied one is as it is given."""
    text = POSED if start else POSED.replace("initial = {", 'initial = { q = { q1 = "a*l1", q2 = "-2*a" },')
    model = lg.loads(text)
    over = {"q1": lg.distributions.uniform(-1, 1), "a": lg.distributions.uniform(0.1, 0.9), "m": lg.distributions.uniform(1, 3)}
    run = {"q0": start} if start else {}
    study = lg.study(model, over, run, ["start(q1)", "start(q2)", "end(q2)"], samples=24, folder=tmp_path / "s", workers=1)
    assert not study.failed
    assert np.array_equal(study["start(q1)"], study["q1"])
    assert study["start(q2)"] == pytest.approx(-2 * study["a"], rel=1e-15)
    for k in (0, 23):
        x = study.sample(k)
        own = model.with_parameters(a=x["a"], m=x["m"])
        alone = lg.simulate(own, 0.5, q0=[x["q1"], -2 * x["a"]])
        assert study["end(q2)"][k] == pytest.approx(alone.q[-1, 1], rel=1e-12)
