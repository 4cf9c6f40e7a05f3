"""The object cache: used, private, and not trusted blindly."""

from __future__ import annotations

import ast
import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import machine_code, object_cache
from tests.mechanisms import random_mechanism

PACKAGE = Path(lg.__file__).parent
ARM = random_mechanism(["revolute", "prismatic"], 8)
Q = np.array([0.3, 0.4])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(object_cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(object_cache, "MAX_MODULES", 0)  # nothing is remembered in this process: the folder is looked at
    return tmp_path / "kernels"


@pytest.fixture
def compiled_kernels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that are compiled."""
    seen: list[str] = []
    original = machine_code.compile_object

    def count(ir: str, *rest: object, **named: object) -> bytes:
        if "@kernel" in ir:
            seen.append(ir)
        return original(ir, *rest, **named)

    monkeypatch.setattr(machine_code, "compile_object", count)
    return seen


def test_the_second_time_nothing_is_compiled(folder: Path, compiled_kernels: list[str]) -> None:
    expected = lg.compile(ARM).gravity(Q)
    assert len(compiled_kernels) == 1
    np.testing.assert_array_equal(lg.compile(ARM).gravity(Q), expected)
    assert len(compiled_kernels) == 1
    other = random_mechanism(["revolute", "prismatic"], 9)
    assert (lg.compile(other).gravity(Q) != expected).any()
    assert len(compiled_kernels) == 2


def test_rolled_kernels_come_back_too(folder: Path, compiled_kernels: list[str], rolled_only: None) -> None:
    expected = lg.compile(ARM).mass_matrix(Q)
    np.testing.assert_array_equal(lg.compile(ARM).mass_matrix(Q), expected)
    assert len(compiled_kernels) == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_it_is_private(folder: Path) -> None:
    lg.compile(ARM).gravity(Q)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in folder.iterdir())


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "garbage"])
def test_a_damaged_object_is_made_anew(folder: Path, compiled_kernels: list[str], harm: str) -> None:
    expected = lg.compile(ARM).gravity(Q)
    file = max(folder.glob("*.kernel"), key=lambda f: f.stat().st_mtime_ns)
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes({"cut": bytes(data[:200]), "flip": bytes(data), "empty": b"", "garbage": b"\x7fELF" * 100}[harm])
    np.testing.assert_array_equal(lg.compile(ARM).gravity(Q), expected)
    assert len(compiled_kernels) == 2


def test_a_whole_object_under_the_name_of_another_is_made_anew(folder: Path, compiled_kernels: list[str]) -> None:
    """Copied by hand, or by a disk that mixes files up: it would compute another mechanism's gravity."""
    other = random_mechanism(["revolute", "prismatic"], 9)
    expected = lg.compile(ARM).gravity(Q)
    (mine,) = set(folder.glob("*.kernel"))
    assert (lg.compile(other).gravity(Q) != expected).any()
    (its,) = set(folder.glob("*.kernel")) - {mine}
    mine.write_bytes(its.read_bytes())
    np.testing.assert_array_equal(lg.compile(ARM).gravity(Q), expected)
    assert len(compiled_kernels) == 3


def test_what_killed_processes_left_is_deleted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    object_cache.store("first", {}, b"code")
    leftover = folder / f".lagrangian-{2**22 + 1}-0123abcd.kernel"  # no process has such a number
    leftover.write_bytes(b"half")
    os.utime(leftover, (1, 1))
    object_cache._prune(folder)
    assert [f.name for f in folder.iterdir()] == ["first.kernel"]


def test_it_can_be_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled_kernels: list[str]) -> None:
    monkeypatch.setenv(object_cache.VARIABLE, "off")
    monkeypatch.setattr(object_cache, "MAX_MODULES", 0)
    for _ in range(2):
        lg.compile(ARM).gravity(Q)
    assert len(compiled_kernels) == 2


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(object_cache.VARIABLE, str(tmp_path / "file" / "cache"))
    assert lg.compile(ARM).gravity(Q).shape == (2,)


