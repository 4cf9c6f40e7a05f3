"""Studies against the motions they are made of, and against a slider whose motion is known."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studies.folder import StudyFolder
from tests.studies.models import SLIDER, Tired, ishigami, touchy

T = 2.0


def chunks(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "chunks").iterdir()}


def small(folder: Path, **options: Any) -> lg.Study:
    """A study of a slider in four chunks."""
    arguments: dict[str, Any] = {
        "over": {"m": lg.distributions.uniform(1, 3), "x": lg.distributions.normal(0, 0.1)},
        "keep": ["end(x)", "rows(x, 5)"],
    }
    arguments |= {"samples": 32, "chunk": 8, "workers": 1, **options}
    return lg.study(SLIDER, folder=folder, **arguments)


def test_parameters_starts_speeds_and_gains(tmp_path: Path) -> None:
    over = {
        "m": lg.distributions.uniform(1, 3),
        "x": lg.distributions.normal(0, 1),
        "qd_x": lg.distributions.normal(0, 1),
        "push": lg.distributions.uniform(0, 5),
    }
    study = lg.study(
        SLIDER, over, {"torque": {"x": "2*push"}}, ["end(x)", "peak(tau_x)/push"], samples=16, folder=tmp_path / "s", workers=1
    )
    x = study["x"] + study["qd_x"] * T + 2 * study["push"] * T**2 / (2 * study["m"])
    assert study["end(x)"] == pytest.approx(x, rel=1e-9)
    assert study["peak(tau_x)/push"] == pytest.approx(np.full(16, 2.0))
    assert study.complete
    assert not study.failed


def test_a_sample_is_the_motion_of_its_values(tmp_path: Path) -> None:
    """The same bits as simulate gives, for a mechanism with loops."""
    four_bar = lg.library("four_bar")
    over = {"l1": lg.distributions.grid(0.25, 0.3, 3), "m2": [1.5, 2.0]}
    study = lg.study(four_bar, over, {"t_span": 1.0}, ["end(theta1)", "peak(force_phi2)"], folder=tmp_path / "s", workers=1)
    for k in range(6):
        motion = lg.simulate(four_bar.with_parameters(study.sample(k)), 1.0)
        assert study["end(theta1)"][k] == motion.q[-1, 0]
        assert study["peak(force_phi2)"][k] == np.linalg.norm(motion.reactions[:, 1, 3:], axis=1).max()
        assert np.array_equal(study.motion(k).q, motion.q)
    assert study.grid_array("end(theta1)").shape == (3, 2)
    assert study.grid_array("end(theta1)")[2, 1] == study["end(theta1)"][5]


def test_numbers_of_parts_are_varied_by_their_paths(tmp_path: Path) -> None:
    study = lg.study(SLIDER, {"block.mass": [1.0, 4.0]}, keep="end(x)", folder=tmp_path / "s", workers=1)
    assert study["end(x)"] == pytest.approx([6.0, 1.5], rel=1e-9)


def test_the_number_of_workers_changes_no_bit(tmp_path: Path) -> None:
    one, two = small(tmp_path / "one"), small(tmp_path / "two", workers=2)
    assert chunks(tmp_path / "one") == chunks(tmp_path / "two")
    assert np.array_equal(one["rows(x, 5)"], two["rows(x, 5)"])
    assert two.counts() == {"chunks": 4, "begun": 4, "kept": 4, "kept twice": 0}


def test_nothing_is_computed_twice(tmp_path: Path) -> None:
    study = small(tmp_path / "s")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "s" / "chunks").iterdir()}
    again = small(tmp_path / "s")
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "s" / "chunks").iterdir()}
    assert again.counts() == study.counts() == {"chunks": 4, "begun": 4, "kept": 4, "kept twice": 0}


def test_a_longer_study_takes_up_the_shorter_one(tmp_path: Path) -> None:
    short = small(tmp_path / "s", samples=16)["end(x)"]
    longer = small(tmp_path / "s", samples=32)
    assert longer.counts() == {"chunks": 4, "begun": 4, "kept": 4, "kept twice": 0}
    assert np.array_equal(longer["end(x)"][:16], short)


@pytest.mark.parametrize(
    "other",
    [
        {"keep": ["end(x)", "rows(x, 6)"]},
        {"seed": 1},
        {"over": {"m": lg.distributions.uniform(1, 3.1), "x": lg.distributions.normal(0, 0.1)}},
        {"run": {"t_span": 1.5}},
        {"run": {"rtol": 1e-9}},
        {"method": "random"},
        {"chunk": 16},
    ],
)
def test_another_study_does_not_take_up_old_chunks(tmp_path: Path, other: dict[str, Any]) -> None:
    old = small(tmp_path / "s")
    new = small(tmp_path / "s", **other)
    counts = new.counts()
    assert counts["kept"] == counts["chunks"] == counts["begun"]
    assert not set(old.about["chunks"]) & set(new.about["chunks"])


def test_another_mechanism_does_not_take_up_old_chunks(tmp_path: Path) -> None:
    old = small(tmp_path / "s")
    new = lg.study(
        SLIDER.with_parameters(F=3.5),
        {"m": lg.distributions.uniform(1, 3), "x": lg.distributions.normal(0, 0.1)},
        keep=["end(x)", "rows(x, 5)"],
        samples=32,
        chunk=8,
        workers=1,
        folder=tmp_path / "s",
    )
    assert not set(old.about["chunks"]) & set(new.about["chunks"])
    same = lg.study(
        SLIDER.replace(description="in other words"),
        {"m": lg.distributions.uniform(1, 3), "x": lg.distributions.normal(0, 0.1)},
        keep=["end(x)", "rows(x, 5)"],
        samples=32,
        chunk=8,
        workers=1,
        folder=tmp_path / "s",
    )
    assert same.about["chunks"] == old.about["chunks"]


def test_a_damaged_chunk_is_computed_again(tmp_path: Path) -> None:
    before = small(tmp_path / "s")
    key = before.about["chunks"][2]
    path = tmp_path / "s" / "chunks" / f"{key}.chunk"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    again = small(tmp_path / "s")
    assert path.read_bytes() == data
    assert np.array_equal(again["end(x)"], before["end(x)"])
    other = tmp_path / "s" / "chunks" / f"{before.about['chunks'][0]}.chunk"
    other.write_bytes(data)  # whole, but another's
    assert StudyFolder(tmp_path / "s").load(before.about["chunks"][0]) is None


def test_samples_that_fail_are_recorded_and_the_rest_go_on(tmp_path: Path) -> None:
    study = lg.study(None, {"a": lg.distributions.grid(0, 1, 11)}, touchy, folder=tmp_path / "s", workers=1)
    assert study.failed == {0: "RuntimeError: too small", 1: "RuntimeError: too small", 10: "SystemExit: went away"}
    assert study.complete
    assert np.array_equal(np.isnan(study["twice"]), [True, True, *[False] * 8, True])
    assert study["line"][5].tolist() == [0.5, 1.0]
    assert "3 failed; the first is sample 0: RuntimeError: too small" in str(study)


def test_motions_that_cannot_be_are_failures_with_their_reasons(tmp_path: Path) -> None:
    """A crank too long for its linkage, a negative mass."""
    study = lg.study("four_bar", {"l1": [0.3, 5.0]}, {"t_span": 0.2, "q0": {"theta1": 1.0}}, folder=tmp_path / "a", workers=1)
    assert list(study.failed) == [1]
    assert "cannot be computed" in study.failed[1]  # the angle of its own pose
    study = lg.study(SLIDER, {"m": [-1.0, 1.0]}, folder=tmp_path / "b", workers=1)
    assert list(study.failed) == [0]
    assert "mass" in study.failed[0]


def test_what_a_function_gives_may_be_chosen(tmp_path: Path) -> None:
    over = {"a": [0.5, 0.6]}
    study = lg.study(None, over, touchy, keep=["twice"], folder=tmp_path / "s", workers=1)
    assert study.outputs == ("twice",)


def test_an_unfinished_study_is_read(tmp_path: Path) -> None:
    whole = small(tmp_path / "s")
    (tmp_path / "s" / "chunks" / f"{whole.about['chunks'][1]}.chunk").unlink()
    study = lg.read_study(tmp_path / "s")
    assert (study.completed_count, study.complete, len(study)) == (24, False, 32)
    assert np.array_equal(np.isnan(study["end(x)"]), np.repeat([False, True, False, False], 8))
    assert np.array_equal(study["m"], whole["m"])
    assert study.mechanism is not None
    assert "24 of them are computed" in str(study)


def test_it_is_saved_as_netcdf_and_csv(tmp_path: Path) -> None:
    study = small(tmp_path / "s")
    rows = list(csv.DictReader(study.save(tmp_path / "s.csv").open(encoding="utf-8")))
    assert [float(row["end(x)"]) for row in rows] == study["end(x)"].tolist()
    assert [float(row["m"]) for row in rows] == study["m"].tolist()
    xarray = pytest.importorskip("xarray")
    data = xarray.open_dataset(study.save(tmp_path / "s.nc"), engine="h5netcdf")
    assert np.array_equal(data["end(x)"], study["end(x)"])
    assert data["rows(x, 5)"].shape == (32, 5)
    with pytest.raises(lg.ArgumentError, match=r"\.nc"):
        study.save(tmp_path / "s.xls")


def test_tables_and_statistics(tmp_path: Path) -> None:
    study = small(tmp_path / "s")
    table = study.table()
    assert table.dtype.names == ("m", "x", "end(x)", "rows(x, 5)")
    assert np.array_equal(table["end(x)"], study["end(x)"])
    statistics = study.statistics()["end(x)"]
    assert statistics["mean"] == pytest.approx(study["end(x)"].mean())
    assert statistics["median"] == pytest.approx(np.median(study["end(x)"]))
    with pytest.raises(lg.ArgumentError, match="Did you mean 'end"):
        study["end(y)"]


def test_progress_is_reported_in_samples(tmp_path: Path) -> None:
    messages: list[tuple[int, int]] = []
    small(tmp_path / "s", progress=lambda *x: messages.append(x))
    assert messages == [(0, 32), (8, 32), (16, 32), (24, 32), (32, 32)]
    messages.clear()
    small(tmp_path / "s", progress=lambda *x: messages.append(x))
    assert messages == [(32, 32)]


def test_an_interrupted_study_keeps_what_it_has(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="interrupted after 16 of 32 samples; run it again"):
        small(tmp_path / "s", progress=stop)
    assert lg.read_study(tmp_path / "s").completed_count == 16
    assert small(tmp_path / "s").counts() == {"chunks": 4, "begun": 4, "kept": 4, "kept twice": 0}


@pytest.mark.slow
def test_what_an_object_remembers_goes_to_no_other_sample(tmp_path: Path) -> None:
    """Not even where one was asked before."""
    tired = Tired()
    run = {"torque": tired, "method": "rk4", "step": 0.1}
    study = lg.study(SLIDER, {"x": [0.0, 0.0, 0.0]}, run, "end(x)", folder=tmp_path / "s", workers=1)
    assert len(set(study["end(x)"])) == 1
    lg.simulate(SLIDER, **run)
    assert study.motion(1).q[-1, 0] == study["end(x)"][0]


def test_a_parameter_that_changes_nothing_is_reported(tmp_path: Path) -> None:
    model = SLIDER.replace(parameters={**SLIDER.parameters, "spare": lg.parameter("spare", 1.0)})
    with pytest.warns(lg.MechanismWarning, match="'spare' is used nowhere"):
        lg.study(model, {"spare": [1.0, 2.0]}, keep="end(x)", folder=tmp_path / "s", workers=1)


def test_the_usual_is_kept(tmp_path: Path) -> None:
    study = lg.study(SLIDER, {"m": [1.0, 2.0]}, folder=tmp_path / "s", workers=1)
    assert study.outputs == ("end(x)", "peak(qd_x)", "peak(tau_x)", "rows(x)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over": {"mm": [1.0]}}, "Did you mean 'm'"),
        ({"over": {}}, "a mapping of names"),
        ({"over": {"m": "normal(1)"}}, "over: 'm': 'normal(1)' has 1 number;"),
        ({"run": {"tspan": 1}}, "Did you mean 't_span'"),
        ({"run": lambda m, s: 1}, "is a lambda; define it with def at the top level"),
        ({"run": 3}, "a function of (mechanism, sample)"),
        ({"mechanism": None}, "run must be a function"),
        ({"mechanism": "two_rr"}, "two_r"),
        ({"workers": 0}, "workers"),
        ({"chunk": 0}, "chunk"),
        ({"scheduler": 3}, "tcp://"),
        ({"seed": -1}, "seed"),
        ({"run": {"torque": lambda t, q, qd: [1.0]}}, "lambda"),
    ],
)
def test_what_cannot_be_is_reported_before_anything_is_computed(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    actual: dict[str, Any] = {"mechanism": SLIDER, "over": {"m": [1.0, 2.0]}, "workers": 2, "chunk": 1, **arguments}
    with pytest.raises(lg.ArgumentError) as error:
        lg.study(folder=tmp_path / "s", **actual)
    assert message in str(error.value)


def test_a_folder_that_is_none_of_a_study(tmp_path: Path) -> None:
    with pytest.raises(lg.DescriptionError, match=r"no study\.json"):
        lg.read_study(tmp_path)
    with pytest.raises(lg.DescriptionError, match="no such folder"):
        lg.read_study(tmp_path / "x")
    (tmp_path / "study.json").write_text(json.dumps({"format": "lagrangian study 99"}))
    with pytest.raises(lg.DescriptionError, match="version"):
        lg.read_study(tmp_path)
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(lg.DescriptionError, match="cannot be read"):
        lg.read_study(tmp_path)


def test_functions_of_modules_go_to_processes(tmp_path: Path) -> None:
    over = {f"x{k}": lg.distributions.uniform(-3, 3) for k in (1, 2, 3)}
    one = lg.study(None, over, ishigami, samples=64, folder=tmp_path / "one", workers=1)
    two = lg.study(None, over, ishigami, samples=64, folder=tmp_path / "two", workers=2)
    assert np.array_equal(one["y"], two["y"])
    assert chunks(tmp_path / "one") == chunks(tmp_path / "two")


def test_warnings_of_samples_are_not_told(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(tmp_path / "s", run={"torque": {"x": "F*push"}}, over={"push": lg.distributions.uniform(0, 1)}, keep="end(x)")
