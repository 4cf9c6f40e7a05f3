"""What many motions give: rows as single runs have them, statistics with names, files, and errors that say what is there."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg

STARTS = np.array([-np.pi / 2, 0.0]) + np.random.default_rng(3).uniform(-1, 1, (6, 2))
MASSES = np.linspace(8.0, 12.0, 6)
EVENTS = [lg.Event("theta2", name="straight"), lg.Event("theta1 + 2.4", "stop", name="far")]


@pytest.fixture(scope="module")
def motions() -> lg.Motions:
    """Some of which an event stops."""
    motion = lg.simulate(
        lg.library("two_r"),
        0.5,
        STARTS,
        parameters={"m2": MASSES},
        events=EVENTS,
        t_eval=21,
        keep=["rows", "extremes", "events"],
    )
    assert isinstance(motion, lg.Motions)
    return motion


def test_a_motion_has_the_rows_that_were_requested(motions: lg.Motions) -> None:
    alone = lg.simulate(lg.library("two_r").with_parameters(m2=MASSES[2]), 0.5, STARTS[2], t_eval=21, events=EVENTS)
    assert len(motions[2].t) == 21
    assert np.array_equal(motions[2].q, alone.q)
    assert np.array_equal(motions.motion(2, t_eval=[0.1, 0.2]).t, [0.1, 0.2])
    assert len(lg.simulate(lg.library("two_r"), 0.5, STARTS)[0].t) == len(lg.simulate(lg.library("two_r"), 0.5).t)


def test_statistics_have_names(motions: lg.Motions) -> None:
    ends = motions.statistics("qd_end")
    assert ends.names == ("theta1", "theta2")
    np.testing.assert_allclose(ends["mean"], motions.qd_end.mean(axis=0))
    assert ends.of("theta2")["max"] == motions.qd_end[:, 1].max()
    assert motions.statistics().names == ("theta1", "theta2", "qd_theta1", "qd_theta2")
    assert motions.statistics("qd_max").of("theta1")["min"] == motions.extremes["qd_max"][:, 0].min()
    assert motions.statistics("m2").of("m2")["mean"] == pytest.approx(10.0)
    assert motions.statistics("theta1")["min"] == motions.q_end[:, 0].min()
    assert [line.split()[0] for line in str(ends).splitlines()] == ["mean", "theta1", "theta2"]
    with pytest.raises(lg.ArgumentError, match=r"of: there is no quantity 'qend'. Did you mean 'q_end'\? Known: q_end, qd_end"):
        motions.statistics("qend")


def test_motions_that_are_not_there(motions: lg.Motions) -> None:
    for ask in (motions.message, motions.ending, motions.motion, motions.__getitem__):
        with pytest.raises(lg.ArgumentError, match="two_r: there is no motion 9; there are 6, from 0 to 5"):
            ask(9)
        with pytest.raises(IndexError):
            ask(-7)
    with pytest.raises(lg.ArgumentError, match="a whole number is needed"):
        motions.message("last")  # type: ignore[arg-type]
    for i in range(len(motions)):
        assert motions.message(i - len(motions)) == motions.message(i)


def test_they_are_saved(motions: lg.Motions, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(motions.save(tmp_path / "many.nc"), engine="h5netcdf") as data:
        for name in ("q0", "qd0", "q_end", "qd_end", "t_end", "q", "qd"):
            np.testing.assert_array_equal(data[name], getattr(motions, name))
        for name, values in motions.extremes.items():
            np.testing.assert_array_equal(data[name], values)
        np.testing.assert_array_equal(data["parameter_m2"], MASSES)
        np.testing.assert_array_equal(data["time"], motions.t)
        assert data["coordinate"].values.tolist() == ["theta1", "theta2"]
        assert data["status"].values.tolist() == [status.value for status in motions.status]
        assert data["message"].values.tolist() == [motions.message(i) for i in range(6)]
        happened = [(i, e.name, e.t) for i in sorted(motions.events) for e in motions.events[i]]
        assert happened
        assert list(zip(*(data[f"event_{x}"].values.tolist() for x in ("motion", "name", "time")), strict=True)) == happened
        assert lg.loads(data.attrs["mechanism_toml"]).coordinate_names == ("theta1", "theta2")
        single = motions[0].to_xarray()
        assert {name: data[name].attrs["units"] for name in ("q", "qd", "time")} == {
            name: single[name].attrs["units"] for name in ("q", "qd", "time")
        }


def test_no_events_are_saved_too(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    motions = lg.simulate("two_r", 0.1, q0=STARTS[:2], keep="events")
    with xarray.open_dataset(motions.save(tmp_path / "none.nc"), engine="h5netcdf") as data:
        assert data["event_time"].shape == (0,)
        assert data["event_q"].shape == (0, 2)


def test_they_are_a_table(motions: lg.Motions, tmp_path: Path) -> None:
    with motions.save(tmp_path / "many.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["q_end_theta2"]) for row in rows] == motions.q_end[:, 1].tolist()
    assert [float(row["m2"]) for row in rows] == MASSES.tolist()
    assert [row["message"] for row in rows] == [motions.message(i) for i in range(6)]


def test_files_that_cannot_be(motions: lg.Motions, tmp_path: Path) -> None:
    with pytest.raises(lg.ArgumentError, match=r"as netCDF \(\.nc\)"):
        motions.save(tmp_path / "many.xls")
    with pytest.raises(lg.DescriptionError, match="these are many motions, not one; xarray"):
        lg.read(motions.save(tmp_path / "many.nc"))


@pytest.mark.parametrize(("count", "looked_at"), [(20, 1), (120, 3)])
def test_the_energy_of_driven_motions_is_looked_at(monkeypatch: pytest.MonkeyPatch, count: int, looked_at: int) -> None:
    """Of those in lanes, a few stand for all: they are told of as single runs tell, here of what nobody would promise."""
    from lagrangian.motion.result import accuracy

    q0, torque = np.tile(STARTS, (count // 6 + 1, 1))[:count], {"theta1": "-2*qd_theta1"}
    lg.simulate(lg.library("two_r"), 0.5, q0, torque=torque)  # nothing is to be said
    monkeypatch.setattr(accuracy, "promised", lambda rtol, steps: -1.0)
    with pytest.warns(lg.SimulationWarning, match=rf"balance is off .* \(motion \d+; one of {looked_at} that were checked\)"):
        lg.simulate(lg.library("two_r"), 0.5, q0, torque=torque)


def test_the_energy_of_motions_that_are_made_alone_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.motion.result import accuracy

    monkeypatch.setattr(accuracy, "promised", lambda rtol, steps: -1.0)
    with pytest.warns(lg.SimulationWarning, match=r"the energy balance is off .* \(motion 0\) \(and \d more"):
        lg.simulate(lg.library("two_r"), 0.1, STARTS[:2], torque=lambda t, q, qd: [t, 0.0])
