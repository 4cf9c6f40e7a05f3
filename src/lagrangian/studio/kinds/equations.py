"""The job `equations`: the equations of motion, section by section, typeset for the page and as LaTeX to copy."""

from __future__ import annotations

import time
from typing import Any

from lagrangian.closed_form.definitions import definitions, parameter_values
from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import Equations
from lagrangian.closed_form.latex import block, coordinates, equation
from lagrangian.closed_form.sections import Section, equation_of_motion, formulas_of, has_entries
from lagrangian.equations.writing import mathml, text
from lagrangian.equations.writing.mathml import MathML
from lagrangian.errors import ArgumentError, one_of
from lagrangian.report import typeset
from lagrangian.report.html import Html, element, number
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.options import number as in_range

DIGITS = 6
LIMIT = 60.0  # s that a derivation may be forecast to take, unless the page says otherwise
COORDINATES = 40  # of more, nobody reads the matrices
ENTRY = 300  # terms of an entry that is typeset; of a longer one there is the LaTeX
COPIED = 30_000  # terms of a section that is given as LaTeX
FORMS = ("given", "inertial", "all")
TITLES = {  # of sections whose own title has a formula that a line of text spells poorly
    "christoffel": "Christoffel symbols (not zero)",
    "C": "Coriolis matrix C",
    "G": "G = ∂V/∂q from gravity and springs",
    "closure": "Loop closure η(q) = 0",
    "Psi": "Constraint matrix Ψ",
    "Psi_dot": "Rate Ψ̇ of the constraint matrix",
    "energies": "Energies and the Lagrangian L = K − V",
}


def equations(asked: Asked) -> dict[str, Any]:
    m, options, started = asked.model.read, asked.options, time.perf_counter()
    form = options.get("form") or "given"
    form = "given" if form == "full" else form
    if form not in FORMS:
        raise ArgumentError(one_of("form", form, FORMS))
    if not m.nv:
        raise ArgumentError("nothing moves in this mechanism, so it has no equations of motion", remedy="add a joint that moves")
    if m.nv > COORDINATES:
        raise ArgumentError(
            f"the equations of {m.nv} coordinates are too long to read",
            remedy="motions and studies do not need them; `lagrangian derive` writes them",
        )
    asked.progress(0, 3, "deriving")
    eom = derive(
        m,
        form,
        limit=in_range(options, "limit", LIMIT, 1.0, 36000.0),
        progress=lambda done, total: asked.progress(done, total, "deriving"),
    ).readable
    written = Written(eom)
    parts = [written.head()]
    asked.partial({"part": parts[0]})
    wanted = options.get("of") or None
    sections = [s for s in eom.sections(bool(options.get("full"))) if not wanted or s.key in wanted]
    for k, section in enumerate(sections):
        asked.progress(k, len(sections), "writing")
        parts.append(written.part(section))
        asked.partial({"part": parts[-1]})
    parts += written.where(sections)
    seconds = time.perf_counter() - started
    terms = sum(x.terms for x in formulas_of(sections))
    return {
        "parts": parts,
        "latex": "\n\n".join(f"% {p['title']}\n{p['latex']}" for p in parts if p["latex"]),
        "digest": f"{_count(eom.n, 'coordinate')}, {_count(len(eom.constraint_names), 'constraint equation')}, "
        f"{terms} terms, derived in {seconds:.2g} s",
        "notes": list(eom.notes),
        "time": seconds,
    }


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


class Written:
    """The sections of equations as fragments of HTML with MathML, as LaTeX and as text."""

    def __init__(self, eom: Equations) -> None:
        self.eom, self.rounding = eom, text.Rounding(DIGITS)
        self.style = MathML(eom.notation, self.rounding)
        self.latex = text.latex(eom.notation, self.rounding)
        self.plain = text.unicode(eom.notation, self.rounding)

    def head(self) -> dict[str, Any]:
        eom = self.eom
        lines = [typeset.of_motion(has_entries(eom.F), bool(eom.constraint_names)), typeset.coordinates(eom)]
        latex = rf"\[ {equation(eom)}, \qquad {coordinates(eom)} \]"
        names = "" if eom.notation.own_names else ", ".join(f"q{k} = {x}" for k, x in enumerate(eom.coordinates, 1))
        found = _part("motion", "Equation of motion", typeset.lines(*lines), latex, equation_of_motion(eom))
        return {**found, "words": [names] if names else []}

    def part(self, section: Section) -> dict[str, Any]:
        shown = tuple((same, x) for same, x in section.formulas if x.terms <= ENTRY)
        words = list(section.words)
        for same, x in section.formulas:
            if x.terms > ENTRY:
                words.append(f"{same[0]} has {x.terms} terms: too long to show here; the copied LaTeX contains it.")
        html = typeset.formulas(shown, self.style) if shown else Html("")
        if section.lines and sum(x.terms for line in section.lines for x in line.formulas) <= 4 * ENTRY:
            html = Html(html + typeset.rows(section.lines, self.style))  # type: ignore[arg-type]
        if section.key == "multipliers" and section.typeset:
            moving = any(str(phi) != "0" for phi in self.eom.phi)
            html = Html(html + typeset.lines(*typeset.of_multipliers(moving)))
            words = [f"Row by row: {', '.join(self.eom.constraint_names[:40])}."]
        none = section.key == "christoffel" and not section.heading.formula  # all of them are zero, and its own title fits
        title = str(section.heading) if none else TITLES.get(section.key, str(section.heading))
        return {**_part(section.key, title, html, self._copied(section), self._read(section)), "words": words}

    def _copied(self, section: Section) -> str:
        if section.typeset:
            return "\n".join(rf"\[ {line} \]" for line in section.typeset)
        if not section.formulas and not section.lines:
            return ""
        if sum(x.terms for x in formulas_of([section])) > COPIED:
            return "% too long to copy: lagrangian derive FILE --latex --full writes it"
        return block(section, self.latex)

    def _read(self, section: Section) -> str:
        lines = [f"{' = '.join(same)} = {x.written(self.plain)}" for same, x in section.formulas if x.terms <= ENTRY]
        for line in section.lines:
            if sum(x.terms for x in line.formulas) <= ENTRY:
                lines += line.lines(self.plain, 100)
        return "\n".join([*section.words, *lines])

    def where(self, sections: list[Section]) -> list[dict[str, Any]]:
        """What names stand for, and the values of parameters."""
        eom, notation, found = self.eom, self.eom.notation, []
        met = definitions(eom, [x for x in formulas_of(sections) if x.terms <= ENTRY])
        if met:
            html = element("div", *(typeset.definition(x, self.style) for x in met), class_="pairs")
            rows = [f"{notation.latex(x.name)} &= {x.latex}" for x in met if x.is_formula]
            latex = "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}" if rows else ""
            told = "\n".join(f"{notation.unicode(x.name)} = {x.meaning}" for x in met)
            found.append(_part("where", "where", html, latex, told))
        values = parameter_values(eom)
        if values:
            pairs = [typeset.pair(mathml.name(name), number(x, 6)) for name, x in values]
            told = "\n".join(f"{name} = {x:g}" for name, x in values)
            found.append(_part("values", "Values", element("div", *pairs, class_="pairs"), "", told))
        return found


def _part(key: str, title: str, html: str, latex: str, told: str) -> dict[str, Any]:
    return {"key": key, "title": title, "mathml": str(html), "latex": latex, "text": told, "words": []}
