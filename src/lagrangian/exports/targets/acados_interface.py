"""The C interface of CasADi's generated code: beside each function stand others that say what it takes and gives.

Matrices are column by column. A sparsity is {rows, columns, 1} for a dense matrix, and else {rows, columns, the number of
entries before each column and at the end, the row of each entry}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class InterfaceMatrix:
    """An input or an output: `empty` has no entries that could differ from zero, and `constant` is not differentiated."""

    name: str
    rows: int
    columns: int = 1
    empty: bool = False
    constant: bool = False

    @property
    def sparsity(self) -> tuple[int, ...]:
        return (self.rows, self.columns, *((0,) * (self.columns + 1) if self.empty else (1,)))

    @property
    def table(self) -> str:
        """The name of its sparsity's table, which all matrices of the same sparsity share."""
        return f"{'empty' if self.empty else 'dense'}_{self.rows}_{self.columns}"


@dataclass(frozen=True)
class CasadiInterface:
    """A function: `call` is the statement that computes its outputs `res` from its inputs `arg`."""

    name: str
    about: str
    inputs: tuple[InterfaceMatrix, ...]
    outputs: tuple[InterfaceMatrix, ...]
    call: str

    @property
    def signature(self) -> str:
        """The inputs and outputs of the function in one line."""
        input_names, output_names = (", ".join(x.name for x in matrices) for matrices in (self.inputs, self.outputs))
        return f"({input_names}) -> ({output_names})" if len(self.outputs) > 1 else f"({input_names}) -> {output_names}"


DECLARE_MACRO = """\
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

DEFINE_MACRO = """\
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


def header_lines(interfaces: Sequence[CasadiInterface], name: str) -> list[str]:
    """The header's lines."""
    guard = name.upper()
    lines = DECLARE_MACRO.format(name=name, guard=guard).splitlines()
    for each in interfaces:
        lines += ["", f"/* {each.about}", f" * {each.signature} */", f"{guard}_DECLARE({each.name})"]
    return lines


def sparsity_tables(interfaces: Sequence[CasadiInterface], name: str) -> list[str]:
    """The sparsities of all inputs and outputs, each once."""
    sparsities = {x.table: x.sparsity for each in interfaces for x in (*each.inputs, *each.outputs)}
    return [f"static const {name}_int {table}[] = {{{', '.join(map(str, s))}}};" for table, s in sparsities.items()]


def definition_lines(interface: CasadiInterface, name: str) -> list[str]:
    """One function, with all that stands beside it."""
    flags = ", ".join(str(int(not x.constant)) for x in interface.inputs)
    lines = [f"static const int {interface.name}_differentiable[] = {{{flags}}};"]
    for word, matrices in (("input", interface.inputs), ("output", interface.outputs)):
        words = ", ".join(f'"{x.name}"' for x in matrices)
        sparsities = ", ".join(x.table for x in matrices)
        lines.append(f"static const char *const {interface.name}_{word}_names[] = {{{words}}};")
        lines.append(f"static const {name}_int *const {interface.name}_{word}s[] = {{{sparsities}}};")
    return [
        *lines,
        f"DEFINE({interface.name}, {len(interface.inputs)}, {len(interface.outputs)})",
        "",
        f"int {interface.name}(const double **arg, double **res, {name}_int *iw, double *w, {name}_mem mem)",
        "{",
        "    (void)iw;",
        "    (void)w;",
        "    (void)mem;",
        f"    {interface.call}",
        "    return 0;",
        "}",
        "",
    ]
