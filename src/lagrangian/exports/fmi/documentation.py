"""The documentation of an FMU, as a page of HTML: what the model is, its variables, and notes on them."""

from __future__ import annotations

from html import escape

from lagrangian.errors import make_visible
from lagrangian.exports.fmi.content import FmuModel
from lagrangian.exports.fmi.variables import GROUPS

STYLE = "body { font-family: sans-serif; max-width: 60em; margin: 2em auto; } td, th { text-align: left; padding-right: 1.5em; }"


def documentation_page(content: FmuModel) -> str:
    """The text of the page."""
    mechanism, variables = content.mechanism, content.variables
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{_text(mechanism.name)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{_text(mechanism.name)}</h1>",
        *(f"<p>{_text(x)}</p>" for x in (mechanism.description, mechanism.source) if x),
        *(f"<p>{_text(x)}</p>" for x in _paragraphs(content)),
    ]
    if content.notes:
        lines += ["<h2>Notes</h2>", "<ul>", *(f"<li>{_text(note)}</li>" for note in content.notes), "</ul>"]
    for group in GROUPS:
        rows = getattr(variables, group)
        if rows:
            lines += [f"<h2>{group.capitalize()}</h2>", "<table>", "<tr><th>name<th>unit<th>start<th>what it is</tr>"]
            for x in rows:
                start = "" if x.start is None else f"{x.start:.6g}"
                lines.append(f"<tr><td>{_text(x.name)}<td>{_text(x.unit)}<td>{start}<td>{_text(x.about)}</tr>")
            lines.append("</table>")
    return "\n".join([*lines, "</body></html>", ""])


def _paragraphs(content: FmuModel) -> list[str]:
    paragraphs = [
        "The FMU has the equations of motion of this mechanism, in SI units and radians. The inputs are forces of its actuated "
        "joints. Where the description gives torques of its own, these act as well, so that with all inputs at zero the motion "
        "is that of the description.",
        "In Co-Simulation the FMU makes steps of equal length by the classical Runge-Kutta method, each at most largest_step "
        "long, as many as fill a communication step. A step for which the motion is so fast that the method would be unstable is "
        "divided. Inputs are held during a communication step.",
        "A parameter that is changed takes effect at once: in Event Mode, or between two communication steps. Start values do "
        "not follow parameters.",
    ]
    if content.needs_projection:
        paragraphs.append(
            "Constraints, and the length of quaternions, are kept: by a projection after every step of Co-Simulation; in Model "
            "Exchange by a term in the derivatives, stabilisation times the way to the nearest state that keeps them, which is "
            "zero on them. States that are set after the start, or that a parameter changed then takes off the constraints, are "
            "moved to the nearest ones that keep them."
        )
    if content.mechanism.equation_count:
        paragraphs.append(
            "Coordinates and speeds whose start values are set keep these values. The others follow so that loops are closed, "
            "in the assembly of the description. Where none is set and a parameter is, the coordinates of actuated joints stay. "
            "A start that cannot be reached without opening a loop is refused, and the message names the constraint. To choose "
            "another assembly, set all coordinates. A coordinate that is set to its start value in the description moves where "
            "others leave no choice, since some tools set all start values. Speeds that cannot be kept are replaced by the "
            "nearest that can; both are logged as warnings."
        )
    paragraphs.append(
        "The sources are C99 without any other library. Where several FMUs are linked into one program, define "
        f"FMI3_FUNCTION_PREFIX as {content.identifier}_ when they are compiled."
    )
    return paragraphs


def _text(text: str) -> str:
    return escape(make_visible(text))
