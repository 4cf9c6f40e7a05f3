"""The XML of an FMU: `modelDescription.xml`, and `buildDescription.xml` of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from lagrangian.exports.fmi.content import Content
from lagrangian.exports.fmi.units import BASE, UNITS
from lagrangian.exports.fmi.variables import Variable
from lagrangian.visible import visible

ROWS = 1000  # steps in which the default experiment is made
TOLERANCE = 1e-8
CATEGORIES = {
    "logStatusWarning": "what an importer may have overlooked",
    "logStatusDiscard": "steps and states that were not taken",
    "logStatusError": "what went wrong",
}


def model_description(content: Content, token: str) -> str:
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
    _units(root, variables.all)
    logged = _element(root, "LogCategories")
    for name, told in CATEGORIES.items():
        _element(logged, "Category", name=name, description=told)
    start, stop = content.span
    step = (stop - start) / ROWS
    _element(
        root, "DefaultExperiment", startTime=repr(start), stopTime=repr(stop), tolerance=repr(TOLERANCE), stepSize=repr(step)
    )
    _variables(root, content)
    _structure(root, content)
    return _text(root)


def build_description(content: Content, files: Iterable[str]) -> str:
    root = _element(None, "fmiBuildDescription", fmiVersion="3.0")
    configuration = _element(root, "BuildConfiguration", modelIdentifier=content.identifier)
    sources = _element(configuration, "SourceFileSet", language="C99")
    for name in files:
        _element(sources, "SourceFile", name=name)
    return _text(root)


def _units(root: ET.Element, variables: list[Variable]) -> None:
    units = _element(root, "UnitDefinitions")
    for name in sorted({x.unit for x in variables} - {""}):
        exponents = zip(BASE, UNITS[name], strict=True)
        _element(_element(units, "Unit", name=name), "BaseUnit", **{base: str(k) for base, k in exponents if k})


def _variables(root: ET.Element, content: Content) -> None:
    variables, states = content.variables, content.variables.first("states")
    kinds = {
        "parameters": {"causality": "parameter", "variability": "tunable"},
        "inputs": {"causality": "input"},
        "states": {"causality": "output", "initial": "exact", **({"reinit": "true"} if content.projected else {})},
        "derivatives": {"causality": "local"},
        "outputs": {"causality": "output"},
    }
    every = _element(root, "ModelVariables")
    _variable(every, variables.time, 0, causality="independent")
    for group, kind in kinds.items():
        first = variables.first(group)
        for k, x in enumerate(getattr(variables, group)):
            of = {"derivative": str(states + k)} if group == "derivatives" else {}
            _variable(every, x, first + k, **kind, **of)


def _variable(parent: ET.Element, x: Variable, place: int, **attributes: str) -> None:
    if x.unit:
        attributes["unit"] = x.unit
    if x.start is not None:
        attributes["start"] = repr(x.start)
    _element(parent, "Float64", name=x.name, valueReference=str(place), description=x.about, **attributes)


def _structure(root: ET.Element, content: Content) -> None:
    """What depends on what: an importer finds algebraic loops by it."""
    variables = content.variables
    structure = _element(root, "ModelStructure")

    def unknowns(kind: str, group: str) -> None:
        for place, x in enumerate(getattr(variables, group), variables.first(group)):
            needs = [place] if x.start is not None else variables.references({*x.needs, "parameters"})
            _element(structure, kind, valueReference=str(place), dependencies=" ".join(map(str, needs)))

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
    return re.sub("[\ufffe\uffff]", "?", visible(text))


def _text(root: ET.Element) -> str:
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
