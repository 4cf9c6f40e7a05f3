"""A Functional Mock-up Unit, FMI 3.0, for Model Exchange and Co-Simulation.

It is a ZIP archive of the description, the C sources, and the library for this machine, by the C compiler that is found. The
archive is the same whenever it is made.
"""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import ClassVar

from lagrangian.arguments import boolean, number
from lagrangian.exports.fmi import c_code
from lagrangian.exports.fmi.content import FmuModel, build_fmu_model
from lagrangian.exports.fmi.description import build_description, model_description
from lagrangian.exports.fmi.documentation import documentation_page
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget, TargetOption
from lagrangian.model.mechanism import Mechanism

ARCHIVE_TIME = (1980, 1, 1, 0, 0, 0)  # the first time that an archive can hold
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-s")
TIMEOUT = 1800  # s
_MACHINES = {"AMD64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
_SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("windows", ".dll")}


class FmuTarget(ExportTarget):
    name = "fmu"
    about = "an FMI 3.0 file for Model Exchange and Co-Simulation"
    file_suffix = ".fmu"
    options: ClassVar[Mapping[str, TargetOption]] = {
        "step": TargetOption(
            "the largest step of Co-Simulation in seconds; by default a ten-thousandth of the time span, at most 1 ms",
            None,
        ),
        "binary": TargetOption("whether to compile the library for this machine", True, (True, False)),
    }

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        step = self.option(request, "step")
        step = None if step is None else number(step, "step", above=0.0)
        binary = boolean(self.option(request, "binary"), "binary")
        content = build_fmu_model(mechanism, request, step)
        token = _instantiation_token(content)
        sources = {**_model_sources(content, token), **_common_sources()}
        binary_library = (
            compile_library(sources, content.identifier) if binary else CompiledLibrary(reason="it was not asked for")
        )
        notes = content.notes
        if not binary_library.content:
            notes += (f"The FMU contains its sources, but no library for this machine: {binary_library.reason}.",)
        files: dict[str, str | bytes] = {"modelDescription.xml": model_description(content, token)}
        files |= {binary_library.path: binary_library.content} if binary_library.content else {}
        files |= {f"sources/{name}": text for name, text in sorted(sources.items())}
        files["sources/buildDescription.xml"] = build_description(content, sorted(x for x in sources if x.endswith(".c")))
        files["documentation/index.html"] = documentation_page(content)
        return ExportedFiles({f"{content.identifier}.fmu": zip_archive(files)}, notes=notes)


def _model_sources(content: FmuModel, token: str) -> dict[str, str]:
    """The C files of this mechanism."""
    name = content.identifier
    return {
        f"{name}.h": content.sources.header(),
        f"{name}.c": content.sources.source(),
        "fmu_model.h": c_code.header(content, token),
        "fmu_model.c": c_code.source(content),
    }


def _common_sources() -> dict[str, str]:
    """The C files of all FMUs."""
    folder = resources.files("lagrangian.exports.fmi") / "c"
    return {file.name: file.read_text(encoding="ascii") for file in folder.iterdir() if file.name.endswith((".c", ".h"))}


def _instantiation_token(content: FmuModel) -> str:
    """The token that tells this FMU from others: a hash of all that it consists of."""
    texts = {**_model_sources(content, ""), **_common_sources(), "": model_description(content, "")}
    digest = hashlib.sha256()
    for name, text in sorted(texts.items()):
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()[:32]


def compile_library(sources: Mapping[str, str], identifier: str) -> CompiledLibrary:
    """Compile sources in a folder of their own, which is gone afterwards; nothing is run but the compiler."""
    machine, (system, ending) = _MACHINES.get(platform.machine()), _SYSTEMS.get(sys.platform, ("", ""))
    if not machine or not system:
        return CompiledLibrary(reason=f"FMI has no name for the platform {platform.machine()} {sys.platform}")
    compiler = next((program for program in map(shutil.which, COMPILERS) if program), None)
    if compiler is None:
        return CompiledLibrary(reason=f"no C compiler was found ({', '.join(COMPILERS)})")
    with tempfile.TemporaryDirectory(prefix="lagrangian-") as folder:
        folder_path = Path(folder)
        for name, text in sources.items():
            (folder_path / name).write_text(text, encoding="ascii")
        files = sorted(name for name in sources if name.endswith(".c"))
        # names are without their folder, so that the library is the same wherever it is compiled
        command = [compiler, *FLAGS, "-o", f"{identifier}{ending}", *files, "-lm"]
        try:
            process = subprocess.run(
                command, cwd=folder_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return CompiledLibrary(reason=f"{compiler} did not compile it: {error}")
        if process.returncode:
            error_lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
            message = next(
                (line for line in error_lines if "error" in line),
                error_lines[0] if error_lines else f"it ended with {process.returncode}",
            )
            return CompiledLibrary(reason=f"{compiler} did not compile it: {message}")
        return CompiledLibrary(
            f"binaries/{machine}-{system}/{identifier}{ending}", (folder_path / f"{identifier}{ending}").read_bytes()
        )


@dataclass(frozen=True)
class CompiledLibrary:
    """The path of the library in the FMU and its bytes, or the reason why there is none."""

    path: str = ""
    content: bytes = b""
    reason: str = ""


def zip_archive(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of files, by their paths in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zip_file:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, ARCHIVE_TIME)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            zip_file.writestr(entry, content)
    return buffer.getvalue()


TARGET = FmuTarget()
