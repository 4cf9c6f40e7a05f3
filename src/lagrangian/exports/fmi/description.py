"""The XML of an FMU: `modelDescription.xml`, and `buildDescription.xml` of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from xml.etree import ElementTree as ET

from lagrangian.errors import make_visible
from lagrangian.exports.fmi.content import FmuModel
from lagrangian.exports.fmi.variables import BASE, GROUPS, UNITS, FmuVariable

ROWS = 1000  # steps in which the default experiment is made
TOLERANCE = 1e-8
CATEGORIES = {
    "logStatusWarning": "what an importer may have overlooked",
    "logStatusDiscard": "steps and states that were not taken",
    "logStatusError": "what went wrong",
}


def model_description(content: FmuModel, token: str) -> str:
    mechanism, variables = content.mechanism, content.variables
    about = mechanism.description or f"Dynamics of the mechanism {mechanism.name}."
    beside = ", beside the torques that the description gives" if mechanism.initial.torque else ""
    about += f" Inputs are forces of the actuated joints{beside}." if variables.inputs else ""
    root = _element(
        None,
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=mechanism.name,
        instantiationToken=token,
        description=about,
        generationTool="lagrangian",
        variableNamingConvention="structured",
    )
    states = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    _element(root, "ModelExchange", modelIdentifier=content.identifier, **states)
    _element(root, "CoSimulation", modelIdentifier=content.identifier, **states, canHandleVariableCommunicationStepSize="true")
    _units(root, variables.all_variables)
    log_categories = _element(root, "LogCategories")
    for name, description in CATEGORIES.items():
        _element(log_categories, "Category", name=name, description=description)
    start, stop = content.span
    step = (stop - start) / ROWS
    _element(
        root, "DefaultExperiment", startTime=repr(start), stopTime=repr(stop), tolerance=repr(TOLERANCE), stepSize=repr(step)
    )
    _variables(root, content)
    _structure(root, content)
    return _xml_text(root)


def build_description(content: FmuModel, files: Iterable[str]) -> str:
    root = _element(None, "fmiBuildDescription", fmiVersion="3.0")
    configuration = _element(root, "BuildConfiguration", modelIdentifier=content.identifier)
    sources = _element(configuration, "SourceFileSet", language="C99")
    for name in files:
        _element(sources, "SourceFile", name=name)
    return _xml_text(root)


def _units(root: ET.Element, variables: list[FmuVariable]) -> None:
    units = _element(root, "UnitDefinitions")
    for name in sorted({x.unit for x in variables} - {""}):
        exponents = zip(BASE, UNITS[name], strict=True)
        _element(_element(units, "Unit", name=name), "BaseUnit", **{base: str(k) for base, k in exponents if k})


def _variables(root: ET.Element, content: FmuModel) -> None:
    variables, states = content.variables, content.variables.first_reference("states")
    kinds = {
        "parameters": {"causality": "parameter", "variability": "tunable"},
        "inputs": {"causality": "input"},
        "states": {"causality": "output", "initial": "exact", **({"reinit": "true"} if content.needs_projection else {})},
        "derivatives": {"causality": "local"},
        "outputs": {"causality": "output"},
    }
    model_variables = _element(root, "ModelVariables")
    _variable(model_variables, variables.time, 0, causality="independent")
    for group, kind in kinds.items():
        first = variables.first_reference(group)
        for k, x in enumerate(getattr(variables, group)):
            derivative = {"derivative": str(states + k)} if group == "derivatives" else {}
            _variable(model_variables, x, first + k, **kind, **derivative)


def _variable(parent: ET.Element, x: FmuVariable, place: int, **attributes: str) -> None:
    if x.unit:
        attributes["unit"] = x.unit
    if x.start is not None:
        attributes["start"] = repr(x.start)
    _element(parent, "Float64", name=x.name, valueReference=str(place), description=x.about, **attributes)


def _structure(root: ET.Element, content: FmuModel) -> None:
    """What depends on what: an importer finds algebraic loops by it."""
    variables = content.variables
    structure = _element(root, "ModelStructure")

    def unknowns(kind: str, group: str) -> None:
        for place, x in enumerate(getattr(variables, group), variables.first_reference(group)):
            dependencies = [place] if x.start is not None else variables.references({*x.dependencies, "parameters"})
            _element(structure, kind, valueReference=str(place), dependencies=" ".join(map(str, dependencies)))

    unknowns("Output", "states")
    unknowns("Output", "outputs")
    unknowns("ContinuousStateDerivative", "derivatives")
    unknowns("InitialUnknown", "derivatives")
    unknowns("InitialUnknown", "outputs")


def _element(parent: ET.Element | None, tag: str, **attributes: str) -> ET.Element:
    plain = {name: _legal(text) for name, text in attributes.items()}
    return ET.Element(tag, plain) if parent is None else ET.SubElement(parent, tag, plain)


def _legal(text: str) -> str:
    """A text that XML can hold: what is not seen is spelled."""
    return re.sub("[\ufffe\uffff]", "?", make_visible(text))


def _xml_text(root: ET.Element) -> str:
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


# MERGED lagrangian.exports.fmi.page: The documentation of an FMU: what the model is, its variables, and what is to be said of
# it.

STYLE = "body { font-family: sans-serif; max-width: 60em; margin: 2em auto; } td, th { text-align: left; padding-right: 1.5em; }"


def page(content: FmuModel) -> str:
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
