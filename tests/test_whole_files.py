"""Files are written whole or not at all, by every function that writes one."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import lagrangian as lg
from lagrangian import files
from tests.processes import PATIENCE

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions and limits of POSIX")
NOBODY = POSIX if os.name != "posix" else pytest.mark.skipif(os.getuid() == 0, reason="root may do anything")


def remaining_names(folder: Path) -> list[str]:
    return sorted(x.name for x in folder.iterdir())


# -- every writer, on a disk that is full ----------------------------------------------------------------------------

FULL = """
import json, resource, sys, warnings
from pathlib import Path
import lagrangian as lg

warnings.simplefilter("ignore")
arm = lg.library("two_r")
motion = lg.simulate(arm, 0.2, t_eval=5)
task = lg.inverse(arm, lg.paths.joint_line([0, 0], [0.3, 0.4], duration=1.0))
sizing = lg.size_actuators(arm, task)
eom = lg.derive(arm)
picture = motion.plot()

WRITERS = {
    "run.nc": motion.save,
    "run.csv": motion.save,
    "arm.toml": lambda p: lg.save(arm, p),
    "report.html": motion.report,
    "page.html": motion.animate,
    "film.gif": lambda p: motion.animate(p, size=(64, 64), speed=2),
    "plot.png": lambda p: motion.plot(path=p),
    "figure.svg": picture.savefig,
    "figure.pdf": picture.savefig,
    "still.png": lambda p: arm.draw(p, size=(64, 64)),
    "sizes.csv": sizing.to_csv,
    "torques.png": lambda p: sizing.plot(path=p),
    "eom.tex": eom.save,
    "eom.md": eom.save,
}
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
found = {}
for name, write in WRITERS.items():
    target = Path(name)
    target.write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        write(target)
        said = "nothing"
    except lg.LagrangianError as error:
        said = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    kept = target.read_text(errors="replace") == "old"
    if name == "run.nc":
        write(target)  # the run is not lost
    found[name] = [said, kept]
print(json.dumps(found))
"""


@POSIX
def test_a_full_disk_keeps_the_old_file_and_the_run(tmp_path: Path) -> None:
    """Bytes beyond a limit are refused as those beyond a disk are; the library that writes netCDF ended the process there."""
    done = subprocess.run([sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert len(loaded) == 14
    for name, (said, content) in loaded.items():
        assert f"{name}: it cannot be written: File too large" in said, name
        assert content, name
    assert len(lg.read(tmp_path / "run.nc").t) == 5
    assert remaining_names(tmp_path) == sorted(loaded)  # and nothing beside


# -- one file --------------------------------------------------------------------------------------------------------


def test_what_was_there_is_there_until_it_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), files.replacing(target) as place:  # noqa: PT012
        place.write_text("half of")
        assert target.read_text() == "old"
        raise RuntimeError("in the midst of it")
    assert target.read_text() == "old"
    assert files.write(target, "new") == target
    assert target.read_text() == "new"
    assert files.write(tmp_path / "b", b"\x00") == tmp_path / "b"
    assert remaining_names(tmp_path) == ["a.txt", "b"]


@POSIX
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real = tmp_path / "folder" / "real.txt"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to("folder/real.txt")
    files.write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert remaining_names(tmp_path / "folder") == ["real.txt"]
    dangling = tmp_path / "dangling.txt"
    dangling.symlink_to("folder/later.txt")
    files.write(dangling, "x")
    assert (tmp_path / "folder" / "later.txt").read_text() == "x"
    before = os.umask(0o027)
    try:
        files.write(tmp_path / "fresh.txt", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh.txt").stat().st_mode) == 0o640


@NOBODY
def test_what_is_read_only_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o444)
    with pytest.raises(lg.ArgumentError, match=r"a\.txt: it cannot be written: it is read-only"):
        files.write(target, "new")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(lg.ArgumentError, match="it cannot be written: Permission denied"):
            files.write(tmp_path / "b.txt", "new")
    finally:
        tmp_path.chmod(0o755)
    assert target.read_text() == "old"


def test_places_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "folder.nc").mkdir()
    for place, says in {
        tmp_path / "folder.nc": "this is a folder",
        tmp_path / "none" / "a.nc": "there is no folder",
        str(tmp_path / "a\0b.nc"): "this is not a file name",
        tmp_path / ("x" * 300): "it cannot be written: File name too long",
    }.items():
        with pytest.raises(lg.ArgumentError, match=says):
            files.write(place, "x")
    loop = tmp_path / "loop.nc"
    loop.symlink_to("loop.nc")
    with pytest.raises(lg.ArgumentError, match="it cannot be written"):
        files.write(loop, "x")
    assert remaining_names(tmp_path) == ["folder.nc", "loop.nc"]


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    files.write(tmp_path / ("x" * 250 + ".html"), "whole")
    assert (tmp_path / ("x" * 250 + ".html")).read_text() == "whole"


@POSIX
def test_a_pipe_takes_what_comes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    files.write(pipe, "rows")
    reader.join(timeout=PATIENCE)
    assert got == [b"rows"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    files.write("/dev/null", "nothing")
    shown = subprocess.run(
        [sys.executable, "-c", "from lagrangian import files; files.write('/dev/stdout', 'told')"],
        capture_output=True,
        timeout=PATIENCE,
    )
    assert shown.stdout == b"told"


# -- what killed writers leave ---------------------------------------------------------------------------------------


def test_leftovers_of_killed_writers_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    hour, days = time.time() - 3600, time.time() - 3 * 86400
    ages = {
        f".lagrangian-{gone.pid}-0123abcd.nc": hour,  # its process is gone
        f".lagrangian-{gone.pid}-0123abce": hour,
        f".lagrangian-{os.getpid()}-0123abcd.nc": days,  # its process cannot be this one
        f".lagrangian-{'9' * 30}-0123abcd.nc": hour,
        f".lagrangian-{os.getpid()}-0123abcf.nc": hour,  # is being written, perhaps
        f".lagrangian-{gone.pid}-0123abcf.nc": time.time(),  # of another computer, perhaps
        f".lagrangian-{gone.pid}-notours0.nc": days,
        f"lagrangian-{gone.pid}-0123abcd.nc": days,
        f".lagrangian-{gone.pid}-0123abcd.nc.mine": days,
        ".lagrangian": days,
        "run.nc": days,
    }
    for name, age in ages.items():
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (age, age))
    files.write(tmp_path / "new.nc", "x")
    assert remaining_names(tmp_path) == sorted([*list(ages)[4:], "new.nc"])


def test_names_beside_a_file_match_what_is_deleted(tmp_path: Path) -> None:
    for name in ("a.nc", "a", "a.html", "a.very-long ending", "ä.ñ"):
        with files.replacing(tmp_path / name) as place:
            assert files._TEMPORARY_NAME.fullmatch(place.name), place.name
            assert place.parent == tmp_path
            place.write_text("x")
