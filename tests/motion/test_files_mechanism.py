"""A motion's file carries its mechanism: what is read again is the same, and what cannot be written is said."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray

import lagrangian as lg
from lagrangian.motion.motion import Motion
from lagrangian.motion.status import Ending, Status
from tests.motion.machines import chain, pendulum


def at_rest(model: lg.Mechanism) -> Motion:
    """One row, which nothing had to be compiled for."""
    n, m = model.nv, model.equation_count
    return Motion(
        mechanism=model,
        name=model.name,
        t=np.zeros(1),
        q=model.neutral()[None],
        **{name: np.zeros((1, n)) for name in ("qd", "qdd", "tau", "friction", "constraint_forces")},
        multipliers=np.zeros((1, m)),
        **{name: np.zeros(1) for name in ("kinetic_energy", "potential_energy", "drift", "rate_drift")},
        work={},
        coordinate_names=model.coordinate_names,
        speed_names=model.speed_names,
        constraint_names=tuple(f"row{k}" for k in range(m)),
        ending=Ending(Status.FINISHED, 0.0),
        statistics={"method": "none", "adaptive": False},
    )


@pytest.mark.parametrize("name", lg.library())
def test_the_library(name: str, tmp_path: Path) -> None:
    model = lg.library(name)
    loaded = lg.read(at_rest(model).save(tmp_path / "run.nc")).mechanism
    assert loaded is not None
    assert loaded.replace(notes=model.notes) == model
    assert loaded.file == model.file


def test_a_path(tmp_path: Path) -> None:
    arm = lg.library("two_r")
    motion = lg.inverse(arm, lg.paths.line((1.2, 1.0), (1.0, 1.4), duration=1.0), frame="tip", q0={"theta2": -0.8}, t_eval=5)
    loaded = lg.read(motion.save(tmp_path / "path.nc"))
    assert loaded.mechanism == arm
    assert np.array_equal(loaded.reactions, motion.reactions)


def test_one_that_is_given_wins(tmp_path: Path) -> None:
    model = pendulum()
    path = at_rest(model).save(tmp_path / "run.nc")
    heavier = model.replace(gravity=(0, 0, -1.62))
    assert lg.read(path).mechanism == model
    assert lg.read(path, heavier).mechanism == heavier
    with pytest.raises(lg.ArgumentError, match="those of the mechanism that you gave differ"):
        lg.read(path, chain(3))


def with_function() -> lg.Mechanism:
    """A constraint that is a Python function, which no TOML file can hold."""
    held = lg.PfaffianFunctionConstraint("held", lambda t, q, qd: qd[0] - q[1] * qd[1])
    return chain(2).replace(constraints=(held,))


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    path = at_rest(with_function()).save(tmp_path / "run.nc")
    assert "held" in xarray.load_dataset(path, engine="h5netcdf").attrs["mechanism_note"]
    loaded = lg.read(path)
    assert loaded.mechanism is None
    with pytest.raises(lg.ArgumentError, match=r"reactions need the mechanism.*held.*lagrangian\.read\(path, mechanism\)"):
        _ = loaded.reactions
    again = lg.read(loaded.save(tmp_path / "again.nc"))  # the reason is not lost on the way
    with pytest.raises(lg.ArgumentError, match="held"):
        _ = again.reactions


def change_attributes(path: Path, **attributes: str | None) -> Path:
    """The file with other attributes."""
    data = xarray.load_dataset(path, engine="h5netcdf")
    for name, value in attributes.items():
        data.attrs.pop(name)
        if value is not None:
            data.attrs[name] = value
    data.to_netcdf(path, engine="h5netcdf")
    return path


def test_files_from_before(tmp_path: Path) -> None:
    path = change_attributes(at_rest(pendulum()).save(tmp_path / "run.nc"), mechanism_toml=None, mechanism_file=None)
    loaded = lg.read(path)
    assert loaded.mechanism is None
    with pytest.raises(lg.ArgumentError, match="which the file does not contain;"):
        _ = loaded.reactions


@pytest.mark.parametrize("text", ["what is this", lg.dumps(chain(3)), "", "x = [" * 400])
def test_a_mechanism_that_is_none(text: str, tmp_path: Path) -> None:
    path = change_attributes(at_rest(pendulum()).save(tmp_path / "run.nc"), mechanism_toml=text)
    with pytest.warns(lg.ReaderWarning, match="the mechanism in the file cannot be used"):
        loaded = lg.read(path)
    assert loaded.mechanism is None
    assert loaded.t.shape == (1,)


def test_long_chains(tmp_path: Path) -> None:
    model = chain(800)  # far more text than an attribute of HDF5's old form can hold
    assert len(lg.dumps(model)) > 100_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lg.read(at_rest(model).save(tmp_path / "run.nc")).mechanism == model
