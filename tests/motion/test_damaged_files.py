"""Files of motions that were altered, cut or made up: an error of our own, or the right motion, and always an end."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray

import lagrangian as lg
from lagrangian.motion.storage import hdf5, netcdf
from tests.motion.test_files import same


@pytest.fixture(scope="module")
def motion() -> lg.Motion:
    return lg.simulate(lg.library("two_r"), 0.5, t_eval=11)


@pytest.fixture(scope="module")
def saved_file(motion: lg.Motion, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return motion.save(tmp_path_factory.mktemp("damaged") / "run.nc")


@pytest.fixture(scope="module")
def unsealed_file(saved_file: Path) -> bytes:
    """As earlier versions wrote it."""
    return saved_file.read_bytes()[: -netcdf._SEALED]


def read_or_refused(path: Path, motion: lg.Motion) -> bool:
    """Whether it is refused, by an error that names the file; if it is not, all of it is right."""
    try:
        loaded = lg.read(path)
    except lg.DescriptionError as error:
        return str(error).startswith(str(path))
    same(motion, loaded)
    return False


def test_two_thousand_altered_files(saved_file: Path, motion: lg.Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the seal, a tenth of them would be read as other numbers, and some would never end."""
    tried = []
    monkeypatch.setattr(hdf5, "can_be_read", tried.append)  # None: those whose seal itself was hit are refused here
    whole, path, chance = saved_file.read_bytes(), tmp_path / "a.nc", random.Random(1)
    refused = 0
    with path.open("wb", buffering=0) as file:
        for _ in range(2000):
            data = bytearray(whole)
            for _ in range(chance.choice((1, 1, 2, 8, 64))):
                data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
            file.seek(0)
            file.write(data)
            refused += read_or_refused(path, motion)
    assert refused == 2000
    assert len(tried) < 200


@pytest.mark.slow
def test_altered_files_without_a_seal_come_to_an_end(
    unsealed_file: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hdf5, "PATIENCE", 5.0)
    path, chance = tmp_path / "a.nc", random.Random(2)
    for _ in range(60):
        data = bytearray(unsealed_file)
        for _ in range(chance.choice((1, 2, 8, 64))):
            data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
        path.write_bytes(data)
        with contextlib.suppress(lg.DescriptionError):
            lg.read(path)


