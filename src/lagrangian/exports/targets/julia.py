"""Julia: a module without dependencies, and a test with reference values."""

from __future__ import annotations

from lagrangian.exports import evaluate
from lagrangian.exports.languages.julia import KEYWORDS, Julia
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.routine import Package, Routine
from lagrangian.exports.targets import sources
from lagrangian.exports.targets.cases import TOLERANCE, cases
from lagrangian.exports.targets.sources import comment, shape_of
from lagrangian.exports.targets.target import Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

TAKEN = (*KEYWORDS, "parameters", "prepare", "DEFAULT_CONSTANTS", "eval", "include")
MODULES = (
    "Base Core Main Any Array Bool Char Complex Dict Float64 Function Int Matrix Module Number Pair Real Ref Set String Symbol"
    " Task Test Tuple Type Union Vector"
)

NUMBER = """\
# the type of numbers that results of some arguments have
_number(given...) = float(promote_type(map(eltype, given)...))
"""

COMPARE = """\
# whether entries at some places, counted row by row, are those that are expected; without places, all are compared
function compare(name, found, places, expected)
    entries = found isa Number ? [found] : ndims(found) == 1 ? found : vec(permutedims(found))
    entries = isempty(places) ? entries : entries[places]
    miss = maximum(abs.(entries .- expected); init = 0.0)
    largest = maximum(abs.(expected); init = 1.0)
    right = length(entries) == length(expected) && miss <= TOLERANCE * largest
    println(rpad(name, 40), right ? " ok" : " WRONG", ", off by ", miss, " of ", largest)
    return right
end
"""


class JuliaSource(Target):
    name = "julia"
    about = "a Julia module without dependencies"

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        made = Sources(mechanism, self.package(mechanism, wish))
        return Product({f"{made.name}.jl": made.module(), "test.jl": made.test()}, notes=made.notes)


class Sources(sources.Sources):
    """The texts of the files for one package; modules are written in capitals: two_r is TwoR."""

    language: Julia

    def __init__(self, mechanism: Mechanism, package: Package) -> None:
        plain = spelled(package.name) or "mechanism"
        name = Names((*MODULES.split(), "X")).legal("".join(f"{word[:1].upper()}{word[1:]}" for word in plain.split("_")))
        super().__init__(mechanism, package, name, Names(TAKEN), Names(KEYWORDS))
        self.language = Julia(bool(self.constants), self.fields)

    def module(self) -> str:
        told = self.introduction(
            "Functions whose names end in ! fill the arrays that are given first; those of the same name without ! make them.",
            "Numbers may be of any type, such as the dual numbers of ForwardDiff. Six-vectors are angular first.",
        )
        lines = [*_docstring([line for text in told for line in (*comment(text, ""), "")][:-1]), f"module {self.name}", ""]
        if self.constants:
            number = self.language.number
            lines += ["# the numbers that may be changed: prepare(merge(parameters, (name = value,)))", "const parameters = ("]
            lines += [f"    {field} = {number(p.value)}, # {sources.told(p.name)}" for field, p in self.parameters()]
            lines += [")", "", '"""', "    prepare(p = parameters)", ""]
            lines += ["The constants that the functions read, for some parameters.", '"""']
            lines += [*self.code(self.preparation()), "", "const DEFAULT_CONSTANTS = prepare()", ""]
        lines += [*NUMBER.splitlines(), ""]
        for routine in self.package.routines:
            self.language.tables.clear()
            code = self.code(routine)
            first = next(k for k, line in enumerate(code) if line.startswith(f"function {routine.name}!("))
            lines += [*self.language.tables, *code[:first], *self._about(routine), *code[first:], "", *self._allocating(routine)]
        return _text([*lines, f"end # module {self.name}"])

    def _about(self, routine: Routine) -> list[str]:
        inputs, outputs = ([x.name for x in each] for each in (routine.inputs, routine.outputs))
        more = ["constants"] if self.constants else []
        lines = [
            f"    {routine.name}!({', '.join([*outputs, *inputs, *more])})",
            f"    {routine.name}({', '.join([*inputs, *more])})",
            "",
            *comment(routine.about, ""),
            "",
        ]
        for x in (*routine.inputs, *routine.outputs):
            shape = "a number, which is given as a Ref" if x.output and x.shape == () else shape_of(x)
            lines += comment(f"- `{x.name}` ({shape}): {x.about}", "", hanging=2)
        return _docstring([*lines, "", f"Cost: {self.cost(routine)}."])

    def _allocating(self, routine: Routine) -> list[str]:
        """The function that makes the arrays of its results."""
        inputs, outputs = ([x.name for x in each] for each in (routine.inputs, routine.outputs))
        passed = [*inputs, *(["constants"] if self.constants else [])]
        given = [*inputs, *(["constants = DEFAULT_CONSTANTS"] if self.constants else [])]
        made = [
            f"    {x.name} = " + (f"zeros(number, {', '.join(map(str, x.shape))})" if x.shape else "Ref(zero(number))")
            for x in routine.outputs
        ]
        return [
            f"function {routine.name}({', '.join(given)})",
            f"    number = _number({', '.join(passed)})",
            *made,
            f"    {routine.name}!({', '.join([*outputs, *passed])})",
            f"    return {', '.join(x.name if x.shape else f'{x.name}[]' for x in routine.outputs)}",
            "end",
            "",
        ]

    # -- the test ------------------------------------------------------------------------------------------------------

    def test(self) -> str:
        name = self.name
        lines = [
            "# Compares the functions with reference values: prints the error of each, and fails if an error is too large.",
            f'include(joinpath(@__DIR__, "{name}.jl"))',
            "",
            *COMPARE.replace("TOLERANCE", repr(TOLERANCE[64])).splitlines(),
            "",
            "function main()",
            "    right = true",
        ]
        if self.constants:
            lines += self._listed("expected", evaluate.constants(self.package))
            lines.append(f'    right &= compare("prepare", {name}.prepare(), Int[], expected)')
        written: set[str] = set()
        for case in cases(self.mechanism, self.package):
            routine = case.routine
            for given, values in case.given.items():
                array = f"state{case.state}_{given}"
                if array not in written:
                    lines += self._listed(array, values)
                    written.add(array)
            arguments = [f"state{case.state}_{x.name}{'[1]' if x.shape == () else ''}" for x in routine.inputs]
            lines.append(f"    found = {name}.{routine.name}({', '.join(arguments)})")
            for k, each in enumerate(case.expected):
                found = f"found[{k + 1}]" if len(case.expected) > 1 else "found"
                lines += self._listed("expected", each.values)
                places = "Int[]"
                if not each.whole:
                    places = "places"
                    lines += self._listed(places, [p + 1 for p in each.places])
                lines.append(f'    right &= compare("{routine.name} {each.output.name}", {found}, {places}, expected)')
        return _text([*lines, '    right || error("some values are off")', "end", "", "main()"])

    def _listed(self, name: str, values: list[float] | list[int]) -> list[str]:
        whole = bool(values) and isinstance(values[0], int)
        texts = [str(x) if whole else self.language.number(x) for x in values]
        kind = "Int" if whole else "Float64"
        return [f'    {name} = parse.({kind}, split("""', *wrapped(texts, "        ", comma=" "), '    """))']


def _docstring(lines: list[str]) -> list[str]:
    return ['"""', *(line.replace("\\", "\\\\").replace("$", "\\$").replace('"""', "'''") for line in lines), '"""']


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


TARGET = JuliaSource()
