"""Motions written and read again: nothing is lost, others can read them, and what is no motion is said to be none."""

from __future__ import annotations

import inspect
import sys
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

import lagrangian as lg
from lagrangian.motion.motion import QUANTITIES
from tests.motion.machines import chain, pendulum

ARRAYS = (
    *("t", "q", "qd", "qdd", "tau", "friction", "multipliers", "constraint_forces"),
    *("kinetic_energy", "potential_energy", "drift", "rate_drift"),
)


def same(a: lg.Motion, b: lg.Motion) -> None:
    """To the last bit."""
    for name in ARRAYS:
        one, other = getattr(a, name), getattr(b, name)
        assert one.shape == other.shape, name
        assert other.dtype == np.float64, name
        assert np.array_equal(one, other), name
    assert a.work.keys() == b.work.keys()
    assert all(np.array_equal(a.work[k], b.work[k]) for k in a.work)
    for name in ("name", "coordinate_names", "speed_names", "constraint_names", "ending", "success", "message", "statistics"):
        assert getattr(a, name) == getattr(b, name), name
    assert [(e.name, e.t) for e in a.events] == [(e.name, e.t) for e in b.events]
    for one, other in zip(a.events, b.events, strict=True):
        assert np.array_equal(one.q, other.q)
        assert np.array_equal(one.qd, other.qd)
    assert np.array_equal(a.energy_balance, b.energy_balance)
    assert str(a) == str(b)


@pytest.fixture(scope="module")
def linkage() -> lg.Mechanism:
    return lg.library("four_bar")


@pytest.fixture(scope="module")
def linkage_motion(linkage: lg.Mechanism) -> lg.Motion:
    events = [lg.Event("theta1 - 2", name="θ₁ = 2 → 漢字"), lg.Event("qd_theta1 - 1.5"), lg.Event("theta1 - 1.8")]
    return lg.simulate(linkage, 2.0, events=events, t_eval=21)


@pytest.fixture(scope="module")
def chain_motion() -> lg.Motion:
    return lg.simulate(chain(2, friction=lg.Friction(viscous=0.1)), 1.0, [0.5, 0.3], torque={"a0": "sin(t)"}, t_eval=11)


