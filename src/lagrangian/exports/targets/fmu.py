"""A Functional Mock-up Unit, FMI 3.0, for Model Exchange and Co-Simulation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import ClassVar

from lagrangian.arguments import number, truth
from lagrangian.exports.fmi import model_code
from lagrangian.exports.fmi.archive import archive
from lagrangian.exports.fmi.compiler import Library, library
from lagrangian.exports.fmi.content import Content, content
from lagrangian.exports.fmi.description import build_description, model_description
from lagrangian.exports.fmi.page import page
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.model.mechanism import Mechanism


class FunctionalMockupUnit(Target):
    name = "fmu"
    about = "an FMI 3.0 file for Model Exchange and Co-Simulation"
    single = ".fmu"
    options: ClassVar[Mapping[str, Option]] = {
        "step": Option(
            "the largest step of Co-Simulation in seconds; by default a ten-thousandth of the time span, at most 1 ms",
            None,
        ),
        "binary": Option("whether to compile the library for this machine", True, (True, False)),
    }

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        step = self.option(wish, "step")
        step = None if step is None else number(step, "step", above=0.0)
        binary = truth(self.option(wish, "binary"), "binary")
        made = content(mechanism, wish, step)
        token = _token(made)
        sources = {**_own_sources(made, token), **_common_sources()}
        compiled = library(sources, made.identifier) if binary else Library(why="it was not asked for")
        notes = made.notes
        if not compiled.content:
            notes += (f"The FMU contains its sources, but no library for this machine: {compiled.why}.",)
        files: dict[str, str | bytes] = {"modelDescription.xml": model_description(made, token)}
        files |= {compiled.path: compiled.content} if compiled.content else {}
        files |= {f"sources/{name}": text for name, text in sorted(sources.items())}
        files["sources/buildDescription.xml"] = build_description(made, sorted(x for x in sources if x.endswith(".c")))
        files["documentation/index.html"] = page(made)
        return Product({f"{made.identifier}.fmu": archive(files)}, notes=notes)


def _own_sources(made: Content, token: str) -> dict[str, str]:
    """The C files of this mechanism."""
    name = made.identifier
    return {
        f"{name}.h": made.sources.header(),
        f"{name}.c": made.sources.source(),
        "fmu_model.h": model_code.header(made, token),
        "fmu_model.c": model_code.source(made),
    }


def _common_sources() -> dict[str, str]:
    """The C files of all FMUs."""
    folder = resources.files("lagrangian.exports.fmi") / "c"
    return {file.name: file.read_text(encoding="ascii") for file in folder.iterdir() if file.name.endswith((".c", ".h"))}


def _token(made: Content) -> str:
    """What tells this FMU from others: a hash of all that it consists of."""
    texts = {**_own_sources(made, ""), **_common_sources(), "": model_description(made, "")}
    digest = hashlib.sha256()
    for name, text in sorted(texts.items()):
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()[:32]


TARGET = FunctionalMockupUnit()
