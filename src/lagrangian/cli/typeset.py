"""The equations as a PDF, by whatever TeX is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lagrangian.cli.progress import spinner
from lagrangian.errors import ArgumentError
from lagrangian.files import write

if TYPE_CHECKING:
    from lagrangian.closed_form.derivations.reading import Reading
    from lagrangian.closed_form.equations import Equations

PROGRAMS = ("pdflatex", "tectonic", "xelatex", "lualatex")
_PATIENCE = 120.0  # seconds


def latex_program() -> str:
    """The TeX there is."""
    for program in PROGRAMS:
        if found := shutil.which(program):
            return found
    raise ArgumentError(
        "--pdf needs TeX, but none of pdflatex, tectonic, xelatex and lualatex is installed. On Debian and Ubuntu: "
        "sudo apt install texlive-latex-base; on macOS: brew install tectonic. -o FILE.tex and -o FILE.md do not need TeX"
    )


def pdf_of(eom: Equations | Reading, target: Path, digits: int | None) -> None:
    """Typeset in a folder of its own, without a shell: what a description says can only be text in it."""
    program = latex_program()
    with tempfile.TemporaryDirectory() as folder, spinner("typesetting"):
        source = Path(folder) / "equations.tex"
        eom.save(source, digits)
        options = [] if Path(program).stem == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        try:
            done = subprocess.run([program, *options, source.name], cwd=folder, capture_output=True, timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            raise ArgumentError(f"{program} did not finish within {_PATIENCE:.0f} s; -o FILE.tex writes its input") from None
        made = source.with_suffix(".pdf")
        if not made.is_file():
            lines = [x for x in done.stdout.decode("utf-8", "replace").splitlines() if x.startswith("!")]
            why = lines[0].lstrip("! ") if lines else f"it ended with exit code {done.returncode}"
            raise ArgumentError(f"{Path(program).name} could not typeset the equations: {why}; -o FILE.tex writes its input")
        write(target, made.read_bytes())
