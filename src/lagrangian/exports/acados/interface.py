"""The C interface of CasADi's generated code: beside each function stand others that say what it takes and gives.

Matrices are column by column. A sparsity is {rows, columns, 1} for a dense matrix, and else {rows, columns, the number of
entries before each column and at the end, the row of each entry}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Matrix:
    """An input or an output: `empty` has no entries that could differ from zero, and `fixed` is not differentiated."""

    name: str
    rows: int
    columns: int = 1
    empty: bool = False
    fixed: bool = False

    @property
    def sparsity(self) -> tuple[int, ...]:
        return (self.rows, self.columns, *((0,) * (self.columns + 1) if self.empty else (1,)))

    @property
    def table(self) -> str:
        """The name of its sparsity's table, which all matrices of the same sparsity share."""
        return f"{'empty' if self.empty else 'dense'}_{self.rows}_{self.columns}"


@dataclass(frozen=True)
class Interface:
    """A function: `call` is the statement that computes its outputs `res` from its inputs `arg`."""

    name: str
    about: str
    inputs: tuple[Matrix, ...]
    outputs: tuple[Matrix, ...]
    call: str

    @property
    def told(self) -> str:
        """Its inputs and outputs in one line."""
        given, made = (", ".join(x.name for x in some) for some in (self.inputs, self.outputs))
        return f"({given}) -> ({made})" if len(self.outputs) > 1 else f"({given}) -> {made}"


DECLARED = """\
#define {guard}_DECLARE(F) \\
    {guard}_EXPORT int F(const double **arg, double **res, {name}_int *iw, double *w, {name}_mem mem); \\
    {guard}_EXPORT int F##_work({name}_int *sz_arg, {name}_int *sz_res, {name}_int *sz_iw, {name}_int *sz_w); \\
    {guard}_EXPORT const {name}_int *F##_sparsity_in({name}_int i); \\
    {guard}_EXPORT const {name}_int *F##_sparsity_out({name}_int i); \\
    {guard}_EXPORT {name}_int F##_n_in(void); \\
    {guard}_EXPORT {name}_int F##_n_out(void); \\
    {guard}_EXPORT const char *F##_name_in({name}_int i); \\
    {guard}_EXPORT const char *F##_name_out({name}_int i); \\
    {guard}_EXPORT int F##_diff_in({name}_int i); \\
    {guard}_EXPORT int F##_checkout(void); \\
    {guard}_EXPORT void F##_release(int mem); \\
    {guard}_EXPORT void F##_incref(void); \\
    {guard}_EXPORT void F##_decref(void);
"""

DEFINED = """\
/* What CasADi and acados ask of a function beside its values, from the tables F_inputs, F_outputs and so on. */
#define DEFINE(F, IN, OUT) \\
    int F##_work({name}_int *sz_arg, {name}_int *sz_res, {name}_int *sz_iw, {name}_int *sz_w) \\
    {{ \\
        if (sz_arg) *sz_arg = IN; \\
        if (sz_res) *sz_res = OUT; \\
        if (sz_iw) *sz_iw = 0; \\
        if (sz_w) *sz_w = 0; \\
        return 0; \\
    }} \\
    const {name}_int *F##_sparsity_in({name}_int i) {{ return i >= 0 && i < IN ? F##_inputs[i] : 0; }} \\
    const {name}_int *F##_sparsity_out({name}_int i) {{ return i >= 0 && i < OUT ? F##_outputs[i] : 0; }} \\
    {name}_int F##_n_in(void) {{ return IN; }} \\
    {name}_int F##_n_out(void) {{ return OUT; }} \\
    const char *F##_name_in({name}_int i) {{ return i >= 0 && i < IN ? F##_input_names[i] : 0; }} \\
    const char *F##_name_out({name}_int i) {{ return i >= 0 && i < OUT ? F##_output_names[i] : 0; }} \\
    int F##_diff_in({name}_int i) {{ return i >= 0 && i < IN ? F##_differentiable[i] : -1; }} \\
    int F##_checkout(void) {{ return 0; }} \\
    void F##_release(int mem) {{ (void)mem; }} \\
    void F##_incref(void) {{ }} \\
    void F##_decref(void) {{ }}
"""


def declared(interfaces: Sequence[Interface], name: str) -> list[str]:
    """The header's lines."""
    guard = name.upper()
    lines = DECLARED.format(name=name, guard=guard).splitlines()
    for each in interfaces:
        lines += ["", f"/* {each.about}", f" * {each.told} */", f"{guard}_DECLARE({each.name})"]
    return lines


def tables(interfaces: Sequence[Interface], name: str) -> list[str]:
    """The sparsities of all inputs and outputs, each once."""
    found = {x.table: x.sparsity for each in interfaces for x in (*each.inputs, *each.outputs)}
    return [f"static const {name}_int {table}[] = {{{', '.join(map(str, s))}}};" for table, s in found.items()]


def defined(each: Interface, name: str) -> list[str]:
    """One function, with all that stands beside it."""
    flags = ", ".join(str(int(not x.fixed)) for x in each.inputs)
    lines = [f"static const int {each.name}_differentiable[] = {{{flags}}};"]
    for word, some in (("input", each.inputs), ("output", each.outputs)):
        words = ", ".join(f'"{x.name}"' for x in some)
        sparsities = ", ".join(x.table for x in some)
        lines.append(f"static const char *const {each.name}_{word}_names[] = {{{words}}};")
        lines.append(f"static const {name}_int *const {each.name}_{word}s[] = {{{sparsities}}};")
    return [
        *lines,
        f"DEFINE({each.name}, {len(each.inputs)}, {len(each.outputs)})",
        "",
        f"int {each.name}(const double **arg, double **res, {name}_int *iw, double *w, {name}_mem mem)",
        "{",
        "    (void)iw;",
        "    (void)w;",
        "    (void)mem;",
        f"    {each.call}",
        "    return 0;",
        "}",
        "",
    ]