def test_cut_files(saved_file: Path, motion: lg.Motion, tmp_path: Path) -> None:
    whole, path = saved_file.read_bytes(), tmp_path / "a.nc"
    for size in (0, 1, 8, 100, 2000, len(whole) // 2, len(whole) - 200, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert read_or_refused(path, motion) == (size != len(whole) - 1)  # the seal's last byte is not missed
    path.write_bytes(whole + b"more")
    assert not read_or_refused(path, motion)


def test_a_file_with_which_the_library_never_ends(
    unsealed_file: bytes, motion: lg.Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size of a text among the texts of the file, altered: the library looks for the next one for ever."""
    monkeypatch.setattr(hdf5, "PATIENCE", 3.0)
    path, ended = tmp_path / "a.nc", 0
    places = [match.end() - 8 for match in re.finditer(rb"[\x01-\xff]\0{7}\x08\0{7}(?=.)", unsealed_file, re.DOTALL)]
    for place in places[::-1][:12]:
        path.write_bytes(unsealed_file[:place] + b"\xfc" + unsealed_file[place + 1 :])
        try:
            lg.read(path)
        except lg.DescriptionError as error:
            if "does not finish reading it" in str(error):
                ended += 1
                break
    assert ended


def test_a_file_without_a_seal_is_read(unsealed_file: bytes, motion: lg.Motion, tmp_path: Path) -> None:
    """Of an earlier version; and one that another program changed, which cuts the seal off."""
    path = tmp_path / "a.nc"
    path.write_bytes(unsealed_file)
    same(motion, lg.read(path))
    motion.save(path)
    with h5py.File(path, "r+") as file:
        file.attrs["author"] = "somebody"
        file["q"][0] = 7.0
    assert b"lagrangian sha256" not in path.read_bytes()
    assert (lg.read(path).q[0] == 7.0).all()


def test_others_read_a_sealed_file(saved_file: Path, motion: lg.Motion) -> None:
    assert saved_file.read_bytes()[-netcdf._SEALED :].startswith(b"\nlagrangian sha256 ")
    with xarray.open_dataset(saved_file, engine="h5netcdf") as dataset:
        np.testing.assert_array_equal(dataset.q.values, motion.q)
    with h5py.File(saved_file) as file:
        np.testing.assert_array_equal(file["q"][...], motion.q)


def alter_file(unsealed_file: bytes, change: Any) -> bytes:
    stream = io.BytesIO(unsealed_file)
    with h5py.File(stream, "r+") as file:
        change(file)
    content = stream.getvalue()
    return content + netcdf._seal(content)


def put(name: str, values: Any) -> Any:
    def change(file: h5py.File) -> None:
        del file[name]
        file[name] = values

    return change


def set_attribute(name: str, value: Any) -> Any:
    return lambda file: file.attrs.__setitem__(name, value)


WRONG = {
    "no name": (lambda file: file.attrs.__delitem__("mechanism"), "no text 'mechanism'"),
    "no ending": (lambda file: file.attrs.__delitem__("ending"), "no text 'ending'"),
    "a number for a text": (set_attribute("statistics", 3.0), "no text 'statistics'"),
    "an array for the format": (set_attribute("format", np.zeros(3)), "not a motion"),
    "no JSON": (set_attribute("statistics", "{"), "'statistics' is not JSON"),
    "a list": (set_attribute("statistics", "[1]"), "'statistics' is not a JSON object"),
    "nothing of tolerances": (set_attribute("statistics", '{"adaptive": true}'), "'statistics' has no number 'rtol'"),
    "no method": (set_attribute("statistics", '{"rtol": 1, "atol": 1, "method": 3}'), "does not say by which method"),
    "nested": (set_attribute("statistics", "[" * 100000), "'statistics' is not JSON"),
    "another status": (set_attribute("ending", json.dumps({"status": "well", "t": 1})), "how it ended"),
    "an ending with more": (set_attribute("ending", json.dumps({"status": "finished", "t": 1, "more": "x"})), "how it ended"),
    "a text for a time": (set_attribute("ending", json.dumps({"status": "finished", "t": "1"})), "how it ended"),
    "a NaN for a time": (set_attribute("ending", '{"status": "finished", "t": NaN}'), "how it ended"),
    "no coordinates": (lambda file: file.__delitem__("coordinate"), "it has no coordinate"),
    "too few rows": (put("q", np.zeros((10, 2))), "qd|q has 10 entries along time"),
    "too many columns": (put("q", np.zeros((11, 3))), "q has 3 entries along coordinate"),
    "one number": (put("q", 1.0), "q has 0 dimensions instead of 2"),
    "texts for numbers": (put("qd", [["a", "b"]] * 11), "qd has no numbers"),
    "numbers for texts": (put("coordinate", np.zeros(2)), "coordinate has no names"),
    "complex numbers": (put("tau", np.zeros((11, 2), dtype=complex)), "tau has no numbers"),
    "work of another shape": (put("work_torque", np.zeros((11, 5))), "work_torque has 5 entries"),
    "events without states": (put("event_q", np.zeros((7, 2))), "event_q has 7 entries along event"),
    "times out of order": (put("time", np.arange(11.0)[::-1].copy()), "times are not in order"),
    "times that are none": (put("time", np.full(11, np.nan)), "times are not in order"),
    "a group for an array": (lambda file: (file.__delitem__("q"), file.create_group("q")), "it has no q"),
    "wrenches without frames": (lambda file: file.__setitem__("wrenches", np.zeros((11, 1, 6))), "it has no frame"),
    "more than a file can hold": (
        lambda file: (file.__delitem__("q"), file.create_dataset("q", (10**9, 10**3), dtype="f8", chunks=(1000, 1000))),
        "hold more than its size allows",
    ),
    "another file's bytes": (
        lambda file: (file.__delitem__("q"), file.create_dataset("q", (11, 2), dtype="f8", external=[("/etc/passwd", 0, 176)])),
        "refers to other files",
    ),
    "a link elsewhere": (lambda file: file.__setitem__("more", h5py.ExternalLink("/etc/other.nc", "/")), "is a link"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_entries_that_cannot_be(kind: str, unsealed_file: bytes, tmp_path: Path) -> None:
    """Sealed, so that nothing but what it says is wrong with it."""
    change, says = WRONG[kind]
    path = tmp_path / "a.nc"
    path.write_bytes(alter_file(unsealed_file, change))
    with pytest.raises(lg.DescriptionError, match=says) as caught:
        lg.read(path)
    assert str(caught.value).startswith(str(path))