def test_it_does_not_grow_without_bound(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_cache, "MAX_BYTES", 20_000)
    dyn = lg.compile(ARM)
    for function in (dyn.gravity, dyn.mass_matrix, dyn.potential_energy, dyn.center_of_mass):
        function(Q)
        assert sum(f.stat().st_size for f in folder.glob("*.kernel")) <= 20_000


def test_the_oldest_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_cache, "MAX_BYTES", 16_000)
    for k in range(30):
        object_cache.store(f"k{k}", {}, bytes(1000))
        os.utime(folder / f"k{k}.kernel", (k, k))
    left = sorted(int(f.stem[1:]) for f in folder.glob("*.kernel"))
    assert left == list(range(left[0], 30))
    assert 12 <= len(left) <= 15


def test_a_large_folder_is_not_looked_through_for_every_object(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    original = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (looked.append(path), original(path))[1])
    for k in range(100):
        object_cache.store(f"k{k}", {}, bytes(10))
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
def test_what_others_could_have_written_is_not_loaded(folder: Path, compiled_kernels: list[str]) -> None:
    lg.compile(ARM).gravity(Q)
    for file in folder.glob("*.kernel"):
        file.chmod(0o666)
    lg.compile(ARM).gravity(Q)
    assert len(compiled_kernels) == 2
    folder.chmod(0o777)
    object_cache._private_folder.cache_clear()
    assert object_cache.folder() is None
    lg.compile(ARM).gravity(Q)
    assert len(compiled_kernels) == 3


def test_a_full_disk_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    lg.compile(ARM).gravity(Q)
    assert not list(folder.iterdir())


@pytest.fixture
def copied_packages(tmp_path: Path) -> Path:
    """The modules that decide what is compiled, in a folder where they can be changed."""
    for package in object_cache.SOURCE_PACKAGES:
        shutil.copytree(PACKAGE / package, tmp_path / package, ignore=lambda _, names: [x for x in names if x == "__pycache__"])
    return tmp_path


@pytest.mark.parametrize("package", object_cache.SOURCE_PACKAGES)
def test_the_source_digest_sees_a_byte_that_changes_in_a_package(copied_packages: Path, package: str) -> None:
    assert object_cache.digest_packages(copied_packages) == object_cache.source_digest()
    file = max((copied_packages / package).rglob("*.py"), key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert object_cache.digest_packages(copied_packages) != object_cache.source_digest()


@pytest.mark.parametrize("package", object_cache.SOURCE_PACKAGES)
def test_the_source_digest_needs_every_package_of_its_list(copied_packages: Path, package: str) -> None:
    (copied_packages / package).rename(copied_packages / "elsewhere")
    with pytest.raises(FileNotFoundError, match=f"{package} has no modules"):
        object_cache.digest_packages(copied_packages)


def test_every_package_that_writes_code_for_the_compiler_is_in_the_source_digest() -> None:
    """What imports the writer of IR, the compiler, programs or WebAssembly decides what is compiled."""
    writers = set()
    for file in PACKAGE.rglob("*.py"):
        imports = [x for x in ast.walk(ast.parse(file.read_bytes())) if isinstance(x, ast.ImportFrom)]
        imported = {x.module or "" for x in imports} | {f"{x.module}.{name.name}" for x in imports for name in x.names}
        if any(
            x.startswith(("lagrangian.kernels.program.", "lagrangian.kernels.wasm.", "lagrangian.kernels.llvm."))
            and not x.startswith("lagrangian.kernels.llvm.object_cache")
            for x in imported
        ):
            writers.add(file.relative_to(PACKAGE).parts[0])
    assert writers - set(object_cache.SOURCE_PACKAGES) == set()
    assert {"kernels", "motion", "closed_form", "page_motion"} <= writers
