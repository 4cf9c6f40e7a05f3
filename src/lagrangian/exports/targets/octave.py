"""MATLAB and Octave: a package folder with one function a file, and a test script."""

from __future__ import annotations

from lagrangian.exports import evaluate
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.languages.octave import CHOOSE, KEYWORDS, LONGEST, Octave
from lagrangian.exports.routine import Argument, Package, Routine
from lagrangian.exports.targets import sources
from lagrangian.exports.targets.cases import TOLERANCE, cases
from lagrangian.exports.targets.sources import comment
from lagrangian.exports.targets.target import Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

TAKEN = (*KEYWORDS, "parameters", "prepare", "default_constants", "Contents")

COMPARE = """\
function right = compare(name, found, places, expected)
    %COMPARE Whether entries at some places, counted row by row, are those that are expected; without places, all are.
    entries = reshape(found.', [], 1);
    if ~isempty(places)
        entries = entries(places);
    end
    miss = max([0; abs(entries - expected)]);
    largest = max([1; abs(expected)]);
    right = all(isfinite(entries)) && miss <= TOLERANCE*largest;
    if right
        fprintf('%-40s ok, off by %.1e of %.3g\\n', name, miss, largest);
    else
        fprintf('%-40s WRONG, off by %.1e of %.3g\\n', name, miss, largest);
    end
end
"""


class OctaveSource(Target):
    name = "octave"
    about = "a package folder of functions for MATLAB and Octave"

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        made = Sources(mechanism, self.package(mechanism, wish))
        return Product(made.files(), notes=made.notes)


class Sources(sources.Sources):
    """The texts of the files for one package. Some file systems do not tell names apart by case."""

    language: Octave

    def __init__(self, mechanism: Mechanism, package: Package) -> None:
        variables = {x.name for routine in package.routines for x in (*routine.inputs, *routine.outputs)} | {"k", "p"}
        modules = Names(KEYWORDS | variables, longest=LONGEST - len("_test"))
        name = modules.legal(spelled(package.name) or "mechanism")
        names = Names(TAKEN, folded=True, longest=LONGEST - len("_part00"))
        super().__init__(mechanism, package, name, names, Names(KEYWORDS, longest=LONGEST))
        routines = (*self.package.routines, self.preparation())
        self.language = Octave(name, bool(self.constants), self.fields, {r.name: self._about(r) for r in routines})

    def files(self) -> dict[str, str]:
        found = {"Contents.m": self._contents()}
        if self.constants:
            found["parameters.m"] = self._parameters()
            found["prepare.m"] = self._function(self.preparation())
            found["default_constants.m"] = self._default_constants()
        found |= {f"{routine.name}.m": self._function(routine) for routine in self.package.routines}
        return {**{f"+{self.name}/{name}": text for name, text in found.items()}, f"{self.name}_test.m": self._test()}

    def _function(self, routine: Routine) -> str:
        """A file; its first function is the one that can be called from outside."""
        lines = self.code(routine)
        first = next(k for k, line in enumerate(lines) if line.startswith("function") and f" {routine.name}(" in line)
        lines = [*lines[first:], *(["", *lines[:first]] if first else [])]
        if any("choose(" in line for line in lines):
            lines += ["", *CHOOSE.splitlines()]
        return _text(lines)

    # -- what is said --------------------------------------------------------------------------------------------------

    def _contents(self) -> str:
        told = self.introduction(
            f"Put the folder that has +{self.name} on the path, and call {self.name}.{self.package.routines[0].name}(...).",
            "Vectors are columns. Six-vectors are angular first.",
        )
        lines = [line for text in told for line in comment(text, "% ", hanging=2)]
        lines += ["%", "% Functions:"]
        for routine in self.package.routines:
            lines += comment(f"{routine.name} - {routine.about}", "%   ", hanging=2)
        if self.constants:
            lines += ["%   parameters - The numbers that may be changed.", "%   prepare - The constants for some parameters."]
        return _text(lines)

    def _about(self, routine: Routine) -> list[str]:
        title, name = routine.name.upper(), self.name
        if routine.name == "prepare":
            return [
                f"%{title} The constants that the functions read, for some parameters.",
                f"%   p = {name}.parameters(); change fields of p; constants = {name}.prepare(p).",
            ]
        outputs = ", ".join(x.name for x in routine.outputs)
        outputs = f"[{outputs}]" if len(routine.outputs) > 1 else outputs
        given = ", ".join(x.name for x in routine.inputs)
        lines = [f"%{title} {routine.about}", f"%   {outputs} = {name}.{routine.name}({given})"]
        if self.constants:
            lines.append(f"%   {outputs} = {name}.{routine.name}({given}, constants), with what {name}.prepare gives")
        for x in (*routine.inputs, *routine.outputs):
            lines += comment(f"{x.name} ({_shape(x)}): {x.about}", "%   ", hanging=2)
        return [*lines, f"%   Cost: {self.cost(routine)}."]

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _parameters(self) -> str:
        lines = ["function p = parameters()", "    %PARAMETERS The numbers that may be changed, with their default values."]
        for field, p in self.parameters():
            lines.append(f"    p.{field} = {self.language.number(p.value)}; % {sources.told(p.name)}")
        return _text([*lines, "end"])

    def _default_constants(self) -> str:
        values = wrapped([self.language.number(x) for x in evaluate.constants(self.package)], "    ", comma="; ")
        told = "    %DEFAULT_CONSTANTS What prepare gives for the default parameters."
        return _text(["function k = default_constants()", told, *self.language.column("k", values), "end"])

    # -- the test ------------------------------------------------------------------------------------------------------

    def _test(self) -> str:
        name = self.name
        lines = [
            f"function {name}_test()",
            f"    %{name.upper()}_TEST Compares the functions with reference values; it ends with an error where one is off.",
            "    right = true;",
        ]
        if self.constants:
            lines += [f"    k = {name}.default_constants();"]
            lines += [f"    right = compare('prepare', {name}.prepare({name}.parameters()), [], k) && right;"]
        written: set[tuple[str, int]] = set()
        for case in cases(self.mechanism, self.package):
            routine = case.routine
            for given, values in case.given.items():
                if (given, case.state) not in written:
                    lines += self._listed(f"state{case.state}_{given}", values)
                    written.add((given, case.state))
            arguments = ", ".join(f"state{case.state}_{x.name}" for x in routine.inputs)
            outputs = ", ".join(x.name for x in routine.outputs)
            lines.append(f"    [{outputs}] = {name}.{routine.name}({arguments});")
            for each in case.expected:
                lines += self._listed("expected", each.values)
                places = "[]"
                if not each.whole:
                    places = "places"
                    lines += self._listed(places, [k + 1 for k in each.places])
                told = f"'{routine.name} {each.output.name}'"
                lines.append(f"    right = compare({told}, {each.output.name}, {places}, expected) && right;")
        lines += ["    if ~right", f"        error('{name}_test: some values are off');", "    end", "end", ""]
        return _text([*lines, *COMPARE.replace("TOLERANCE", repr(TOLERANCE[64])).splitlines()])

    def _listed(self, name: str, values: list[float] | list[int]) -> list[str]:
        texts = [str(x) if isinstance(x, int) else self.language.number(x) for x in values]
        return self.language.column(name, wrapped(texts, "    ", comma="; "))


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _shape(argument: Argument) -> str:
    return f"{argument.size} x 1" if len(argument.shape) == 1 else sources.shape_of(argument)


TARGET = OctaveSource()
