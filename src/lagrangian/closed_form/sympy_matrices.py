"""The equations as SymPy matrices. SymPy is imported only here, when it is asked for."""

from __future__ import annotations

from typing import Any

import sympy

from lagrangian.closed_form import multipliers
from lagrangian.equations.writing.sympy_export import SympyExporter


def sympy_matrices(eom: Any, dynamic: bool) -> dict[str, Any]:
    """Matrices by name, those without entries left out; phi and phi_dot where there are constraints; energies; rows."""
    rows = eom._constraint_equations
    names = ["M", "C", "G", "F", "tau", *(("closure", "Psi", "Psi_dot") if rows else ())]
    matrices = {name: getattr(eom, name).to_sympy(dynamic) for name in names if len(getattr(eom, name))}
    if rows:
        export = SympyExporter(eom.writer, dynamic)
        matrices["phi"] = sympy.Matrix([export.convert_expression(row.phi) for row in rows])
        matrices["phi_dot"] = sympy.Matrix([export.convert_expression(row.phi_dot) for row in rows])
        matrices |= {name: matrix.to_sympy(dynamic) for name, matrix in multipliers.short_matrices(eom).items()}
    energies = {"K": eom.kinetic_energy, "V": eom.potential_energy, "L": eom.lagrangian}
    matrices |= {name: formula.to_sympy(dynamic) for name, formula in energies.items()}
    matrices["rows"] = [row.to_sympy(dynamic) for row in eom.rows]
    return matrices
