"""The XML of an FMU: `modelDescription.xml`, and `buildDescription.xml` of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from lagrangian.errors import make_visible
from lagrangian.exports.fmi.content import FmuModel
from lagrangian.exports.fmi.variables import BASE_UNITS, UNITS, FmuVariable

ROWS = 1000  # steps in which the default experiment is made
TOLERANCE = 1e-8
CATEGORIES = {
    "logStatusWarning": "what an importer may have overlooked",
    "logStatusDiscard": "steps and states that were not taken",
    "logStatusError": "what went wrong",
}


def model_description(content: FmuModel, token: str) -> str:
    """The text of `modelDescription.xml`."""
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
    """The text of `buildDescription.xml`."""
    root = _element(None, "fmiBuildDescription", fmiVersion="3.0")
    configuration = _element(root, "BuildConfiguration", modelIdentifier=content.identifier)
    sources = _element(configuration, "SourceFileSet", language="C99")
    for name in files:
        _element(sources, "SourceFile", name=name)
    return _xml_text(root)


def _units(root: ET.Element, variables: list[FmuVariable]) -> None:
    units = _element(root, "UnitDefinitions")
    for name in sorted({x.unit for x in variables} - {""}):
        exponents = zip(BASE_UNITS, UNITS[name], strict=True)
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
    """Add which variables each variable depends on: an importer finds algebraic loops by it."""
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
    """A text that XML can hold: characters that are not visible are spelled."""
    return re.sub("[\ufffe\uffff]", "?", make_visible(text))


def _xml_text(root: ET.Element) -> str:
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