@pytest.fixture(scope="module")
def saved_file(linkage_motion: lg.Motion, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return linkage_motion.save(tmp_path_factory.mktemp("motions") / "closed.nc")


# -- round trips -----------------------------------------------------------------------------------------------------


def test_a_motion_of_an_open_chain_is_read_back(chain_motion: lg.Motion, tmp_path: Path) -> None:
    path = chain_motion.save(tmp_path / "open.nc")
    assert path == tmp_path / "open.nc"
    loaded = lg.read(path)
    same(chain_motion, loaded)
    assert loaded.events == []
    assert loaded.multipliers.shape == (11, 0)
    assert loaded.constraint_names == ()
    assert loaded.mechanism == chain_motion.mechanism
    assert loaded.trajectory is None


def test_a_motion_of_a_linkage_is_read_back(linkage_motion: lg.Motion, saved_file: Path, linkage: lg.Mechanism) -> None:
    loaded = lg.read(saved_file, linkage)
    same(linkage_motion, loaded)
    assert len(loaded.events) >= 3
    assert loaded.events[-1].t > loaded.events[0].t
    assert loaded.mechanism is linkage
    np.testing.assert_allclose(loaded.reactions, linkage_motion.reactions, rtol=0, atol=1e-12)


def test_path_as_text(linkage_motion: lg.Motion, tmp_path: Path) -> None:
    linkage_motion.save(str(tmp_path / "a.nc"))
    same(linkage_motion, lg.read(str(tmp_path / "a.nc")))


def test_written_over(chain_motion: lg.Motion, linkage_motion: lg.Motion, tmp_path: Path) -> None:
    chain_motion.save(tmp_path / "a.nc")
    linkage_motion.save(tmp_path / "a.nc")
    same(linkage_motion, lg.read(tmp_path / "a.nc"))


def test_names_of_any_script(tmp_path: Path) -> None:
    body = lg.Body("Körper", 1.0, (0, -0.5, 0), (1 / 12, 0, 1 / 12))
    mechanism = lg.Mechanism("Маятник 振り子", [body], [lg.Joint("φ", "revolute", "ground", "Körper")], gravity=(0, -9.81, 0))
    motion = lg.simulate(mechanism, 1.0, [0.5], events=[lg.Event("φ", name="unten ↓")], t_eval=5)
    assert [e.name for e in motion.events] == ["unten ↓"]
    motion.save(tmp_path / "Schwingung ½.nc")
    loaded = lg.read(tmp_path / "Schwingung ½.nc", mechanism)
    same(motion, loaded)
    assert loaded.coordinate_names == ("φ",)
    assert loaded.name == "Маятник 振り子"


def test_stopped_by_an_event(tmp_path: Path) -> None:
    motion = lg.simulate(pendulum(), 5.0, [0.5], events="a", t_eval=51)
    assert motion.t[-1] < 1
    motion.save(tmp_path / "a.nc")
    loaded = lg.read(tmp_path / "a.nc")
    same(motion, loaded)
    assert "stopped by event 'a'" in loaded.message


def test_stopped_by_an_error(tmp_path: Path) -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        if t > 0.3:
            raise RuntimeError("the motor is gone")
        return [0.0]

    with pytest.raises(lg.SimulationError, match="the motor is gone") as caught:
        lg.simulate(pendulum(), 1.0, [0.5], torque=torque, t_eval=11)
    motion = caught.value.motion
    motion.save(tmp_path / "a.nc")
    loaded = lg.read(tmp_path / "a.nc")
    same(motion, loaded)
    assert not loaded.success
    assert 0 < loaded.t[-1] < 0.3
    free = lg.simulate(pendulum(), 1.0, [0.5], t_eval=11)
    np.testing.assert_allclose(loaded.q[:3], free.q[:3], rtol=0, atol=1e-9)
    assert np.isfinite(loaded.energy_balance).all()


def test_impacts_and_limits(tmp_path: Path) -> None:
    """Work of impacts is there only where there were any. For other rows steps are made again, those before a stop too."""
    mechanism = pendulum(limits=(0.2, 2.0))
    options = {"restitution": 0.5, "t_eval": 21}
    called = lg.simulate(mechanism, 2.0, [1.0], torque=lambda t, q, qd: [0.3 * np.sin(5 * t)], **options)
    motion = called.resample(41)
    assert len(called.trajectory.segments) > 3
    assert "impacts" in motion.work
    motion.save(tmp_path / "a.nc")
    same(motion, lg.read(tmp_path / "a.nc"))
    compiled = lg.simulate(mechanism, 2.0, [1.0], torque={"a": "0.3*sin(5*t)"}, **options)
    np.testing.assert_allclose(motion.q[::2], compiled.q, rtol=0, atol=1e-6)


def test_between_rows(tmp_path: Path) -> None:
    """A cubic through rows with their slopes: its error falls with the fourth power of their distance."""
    run = lg.simulate(chain(2), 1.0, [0.5, 0.3], rtol=1e-12, t_eval=2)
    times = np.linspace(0, 1, 97)
    errors = []
    for rows in (21, 41):
        motion = run.resample(rows)
        motion.save(tmp_path / "a.nc")
        loaded = lg.read(tmp_path / "a.nc")
        errors.append([np.abs(a - b).max() for a, b in zip(loaded(times), run(times), strict=True)])
        np.testing.assert_allclose(loaded(motion.t)[0], motion.q, rtol=0, atol=1e-14)
        np.testing.assert_allclose(loaded(0.5)[1], run(0.5)[1], rtol=0, atol=1e-4)
    ratios = np.divide(*errors)
    assert np.all(ratios > 10)
    assert np.all(ratios < 24)
    with pytest.raises(lg.ArgumentError, match="outside the motion, which lasts from 0 to 1 s"):
        loaded(1.5)


def test_what_needs_equations_is_refused(saved_file: Path) -> None:
    loaded = lg.read(saved_file)
    with pytest.raises(lg.ArgumentError, match="cannot be resampled"):
        loaded.resample(100)
    with pytest.raises(lg.ArgumentError, match="no equations that could be solved again"):
        loaded.error_against()


# -- other tools -----------------------------------------------------------------------------------------------------


def test_plain_hdf5(linkage_motion: lg.Motion, saved_file: Path) -> None:
    with h5py.File(saved_file) as file:
        assert np.array_equal(file["q"], linkage_motion.q)
        assert np.array_equal(file["time"], linkage_motion.t)
        assert [name.decode() for name in file["coordinate"]] == list(linkage_motion.coordinate_names)
        assert [name.decode() for name in file["event_name"]] == [e.name for e in linkage_motion.events]
        assert file.attrs["mechanism"] == "four_bar"
        assert file.attrs["format"] == "lagrangian motion 2"
        assert file["q"].dims[0][0].name == "/time"


def test_xarray_opens_the_file(linkage_motion: lg.Motion, saved_file: Path) -> None:
    with xarray.open_dataset(saved_file, engine="h5netcdf") as dataset:
        assert dataset.sizes == {"time": 21, "coordinate": 3, "speed": 3, "constraint": 2, "event": len(linkage_motion.events)}
        assert np.array_equal(dataset["q"].sel(coordinate="phi3"), linkage_motion.q[:, 2])
        assert float(dataset["qd"].sel(speed="theta1").sel(time=1.0, method="nearest")) == linkage_motion.qd[10, 0]
        assert np.array_equal(dataset["event_time"], [e.t for e in linkage_motion.events])
    direct = linkage_motion.to_xarray()
    assert np.array_equal(direct["multipliers"].values, linkage_motion.multipliers)
    assert direct["q"].dims == ("time", "coordinate")
    assert direct["constraint"].values.tolist() == ["closure.x", "closure.y"]


def test_as_xarray_writes_it(linkage_motion: lg.Motion, chain_motion: lg.Motion, tmp_path: Path) -> None:
    """Files have the layout that xarray gives them, which wrote them before: xarray finds all in ours, and we all in its."""
    for motion in (linkage_motion, chain_motion):
        direct = motion.to_xarray()
        xarray.testing.assert_identical(xarray.load_dataset(motion.save(tmp_path / "ours.nc"), engine="h5netcdf"), direct)
        direct.to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
        same(motion, lg.read(tmp_path / "theirs.nc"))
        with h5py.File(tmp_path / "ours.nc") as ours, h5py.File(tmp_path / "theirs.nc") as theirs:
            assert set(ours) == set(theirs)
            assert all(ours[name].dtype == theirs[name].dtype for name in ours)
            assert all(np.isnan(ours[name].attrs["_FillValue"]) for name in ("q", "time", "multipliers"))


def test_xarray_only_when_requested(saved_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Motions are written and read without it; `to_xarray` says what to install."""
    for name in ("xarray", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    motion = lg.read(saved_file)
    same(motion, lg.read(motion.save(tmp_path / "again.nc")))
    with pytest.raises(lg.ArgumentError, match=r"needs xarray, which is not installed; pip install 'lagrangian\[xarray\]'"):
        motion.to_xarray()


def test_variables_have_units_and_descriptions(linkage_motion: lg.Motion, saved_file: Path) -> None:
    """Every variable of numbers over time says its unit and what it is."""
    expected = {
        "time": "s",
        "event_time": "s",
        "q": "rad or m",
        "qd": "rad/s or m/s",
        "qdd": "rad/s2 or m/s2",
        **dict.fromkeys(("tau", "friction", "constraint_forces"), "N m or N"),
        "multipliers": "N or N m",
        **dict.fromkeys(("kinetic_energy", "potential_energy"), "J"),
        "drift": "m or 1",
        "rate_drift": "m/s or 1/s",
        **{f"work_{name}": "J" for name in linkage_motion.work},
    }
    with h5py.File(saved_file) as file:
        assert {name: file[name].attrs["units"] for name in expected} == expected
        assert all(file[name].attrs["long_name"] for name in expected if "time" not in name)
        unlabelled = {"coordinate", "speed", "constraint", "event", "event_name", "event_q", "event_qd"}
        assert set(file) == set(expected) | unlabelled


# -- errors ----------------------------------------------------------------------------------------------------------


def test_rows_as_text(linkage_motion: lg.Motion, tmp_path: Path) -> None:
    """Every number comes back as it was."""
    path = linkage_motion.save(tmp_path / "run.csv")
    names = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert names[:4] == ["t", *(f"q_{n}" for n in linkage_motion.coordinate_names)][:4]
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    expected = np.hstack(
        [
            linkage_motion.t[:, None],
            linkage_motion.q,
            linkage_motion.qd,
            linkage_motion.qdd,
            linkage_motion.tau,
            linkage_motion.multipliers,
        ]
    )
    np.testing.assert_array_equal(rows, expected)
    assert len(names) == rows.shape[1]


def test_wrong_ending(chain_motion: lg.Motion, tmp_path: Path) -> None:
    for name in ("a.xlsx", "a", "a.nc.txt"):
        with pytest.raises(lg.ArgumentError, match=r"as netCDF \(\.nc\), or its rows as text \(\.csv\)"):
            chain_motion.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_missing_folder(chain_motion: lg.Motion, tmp_path: Path) -> None:
    with pytest.raises(lg.ArgumentError, match=r"there is no folder '.*nowhere' to write in"):
        chain_motion.save(tmp_path / "nowhere" / "a.nc")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(lg.DescriptionError, match=r"a\.nc: there is no such file"):
        lg.read(tmp_path / "a.nc")
    with pytest.raises(lg.DescriptionError, match="there is no such file"):
        lg.read(tmp_path)
    with pytest.raises(lg.DescriptionError, match=r"describes a mechanism, not a motion; lagrangian.load\('arm.toml'\) reads it"):
        lg.read("arm.toml")


@pytest.mark.parametrize("content", [b"", b"t,q\n0,1\n", b"\x89HDF\r\n\x1a\n" + bytes(100)], ids=["empty", "text", "header"])
def test_not_a_netcdf_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.nc").write_bytes(content)
    with pytest.raises(lg.DescriptionError, match=r"a\.nc: this is not a netCDF file"):
        lg.read(tmp_path / "a.nc")


@pytest.mark.parametrize("part", [0.01, 0.3, 0.7, 0.99])
def test_truncated_file(part: float, saved_file: Path, tmp_path: Path) -> None:
    content = saved_file.read_bytes()
    (tmp_path / "a.nc").write_bytes(content[: int(part * len(content))])
    with pytest.raises(lg.DescriptionError, match=r"a\.nc: this is not a netCDF file"):
        lg.read(tmp_path / "a.nc")


def test_another_netcdf_file(tmp_path: Path) -> None:
    xarray.Dataset({"x": ("t", np.zeros(3))}).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    with pytest.raises(lg.DescriptionError, match=r"this netCDF file is not a motion; its format is None"):
        lg.read(tmp_path / "a.nc")
    xarray.Dataset({"x": ("t", np.zeros(3))}, attrs={"format": "lagrangian motion 99"}).to_netcdf(
        tmp_path / "b.nc", engine="h5netcdf"
    )
    with pytest.raises(lg.DescriptionError, match="another version wrote this motion, in the format 'lagrangian motion 99'"):
        lg.read(tmp_path / "b.nc")


def test_incomplete_file(linkage_motion: lg.Motion, tmp_path: Path) -> None:
    linkage_motion.to_xarray().drop_vars(["qd", "event_time"]).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    with pytest.raises(lg.DescriptionError, match="the motion is incomplete or damaged: it has no qd"):
        lg.read(tmp_path / "a.nc")


def test_mechanism_that_does_not_fit(saved_file: Path, linkage: lg.Mechanism) -> None:
    with pytest.raises(
        lg.ArgumentError, match=r"the coordinates theta1, phi2, phi3.*those of the mechanism that you gave differ"
    ):
        lg.read(saved_file, chain(3))
    cut = lg.Mechanism("open", linkage.bodies, linkage.joints, gravity=linkage.gravity)
    with pytest.raises(lg.ArgumentError, match="2 constraint equations; those of the mechanism that you gave differ"):
        lg.read(saved_file, cut)


def test_reading_is_quiet(saved_file: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lg.read(saved_file).success


def test_every_field_is_compared() -> None:
    """What a motion gains later must be saved, or left out on purpose."""
    assert {*QUANTITIES, "t"} == {*ARRAYS, "statistics", "work", "wrenches", "events"}
    names = {"name", "coordinate_names", "speed_names", "constraint_names", "ending"}
    assert set(inspect.signature(lg.Motion).parameters) == {*names, "t", "mechanism", "rows", "given"}
