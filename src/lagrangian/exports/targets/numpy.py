"""Python with NumPy: one module, whose functions take one state or arrays of states."""

from __future__ import annotations

import sys

from lagrangian.exports import evaluate
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.languages.numpy import KEYWORDS, NumPy, quoted
from lagrangian.exports.routine import Argument, Package, Routine
from lagrangian.exports.targets import sources
from lagrangian.exports.targets.cases import TOLERANCE, Expected, cases
from lagrangian.exports.targets.target import Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

TAKEN = (*KEYWORDS, "parameters", "prepare", "DEFAULT_CONSTANTS")

HELPERS = '''\
def _entries(x):
    """The entries of the last axis of an array, each an array over the states."""
    return list(np.ascontiguousarray(np.moveaxis(x, -1, 0)))


def _given(*arguments):
    """The leading shape that arguments have together, and the entries of each; a number, which has no size, as it is."""
    shapes, found = [], []
    for name, x, size in arguments:
        x = np.asarray(x, dtype=float)
        if size is not None and x.shape[-1:] != (size,):
            raise ValueError(f"{name} has the shape {x.shape}; its last axis must have {size} entries")
        shapes.append(x.shape if size is None else x.shape[:-1])
        found.append(x if size is None else _entries(x))
    return np.broadcast_shapes(*shapes), *found


def _array(entries, shape, own):
    """Entries that are arrays over the states, or numbers, as one array whose last axes have the shape `own`."""
    result = np.empty((*shape, len(entries)))
    for i, x in enumerate(entries):
        result[..., i] = x
    return result.reshape((*shape, *own))[()]
'''

KNOWN = '''\
def _known(given):
    """All parameters: those that are given, and the defaults of the others."""
    unknown = [name for name in given if name not in parameters]
    if unknown:
        raise KeyError(f"there is no parameter {unknown[0]!r}; those that exist are {', '.join(parameters)}")
    return {**parameters, **given}
'''

CHECK = """\
    right = True

    def compare(name, found, places, expected):
        nonlocal right
        found = np.reshape(found, expected.shape if places is None else (len(expected), -1))
        miss = np.abs((found if places is None else found[:, places]) - expected).max(initial=0.0)
        size = np.abs(expected).max(initial=1.0)
        agrees = bool(miss <= TOLERANCE * size)
        right = right and agrees
        print(f"{name:40} {'ok' if agrees else 'WRONG'}, off by {miss:.1e} of {size:.3g}")
"""

# all functions at several states at once, and at the first of them alone
CALLS = """\
    for function, given, outputs in cases:
        given = [states[name] for name in given]
        found, first = function(*given), function(*(x[0] for x in given))
        if len(outputs) == 1:
            found, first = [found], [first]
        for k, (name, places, expected) in enumerate(outputs):
            expected = np.array(expected)
            compare(f"{function.__name__} {name}", found[k], places, expected)
            compare(f"{function.__name__} {name}, one state", first[k], places, expected[:1])
    return right
"""


class NumPySource(Target):
    name = "numpy"
    about = "a Python module that needs only NumPy"
    single = ".py"

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        made = Sources(mechanism, self.package(mechanism, wish))
        return Product({f"{made.name}.py": made.module()}, notes=made.notes)


