"""A model for acados: plain C, and around it functions with the C interface of CasADi."""

from __future__ import annotations

from dataclasses import replace

from lagrangian.exports.targets import acados_code
from lagrangian.exports.targets.acados_model import EXPLICIT, IMPLICIT, AcadosSizes, check_supported, interfaces
from lagrangian.exports.targets.c import CSourceFiles
from lagrangian.exports.targets.c_project import cmake, test_program
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.model.mechanism import Mechanism

DRIFT_NOTE = "Constraints are kept by the accelerations alone: the errors of an integrator take a state off them slowly."


class AcadosTarget(ExportTarget):
    name = "acados"
    about = "a model for acados: C code with exact derivatives, and a Python file"
    writes_loops = False

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        check_supported(MechanismGraph(mechanism, ()))
        required_functions = EXPLICIT if mechanism.equation_count else (*EXPLICIT, *IMPLICIT)
        more_functions = [
            name for name in (() if request.functions is None else request.functions) if name not in required_functions
        ]
        source_files = CSourceFiles(
            mechanism, self.package(mechanism, replace(request, functions=[*required_functions, *more_functions])), "double"
        )
        sizes = AcadosSizes.from_sources(source_files)
        interface_functions = interfaces(source_files.prefix, sizes)
        name = source_files.prefix
        texts = {
            f"{name}.h": source_files.header(),
            f"{name}.c": source_files.source(),
            f"{name}_test.c": test_program(source_files),
            f"{name}_acados.h": acados_code.header(source_files, sizes, interface_functions),
            f"{name}_acados.c": acados_code.source(source_files, sizes, interface_functions),
            f"{name}_acados.py": acados_code.python(source_files, sizes),
            "CMakeLists.txt": cmake(source_files) + acados_code.cmake(source_files),
        }
        return ExportedFiles(texts, notes=(*source_files.notes, *((DRIFT_NOTE,) if mechanism.equation_count else ())))


TARGET = AcadosTarget()
