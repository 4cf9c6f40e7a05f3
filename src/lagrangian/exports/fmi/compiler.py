"""The library of an FMU for this machine, by the C compiler that is found."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-s")
PATIENCE = 1800  # s
_MACHINES = {"AMD64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
_SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("windows", ".dll")}


@dataclass(frozen=True)
class Library:
    """The path of the library in the FMU and its bytes; without these, `why` there is none."""

    path: str = ""
    content: bytes = b""
    why: str = ""


def library(sources: Mapping[str, str], identifier: str) -> Library:
    """Compile sources in a folder of their own, which is gone afterwards; nothing is run but the compiler."""
    machine, (system, ending) = _MACHINES.get(platform.machine()), _SYSTEMS.get(sys.platform, ("", ""))
    if not machine or not system:
        return Library(why=f"FMI has no name for the platform {platform.machine()} {sys.platform}")
    compiler = next((found for found in map(shutil.which, COMPILERS) if found), None)
    if compiler is None:
        return Library(why=f"no C compiler was found ({', '.join(COMPILERS)})")
    with tempfile.TemporaryDirectory(prefix="lagrangian-") as folder:
        place = Path(folder)
        for name, text in sources.items():
            (place / name).write_text(text, encoding="ascii")
        files = sorted(name for name in sources if name.endswith(".c"))
        # names are without their folder, so that the library is the same wherever it is compiled
        command = [compiler, *FLAGS, "-o", f"{identifier}{ending}", *files, "-lm"]
        try:
            done = subprocess.run(
                command, cwd=place, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Library(why=f"{compiler} did not compile it: {error}")
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            told = next((line for line in said if "error" in line), said[0] if said else f"it ended with {done.returncode}")
            return Library(why=f"{compiler} did not compile it: {told}")
        return Library(f"binaries/{machine}-{system}/{identifier}{ending}", (place / f"{identifier}{ending}").read_bytes())
