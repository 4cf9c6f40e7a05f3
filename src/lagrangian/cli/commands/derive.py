"""`lagrangian derive`, `lagrangian prove`: the equations of motion in closed form, and their proof."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILURE, SUCCESS, CostLimitOption, JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.output import progress_bar, spinner
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.files import as_target_path, write
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.closed_form.derivations.derivation import Derivation
    from lagrangian.closed_form.equations import EquationsOfMotion
    from lagrangian.model.mechanism import Mechanism

DERIVE_EXAMPLES = """
lagrangian derive two_r
lagrangian derive arm.toml --pdf
lagrangian derive puma560 --symbols inertial -o puma.tex
lagrangian derive two_r --method newton-euler
lagrangian derive two_r --method kane --speed "u1=theta1'" --speed "u2=theta1' + theta2'"
lagrangian derive arm.toml --check answer.txt
"""
PROVE_EXAMPLES = "lagrangian prove puma560"
METHODS = ("lagrange", "newton-euler", "kane")
LATEX_PROGRAMS = ("pdflatex", "tectonic", "xelatex", "lualatex")  # the first that is installed is used
_LATEX_TIMEOUT = 120.0  # s
_MAX_WIDTH = 110  # characters of a line
LOOPS_SCOPE = (
    "The mechanism has loops or other constraints. The proof covers its open tree, whose M, C and G are also those of the "
    "closed mechanism. It does not cover the constraint equations; `lagrangian compare` checks accelerations with them."
)

SymbolsOption = Annotated[
    str,
    typer.Option(
        "--symbols",
        metavar="KIND",
        help="The quantities that appear as symbols: given (the parameters of the description), inertial (all inertial "
        "parameters) or all (lengths, too).",
    ),
]


def derive(
    argument: MechanismArgument,
    symbols: SymbolsOption = "given",
    latex: Annotated[
        bool, typer.Option("--latex", metavar="", help="Print LaTeX to paste into a document; with -o, write no preamble.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--md", metavar="", help="Print Markdown with formulas.")] = False,
    pdf: Annotated[
        bool, typer.Option("--pdf", metavar="", help="Typeset a PDF, named after MECH unless -o is given; this needs TeX.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the equations to FILE, whose ending is .tex, .md, .pdf or .txt."
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", metavar="", help="Print very long parts, too.")] = False,
    digits: Annotated[
        int, typer.Option("--digits", metavar="N", min=0, help="The number of significant digits; 0 writes exact fractions.")
    ] = 6,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="The method of derivation: lagrange, newton-euler (free bodies) or kane (partial velocities).",
        ),
    ] = "lagrange",
    axes: Annotated[
        str | None,
        typer.Option("--axes", metavar="NAME", help="The axes of the vectors of newton-euler: link or ground. Default: link."),
    ] = None,
    speed: Annotated[
        list[str] | None,
        typer.Option(
            "--speed",
            metavar="NAME=EXPR",
            help="A generalised speed of kane, such as u2=q1'+q2'. Repeat this option for each coordinate.",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Mark homework: check a file with lines such as G[1] = m1*g*r1*cos(q1)."),
    ] = None,
    limit: CostLimitOption = 600.0,
    json: JsonOption = False,
) -> int:
    """Derive the equations of motion in closed form.

    The command prints the mass matrix M, the Christoffel symbols, C, G, friction, the loop-closure equations, the energies of
    every link, and the complete equation of every coordinate.
    """
    if check is not None:
        if latex or markdown or pdf or out is not None or axes is not None or speed or method != "lagrange":
            raise ArgumentError(
                "--check marks an answer and writes no equations; it can only be combined with --symbols and --json"
            )
        return _check_answers(derive_with_progress(argument.load(), symbols, limit), check, json)
    form = _output_format(latex, markdown, pdf, json, out)
    m = argument.load()
    if pdf and out is None:
        out = Path(f"{argument.stem}.pdf")
    if method not in METHODS:
        raise ArgumentError(unknown_name_message("method", method, METHODS))
    if axes is not None and method != "newton-euler":
        raise ArgumentError("--axes needs --method newton-euler")
    if speed and method != "kane":
        raise ArgumentError("--speed needs --method kane")
    if form == "pdf":
        _latex_program()  # a missing TeX is an error before the derivation, not after it
    eom = _derivation_by_method(method, derive_with_progress(m, symbols, limit), axes, speed or ())
    _write_equations(eom, form, latex, out, None if digits == 0 else digits, full, json)
    return SUCCESS


def prove(
    argument: MechanismArgument, symbols: SymbolsOption = "given", limit: CostLimitOption = 600.0, json: JsonOption = False
) -> int:
    """Prove the equations of motion by independent derivations.

    Lagrange, Newton-Euler, Kane, Uicker-Kahn and the compiled algorithms must give exactly the same equations. The exit code is 1
    if they do not.
    """
    m = argument.load()
    eom = derive_with_progress(m, symbols, limit)
    with progress_bar(f"proving {m.name}") as progress:
        certificate = eom.prove(progress)
    code = SUCCESS if certificate.proved else FAILURE
    if json:
        statements = [
            {"what": s.what, "how": s.how, "proved": s.proved, "entries": s.entries, "terms": s.term_count}
            | {"seconds": s.seconds, "differs": s.differs, "problem": s.problem}
            for s in certificate.statements
        ]
        header = {"about": certificate.about, "proved": certificate.proved, "seconds": certificate.seconds}
        if m.equation_count:
            header["scope"] = LOOPS_SCOPE
        output.print_json({**header, "statements": statements, "left_out": certificate.left_out})
        return code
    from rich.text import Text

    console = output.stdout()
    console.print(Text(certificate.headline, style="bold green" if certificate.proved else "bold red"))
    if m.equation_count:
        output.print_text(LOOPS_SCOPE, "yellow")
    rows = [
        (s.what, s.how, s.result, str(s.entries), str(s.term_count or ""), f"{s.seconds:.3f} s") for s in certificate.statements
    ]
    statement_table = output.table(
        ("statement", "how", "result", "entries", "terms", "time"), rows, right_aligned=(3, 4, 5), wrapped=(0, 1)
    )
    console.print(statement_table)
    for s in certificate.failed:
        output.print_text(f"{s.what}: {s.problem or '; '.join(s.differs[:3])}", "red")
    if certificate.left_out:
        output.print_text("Not part of the proof:", "dim")
        for omission in certificate.left_out:
            console.print(Text(f"  {omission}", style="dim"))
    return code


def derive_with_progress(m: Mechanism, symbols: str, limit: float) -> EquationsOfMotion:
    """Derive the equations, with a progress bar."""
    import lagrangian as lg

    with progress_bar(f"deriving {m.name}") as progress:
        return lg.derive(m, symbols, limit=limit or None, progress=progress)


# -- the form of the equations -----------------------------------------------------------------------------------------


def _output_format(latex: bool, markdown: bool, pdf: bool, json: bool, out: Path | None) -> str:
    """The form of the equations by an option or the ending of the file: tex, md, pdf or txt."""
    formats = [name for name, requested in (("tex", latex), ("md", markdown), ("pdf", pdf)) if requested]
    if len(formats) > 1 or (json and formats and out is None):
        raise ArgumentError("--latex, --md, --pdf and --json exclude each other; -o FILE writes a file beside --json")
    if out is None:
        return formats[0] if formats else "txt"
    ending = out.suffix.lower().lstrip(".")
    if ending not in ("tex", "md", "pdf", "txt"):
        raise ArgumentError(f"{out}: equations are written to .tex, .md, .pdf or .txt files")
    if formats and formats[0] != ending:
        raise ArgumentError(f"{out} ends in .{ending}, which contradicts --{ {'tex': 'latex'}.get(formats[0], formats[0]) }")
    as_target_path(out)
    return ending


def _derivation_by_method(
    method: str, eom: EquationsOfMotion, axes: str | None, speeds: Sequence[str]
) -> EquationsOfMotion | Derivation:
    """The equations of Lagrange, or those of another method of derivation."""
    if method == "newton-euler":
        return eom.newton_euler(axes or "link")
    if method == "kane":
        return eom.kane(quantity.collect_assignments(speeds, "--speed") if speeds else None)
    return eom


def _write_equations(
    eom: EquationsOfMotion | Derivation, form: str, latex: bool, out: Path | None, digits: int | None, full: bool, json: bool
) -> None:
    """Write the equations to a file, or print them as data or as text."""
    if out is not None and form in ("pdf", "md", "tex"):
        _write_pdf(eom, out, digits) if form == "pdf" else eom.save(out, digits, document=not latex)
        files = [str(out)]
    else:
        files = []
    if json:
        return output.print_json({**_equations_data(eom, full), "files": files})
    if files:
        return output.print_written_file(out, "the equations", "" if form != "pdf" else f"open it with xdg-open {out}")
    text = _format_equations(eom, form, digits, full)
    if out is not None:
        write(out, text + "\n")
        return output.print_written_file(out, "the equations")
    if form == "txt":
        return _print_with_titles(text, {section.title for section in eom.sections(full)})
    return output.print_source(text)


def _format_equations(derivation: EquationsOfMotion | Derivation, form: str, digits: int | None, full: bool) -> str:
    """The equations as LaTeX, Markdown or text."""
    if form == "tex":
        return derivation.latex(digits, full)
    if form == "md":
        from lagrangian.closed_form.derivations.derivation import Derivation
        from lagrangian.closed_form.render import markdown

        return (
            markdown(derivation.eom, digits, derivation.sections(full))
            if isinstance(derivation, Derivation)
            else markdown(derivation.display_form, digits)
        )
    return derivation.text(digits, full, min(_MAX_WIDTH, max(60, output.stdout().width)))


def _print_with_titles(text: str, titles: set[str]) -> None:
    """Print a text with its heading and the titles of its sections in colour."""
    for line_index, line in enumerate(text.splitlines()):
        output.print_text(line, "bold cyan" if line_index == 0 else "bold" if line in titles else "")


def _equations_data(derivation: EquationsOfMotion | Derivation, full: bool) -> dict[str, Any]:
    """The equations as data, with each formula as text and as LaTeX."""
    from lagrangian.closed_form.derivations.derivation import Derivation
    from lagrangian.equations.writing.printers import latex_style, plain_style

    sections = derivation.sections(full)
    eom = derivation.eom if isinstance(derivation, Derivation) else derivation
    notation = eom.notation if isinstance(derivation, Derivation) else eom.display_form.notation
    plain, latex = plain_style(notation), latex_style(notation)
    return {
        "mechanism": eom.mechanism.name,
        "coordinates": eom.coordinates,
        "constraints": eom.constraint_names,
        "parameters": eom.parameters(),
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "words": section.words,
                "formulas": [
                    {"names": names, "text": str(formula), "latex": formula.latex()} for names, formula in section.formulas
                ],
                "lines": [
                    {"text": line.lines(plain, _MAX_WIDTH), "latex": " ".join(line.aligned_rows(latex)).replace("&", "")}
                    for line in section.lines
                ],
            }
            for section in sections
        ],
        "notes": eom.notes,
    }


# -- PDF ---------------------------------------------------------------------------------------------------------------


def _write_pdf(eom: EquationsOfMotion | Derivation, target: Path, digits: int | None) -> None:
    """Typeset the equations in a temporary folder. TeX runs without a shell, so that a description cannot start programs."""
    program = _latex_program()
    with tempfile.TemporaryDirectory() as folder, spinner("typesetting"):
        source = Path(folder) / "equations.tex"
        eom.save(source, digits)
        options = [] if Path(program).stem == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        try:
            process = subprocess.run([program, *options, source.name], cwd=folder, capture_output=True, timeout=_LATEX_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise ArgumentError(f"{program} did not finish within {_LATEX_TIMEOUT:.0f} s; -o FILE.tex writes its input") from None
        pdf = source.with_suffix(".pdf")
        if not pdf.is_file():
            errors = [line for line in process.stdout.decode("utf-8", "replace").splitlines() if line.startswith("!")]
            reason = errors[0].lstrip("! ") if errors else f"it ended with exit code {process.returncode}"
            raise ArgumentError(f"{Path(program).name} could not typeset the equations: {reason}; -o FILE.tex writes its input")
        write(target, pdf.read_bytes())


def _latex_program() -> str:
    """The path of the first TeX program that is installed."""
    for program in LATEX_PROGRAMS:
        if path := shutil.which(program):
            return path
    raise ArgumentError(
        "--pdf needs TeX, but none of pdflatex, tectonic, xelatex and lualatex is installed. On Debian and Ubuntu: "
        "sudo apt install texlive-latex-base; on macOS: brew install tectonic. -o FILE.tex and -o FILE.md do not need TeX"
    )


# -- homework ----------------------------------------------------------------------------------------------------------


def _check_answers(eom: EquationsOfMotion, answer: Path, json: bool) -> int:
    """Mark each line of an answer as right or wrong. The exit code is 1 unless all of them are right."""
    report = eom.check(answer)
    code = SUCCESS if report.right else FAILURE
    if json:
        lines = [
            {
                "line": mark.line,
                "name": mark.name,
                "right": mark.right,
                "difference": None if mark.difference is None else str(mark.difference),
                "hint": mark.hint,
            }
            for mark in report.checks
        ]
        output.print_json({"mechanism": eom.mechanism.name, "right": report.right, "lines": lines, "missing": report.missing})
        return code
    for mark in report.checks:
        output.print_text(str(mark), "green" if mark.right else "red")
    for line in str(report).splitlines()[len(report.checks) :]:
        output.print_text(line, "bold")
    return code
