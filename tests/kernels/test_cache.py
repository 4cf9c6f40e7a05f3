"""The object cache: used, private, and not trusted blindly."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import machine_code
from tests.mechanisms import random_mechanism

ARM = random_mechanism(["revolute", "prismatic"], 8)
Q = np.array([0.3, 0.4])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(machine_code.VARIABLE, str(tmp_path))
    monkeypatch.setattr(machine_code, "MAX_MODULES", 0)  # nothing is remembered in this process: the folder is looked at
    return tmp_path / "kernels"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that are compiled."""
    seen: list[str] = []
    original = machine_code.compile_object

    def count(ir: str, *rest: object, **named: object) -> bytes:
        if "@kernel" in ir:
            seen.append(ir)
        return original(ir, *rest, **named)

    monkeypatch.setattr(machine_code, "compile_object", count)
    return seen


def test_the_second_time_nothing_is_compiled(folder: Path, compiled: list[str]) -> None:
    wanted = lg.compile(ARM).gravity(Q)
    assert len(compiled) == 1
    np.testing.assert_array_equal(lg.compile(ARM).gravity(Q), wanted)
    assert len(compiled) == 1
    other = random_mechanism(["revolute", "prismatic"], 9)
    assert (lg.compile(other).gravity(Q) != wanted).any()
    assert len(compiled) == 2


def test_rolled_kernels_come_back_too(folder: Path, compiled: list[str], rolled_only: None) -> None:
    wanted = lg.compile(ARM).mass_matrix(Q)
    np.testing.assert_array_equal(lg.compile(ARM).mass_matrix(Q), wanted)
    assert len(compiled) == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_it_is_private(folder: Path) -> None:
    lg.compile(ARM).gravity(Q)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in folder.iterdir())


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "garbage"])
def test_a_damaged_object_is_made_anew(folder: Path, compiled: list[str], harm: str) -> None:
    wanted = lg.compile(ARM).gravity(Q)
    file = max(folder.glob("*.kernel"), key=lambda f: f.stat().st_mtime_ns)
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes({"cut": bytes(data[:200]), "flip": bytes(data), "empty": b"", "garbage": b"\x7fELF" * 100}[harm])
    np.testing.assert_array_equal(lg.compile(ARM).gravity(Q), wanted)
    assert len(compiled) == 2


def test_a_whole_object_under_the_name_of_another_is_made_anew(folder: Path, compiled: list[str]) -> None:
    """Copied by hand, or by a disk that mixes files up: it would compute another mechanism's gravity."""
    other = random_mechanism(["revolute", "prismatic"], 9)
    wanted = lg.compile(ARM).gravity(Q)
    (mine,) = set(folder.glob("*.kernel"))
    assert (lg.compile(other).gravity(Q) != wanted).any()
    (its,) = set(folder.glob("*.kernel")) - {mine}
    mine.write_bytes(its.read_bytes())
    np.testing.assert_array_equal(lg.compile(ARM).gravity(Q), wanted)
    assert len(compiled) == 3


def test_what_killed_processes_left_is_deleted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine_code.store("first", {}, b"code")
    leftover = folder / f".lagrangian-{2**22 + 1}-0123abcd.kernel"  # no process has such a number
    leftover.write_bytes(b"half")
    os.utime(leftover, (1, 1))
    machine_code._prune(folder)
    assert [f.name for f in folder.iterdir()] == ["first.kernel"]


def test_it_can_be_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]) -> None:
    monkeypatch.setenv(machine_code.VARIABLE, "off")
    monkeypatch.setattr(machine_code, "MAX_MODULES", 0)
    for _ in range(2):
        lg.compile(ARM).gravity(Q)
    assert len(compiled) == 2


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(machine_code.VARIABLE, str(tmp_path / "file" / "cache"))
    assert lg.compile(ARM).gravity(Q).shape == (2,)


def test_it_does_not_grow_without_bound(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "MAX_BYTES", 20_000)
    dyn = lg.compile(ARM)
    for function in (dyn.gravity, dyn.mass_matrix, dyn.potential_energy, dyn.centre_of_mass):
        function(Q)
        assert sum(f.stat().st_size for f in folder.glob("*.kernel")) <= 20_000


def test_the_oldest_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "MAX_BYTES", 16_000)
    for k in range(30):
        machine_code.store(f"k{k}", {}, bytes(1000))
        os.utime(folder / f"k{k}.kernel", (k, k))
    left = sorted(int(f.stem[1:]) for f in folder.glob("*.kernel"))
    assert left == list(range(left[0], 30))
    assert 12 <= len(left) <= 15


def test_a_large_folder_is_not_looked_through_for_every_object(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    original = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (looked.append(path), original(path))[1])
    for k in range(100):
        machine_code.store(f"k{k}", {}, bytes(10))
    assert looked.count(folder) == 2  # once for objects, once for what killed processes left
    assert len(list(folder.glob("*.kernel"))) == 100


def test_the_same_file_with_another_value_is_another_kernel(folder: Path) -> None:
    """A parameter's name stays the same when its value changes."""
    text = """
    [parameters]
    k = {k}
    [[body]]
    name = "b"
    mass = 1
    center = [1, 0, 0]
    [[joint]]
    name = "x"
    type = "prismatic"
    child = "b"
    axis = "x"
    rotor = {{ inertia = "k" }}
    [[spring]]
    name = "s"
    a = "ground"
    b = "b"
    stiffness = "k"
    """
    from lagrangian.description.toml.reader import read_text

    for k in (100.0, 200.0):
        dyn = lg.compile(read_text(text.format(k=k)))
        assert dyn.gravity([0.5]) == pytest.approx([0.5 * k])
        assert dyn.mass_matrix([0.5]) == pytest.approx(np.array([[1 + k]]))


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_what_others_could_have_written_is_not_loaded(folder: Path, compiled: list[str]) -> None:
    lg.compile(ARM).gravity(Q)
    for file in folder.glob("*.kernel"):
        file.chmod(0o666)
    lg.compile(ARM).gravity(Q)
    assert len(compiled) == 2
    folder.chmod(0o777)
    machine_code._private_folder.cache_clear()
    assert machine_code.folder() is None
    lg.compile(ARM).gravity(Q)
    assert len(compiled) == 3


def test_a_full_disk_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    lg.compile(ARM).gravity(Q)
    assert not list(folder.iterdir())
