"""The package as a whole: what importing it costs and does."""

from __future__ import annotations

import doctest
import subprocess
import sys

import lagrangian


def test_importing_is_light() -> None:
    """Nothing heavy is imported before it is used."""
    heavy = ("llvmlite", "scipy", "sympy", "matplotlib", "pinocchio")
    program = f"import sys, lagrangian; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_docstring_is_true() -> None:
    test = doctest.DocTestParser().get_doctest(lagrangian.__doc__ or "", {}, "lagrangian", None, None)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_all_names_exist() -> None:
    assert all(hasattr(lagrangian, name) for name in lagrangian.__all__)
    assert lagrangian.__all__ == sorted(lagrangian.__all__, key=str)
