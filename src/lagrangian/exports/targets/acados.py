"""A model for acados: plain C, and around it functions with the C interface of CasADi."""

from __future__ import annotations

from dataclasses import replace

from lagrangian.exports.acados import files
from lagrangian.exports.acados.model import EXPLICIT, IMPLICIT, Sizes, interfaces, refuse
from lagrangian.exports.model import Model
from lagrangian.exports.targets.c import Sources
from lagrangian.exports.targets.c_project import cmake, test_program
from lagrangian.exports.targets.target import Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

DRIFT = "Constraints are kept by the accelerations alone: the errors of an integrator take a state off them slowly."


class Acados(Target):
    name = "acados"
    about = "a model for acados: C code with exact derivatives, and a Python file"
    loops = False

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        refuse(Model(mechanism, ()))
        needed = EXPLICIT if mechanism.equations else (*EXPLICIT, *IMPLICIT)
        others = [name for name in (() if wish.functions is None else wish.functions) if name not in needed]
        made = Sources(mechanism, self.package(mechanism, replace(wish, functions=[*needed, *others])), "double")
        sizes = Sizes.of(made)
        found = interfaces(made.prefix, sizes)
        name = made.prefix
        texts = {
            f"{name}.h": made.header(),
            f"{name}.c": made.source(),
            f"{name}_test.c": test_program(made),
            f"{name}_acados.h": files.header(made, sizes, found),
            f"{name}_acados.c": files.source(made, sizes, found),
            f"{name}_acados.py": files.python(made, sizes),
            "CMakeLists.txt": cmake(made) + files.cmake(made),
        }
        return Product(texts, notes=(*made.notes, *((DRIFT,) if mechanism.equations else ())))


TARGET = Acados()