class Sources(sources.Sources):
    """The text of the module for one package. Parameters keep their names, since these are keys of a dictionary."""

    def __init__(self, mechanism: Mechanism, package: Package) -> None:
        name = Names((*KEYWORDS, *sys.stdlib_module_names, "numpy")).legal(spelled(package.name) or "mechanism")
        super().__init__(mechanism, package, name, Names(TAKEN), None)
        routines = (*self.package.routines, self.preparation())
        self.language = NumPy(bool(self.constants), self.fields, {r.name: self._about(r) for r in routines})

    def module(self) -> str:
        told = self.introduction(
            "Functions take one state, as arrays (n,), or many, as arrays (..., n) whose leading shapes broadcast.",
            "Six-vectors are angular first.",
        )
        lines = _docstring([line for text in told for line in sources.comment(text, "")], spaced=True)
        lines += ["", "import numpy as np", ""]
        if self.constants:
            lines += ["# the numbers that may be changed: prepare() takes them", "parameters = {"]
            lines += [f"    {quoted(p.name)}: {self.language.number(p.value)}," for p in self.package.parameters]
            lines += ["}", "", "", *KNOWN.splitlines(), "", "", *self.code(self.preparation())]
            lines += ["", "", "DEFAULT_CONSTANTS = prepare()", ""]
        lines += ["", *HELPERS.splitlines()]
        for routine in self.package.routines:
            lines += ["", "", *self.code(routine)]
        return "\n".join([*lines, "", "", *self._check(), ""])

    def _about(self, routine: Routine) -> list[str]:
        if routine.name == "prepare":
            return _docstring(
                ["The constants that functions read, for parameters by name; those that are not given have their defaults."]
            )
        lines = [*sources.comment(routine.about, ""), "", "Parameters", "----------"]
        for x in routine.inputs:
            lines += [f"{x.name} : {_shape(x)}", *sources.comment(_sentence(x.about), "    ")]
        if self.constants:
            lines += ["constants : array", "    What prepare() gives."]
        lines += ["", "Returns", "-------"]
        for x in routine.outputs:
            lines += [f"{x.name} : {_shape(x)}", *sources.comment(_sentence(x.about), "    ")]
        return _docstring([*lines, "", "Notes", "-----", f"Cost: {self.cost(routine)}."])

    # -- the check -----------------------------------------------------------------------------------------------------

    def _check(self) -> list[str]:
        """What `python name.py` runs."""
        states: dict[str, list[list[float]]] = {}
        expected: dict[str, list[list[Expected]]] = {}  # by routine: a row for every state
        for case in cases(self.mechanism, self.package):
            for name, x in case.given.items():
                if len(states.setdefault(name, [])) == case.state:
                    states[name].append(x)
            expected.setdefault(case.routine.name, []).append(case.expected)
        single = {x.name for routine in self.package.routines for x in routine.inputs if x.shape == ()}
        lines = ["def _check():", '    """Compare with reference values: whether all agree."""', "    states = {"]
        for name, rows in states.items():
            values = [[row[0] for row in rows]] if name in single else rows
            lines += [f'        "{name}": np.array(', *self._rows(values, "            ", name in single), "        ),"]
        lines += [
            "    }",
            "    # functions, what they are given, and of each output its name, the places compared, and the values",
        ]
        lines.append("    cases = [")
        for routine in self.package.routines:
            given = ", ".join([f'"{x.name}"' for x in routine.inputs])
            lines.append(f"        ({routine.name}, [{given}], [")
            for k, output in enumerate(routine.outputs):
                found = [row[k] for row in expected[routine.name]]
                places = None if found[0].whole else found[0].places
                texts = self._rows([each.values for each in found], "                ")
                lines += [f'            ("{output.name}", {places},', *texts, "            ),"]
            lines.append("        ]),")
        lines += ["    ]", *CHECK.replace("TOLERANCE", repr(TOLERANCE[64])).splitlines(), ""]
        if self.constants:
            constants = self._rows([evaluate.constants(self.package)], "        ")
            lines += ["    constants = np.array(", *constants, "    )"]
            lines.append('    compare("prepare", prepare(parameters), None, constants)')
        lines += [*CALLS.splitlines(), "", "", 'if __name__ == "__main__":', "    raise SystemExit(not _check())"]
        return lines

    def _rows(self, rows: list[list[float]], indent: str, flat: bool = False) -> list[str]:
        lines = []
        for row in rows:
            texts = wrapped([self.language.number(x) for x in row], f"{indent}    ")
            lines += [f"{indent}[{texts[0].strip()}]"] if len(texts) == 1 else [f"{indent}[", *texts, f"{indent}]"]
            lines[-1] += ","
        return lines if flat else [f"{indent}[", *(f"    {line}" for line in lines), f"{indent}]"]


def _shape(argument: Argument) -> str:
    if argument.shape == ():
        return "number, or array (...)"
    return f"array (..., {', '.join(map(str, argument.shape))})"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _docstring(lines: list[str], spaced: bool = False) -> list[str]:
    """A docstring of some lines; the first is followed by an empty one."""
    safe = [line.replace("\\", "\\\\").replace('"""', "'''") for line in lines]
    if len(safe) == 1:
        return [f'"""{safe[0]}"""']
    return [f'"""{safe[0]}', *([""] if spaced else []), *safe[1:], '"""']


TARGET = NumPySource()
