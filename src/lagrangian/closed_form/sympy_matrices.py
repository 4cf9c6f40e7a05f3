"""The equations as SymPy matrices. SymPy is imported only here, when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from lagrangian.equations.writing.sympy_export import Export

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations


def sympy_matrices(eom: Equations, dynamic: bool) -> dict[str, Any]:
    """Matrices by name, those without entries left out; phi and phi_dot where there are constraints."""
    constrained = bool(eom.constraint_names)
    names = ["M", "C", "G", "F", "tau", *(("closure", "Psi", "Psi_dot") if constrained else ())]
    found = {name: getattr(eom, name).to_sympy(dynamic) for name in names if len(getattr(eom, name))}
    if constrained:
        export = Export(eom.writer, dynamic)
        found["phi"] = sympy.Matrix([export.expression(x) for x in eom.phi])
        found["phi_dot"] = sympy.Matrix([export.expression(x) for x in eom.phi_dot])
    return found
