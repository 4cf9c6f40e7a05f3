"""`lagrangian derive`, `lagrangian prove`: the equations to read, and the certificate of what was proved of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILED, FINE, Json, Limit
from lagrangian.cli.given import Described
from lagrangian.cli.progress import bar
from lagrangian.errors import ArgumentError, one_of
from lagrangian.files import checked_target, write
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.closed_form.derivations.reading import Reading
    from lagrangian.closed_form.equations import Equations
    from lagrangian.model.mechanism import Mechanism

DERIVE = """
lagrangian derive two_r
lagrangian derive arm.toml --pdf
lagrangian derive puma560 --symbols inertial -o puma.tex
lagrangian derive two_r --method newton-euler
lagrangian derive two_r --method kane --speed "u1=theta1'" --speed "u2=theta1' + theta2'"
lagrangian derive arm.toml --check answer.txt
"""
PROVE = "lagrangian prove puma560"
Symbols = Annotated[
    str,
    typer.Option(
        "--symbols",
        metavar="KIND",
        help="The quantities that appear as symbols: given (the parameters of the description), inertial (all inertial "
        "parameters) or all (lengths, too).",
    ),
]
METHODS = ("lagrange", "newton-euler", "kane")
_WIDEST = 110
ABOUT_LOOPS = (
    "The mechanism has loops or other constraints. The proof covers its open tree, whose M, C and G are also those of the "
    "closed mechanism. It does not cover the constraint equations; `lagrangian compare` checks accelerations with them."
)


def derive(
    given: Described,
    symbols: Symbols = "given",
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
    limit: Limit = 600.0,
    json: Json = False,
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
        return _marked(derived(given.load(), symbols, limit), check, json)
    form = _form(latex, markdown, pdf, json, out)
    m = given.load()
    if pdf and out is None:
        out = Path(f"{given.stem}.pdf")
    if method not in METHODS:
        raise ArgumentError(one_of("method", method, METHODS))
    if axes is not None and method != "newton-euler":
        raise ArgumentError("--axes needs --method newton-euler")
    if speed and method != "kane":
        raise ArgumentError("--speed needs --method kane")
    if form == "pdf":
        _latex_program()  # before the work, not after it
    eom = _by(method, derived(m, symbols, limit), axes, speed or ())
    _write(eom, form, latex, out, None if digits == 0 else digits, full, json)
    return FINE


def _write(eom: Equations | Reading, form: str, latex: bool, out: Path | None, exact: int | None, full: bool, json: bool) -> None:
    """The equations to a file, as data, or to the terminal."""
    if out is not None and form in ("pdf", "md", "tex"):
        from lagrangian.cli.typeset import pdf_of

        pdf_of(eom, out, exact) if form == "pdf" else eom.save(out, exact, document=not latex)
        files = [str(out)]
    else:
        files = []
    if json:
        return output.document({**_data(eom, full), "files": files})
    if files:
        return output.wrote(out, "the equations", "" if form != "pdf" else f"open it with xdg-open {out}")
    text = _text(eom, form, exact, full)
    if out is not None:
        write(out, text + "\n")
        return output.wrote(out, "the equations")
    if form == "txt":
        return _titled(text, {section.title for section in eom.sections(full)})
    return output.source(text)


def _marked(eom: Equations, answer: Path, json: bool) -> int:
    """Each line right or wrong; exit code 1 unless all are right."""
    found = eom.check(answer)
    code = FINE if found.right else FAILED
    if json:
        lines = [
            {
                "line": mark.line,
                "name": mark.name,
                "right": mark.right,
                "difference": None if mark.difference is None else str(mark.difference),
                "hint": mark.hint,
            }
            for mark in found.marks
        ]
        output.document({"mechanism": eom.mechanism.name, "right": found.right, "lines": lines, "missing": found.missing})
        return code
    for mark in found.marks:
        output.plain(str(mark), "green" if mark.right else "red")
    for line in str(found).splitlines()[len(found.marks) :]:
        output.plain(line, "bold")
    return code


def _form(latex: bool, markdown: bool, pdf: bool, json: bool, out: Path | None) -> str:
    """What is written: by the option, or by the file's ending."""
    chosen = [name for name, asked in (("tex", latex), ("md", markdown), ("pdf", pdf)) if asked]
    if len(chosen) > 1 or (json and chosen and out is None):
        raise ArgumentError("--latex, --md, --pdf and --json exclude each other; -o FILE writes a file beside --json")
    if out is None:
        return chosen[0] if chosen else "txt"
    ending = out.suffix.lower().lstrip(".")
    if ending not in ("tex", "md", "pdf", "txt"):
        raise ArgumentError(f"{out}: equations are written to .tex, .md, .pdf or .txt files")
    if chosen and chosen[0] != ending:
        raise ArgumentError(f"{out} ends in .{ending}, which contradicts --{ {'tex': 'latex'}.get(chosen[0], chosen[0]) }")
    checked_target(out)
    return ending


def _latex_program() -> str:
    from lagrangian.cli.typeset import latex_program

    return latex_program()


def derived(m: Mechanism, symbols: str, limit: float) -> Equations:
    """The equations, with a bar while they take their time."""
    import lagrangian as lg

    with bar(f"deriving {m.name}") as shown:
        return lg.derive(m, symbols, limit=limit or None, progress=shown)


def _by(method: str, eom: Equations, axes: str | None, speeds: Sequence[str]) -> Equations | Reading:
    """The equations, or another derivation of them."""
    if method == "newton-euler":
        return eom.newton_euler(axes or "link")
    if method == "kane":
        return eom.kane(quantity.pairs(speeds, "--speed") if speeds else None)
    return eom


def _text(read: Equations | Reading, form: str, digits: int | None, full: bool) -> str:
    if form == "tex":
        return read.latex(digits, full)
    if form == "md":
        from lagrangian.closed_form.derivations.reading import Reading
        from lagrangian.closed_form.document import markdown

        return markdown(read.eom, digits, read.sections(full)) if isinstance(read, Reading) else markdown(read.readable, digits)
    return read.text(digits, full, min(_WIDEST, max(60, output.stdout().width)))


def _titled(text: str, titles: set[str]) -> None:
    """The text with its heading and the titles of its sections told apart by colour; on no terminal it is the text itself."""
    for k, line in enumerate(text.splitlines()):
        output.plain(line, "bold cyan" if k == 0 else "bold" if line in titles else "")


def _data(read: Equations | Reading, full: bool) -> dict[str, Any]:
    from lagrangian.closed_form.derivations.reading import Reading
    from lagrangian.equations.writing.text import latex, plain

    sections = read.sections(full)
    eom = read.eom if isinstance(read, Reading) else read
    notation = eom.notation if isinstance(read, Reading) else eom.readable.notation
    style, typeset = plain(notation), latex(notation)
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
                "formulas": [{"names": same, "text": str(f), "latex": f.latex()} for same, f in section.formulas],
                "lines": [
                    {"text": x.lines(style, _WIDEST), "latex": " ".join(x.aligned(typeset)).replace("&", "")}
                    for x in section.lines
                ],
            }
            for section in sections
        ],
        "notes": eom.notes,
    }


def prove(given: Described, symbols: Symbols = "given", limit: Limit = 600.0, json: Json = False) -> int:
    """Prove the equations of motion by independent derivations.

    Lagrange, Newton-Euler, Kane, Uicker-Kahn and the compiled algorithms must give exactly the same equations. The exit code is 1
    if they do not.
    """
    m = given.load()
    eom = derived(m, symbols, limit)
    with bar(f"proving {m.name}") as shown:
        certificate = eom.prove(shown)
    code = FINE if certificate.proved else FAILED
    if json:
        names = ("what", "how", "proved", "entries", "terms", "seconds", "differs", "problem")
        statements = [{name: getattr(s, name) for name in names} for s in certificate.statements]
        head = {"about": certificate.about, "proved": certificate.proved, "seconds": certificate.seconds}
        if m.equations:
            head["scope"] = ABOUT_LOOPS
        output.document({**head, "statements": statements, "left_out": certificate.left_out})
        return code
    from rich.text import Text

    console = output.stdout()
    console.print(Text(certificate.headline, style="bold green" if certificate.proved else "bold red"))
    if m.equations:
        output.plain(ABOUT_LOOPS, "yellow")
    rows = [(s.what, s.how, s.result, str(s.entries), str(s.terms or ""), f"{s.seconds:.3f} s") for s in certificate.statements]
    made = output.table(("statement", "how", "result", "entries", "terms", "time"), rows, right=(3, 4, 5), words=(0, 1))
    console.print(made)
    for s in certificate.failed:
        output.plain(f"{s.what}: {s.problem or '; '.join(s.differs[:3])}", "red")
    if certificate.left_out:
        output.plain("Not part of the proof:", "dim")
        for what in certificate.left_out:
            console.print(Text(f"  {what}", style="dim"))
    return code
