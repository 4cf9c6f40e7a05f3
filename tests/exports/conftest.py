"""Which of the tests of exports are long: compilers and other people's programs take most of the suite's time."""

from __future__ import annotations

import pytest

# mechanisms whose functions are long; in the suite, shorter ones stand for them
LONG = ("stewart", "quadruped", "branched", "row", "panda")
TESTS = (
    "test_c.py::test_long_mechanisms_are_loops",
    "test_c.py::test_every_function_is_that_of_the_kernels[rolling_disc]",
    "test_c.py::test_every_function_is_that_of_the_kernels[puma560]",
    "test_fmu.py::test_a_long_chain_is_loops_over_its_links",
    "test_fmu.py::test_constraints_that_depend_on_time",
    "test_fmu.py::test_derivatives_and_outputs_are_those_of_the_kernels[puma560]",
    "test_fmu_files.py::test_a_sanitizer_finds_nothing",
    "test_fmu_files.py::test_several_fmus_can_be_linked_into_one_program",
    "test_random.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        _, here, name = item.nodeid.rpartition("tests/exports/")
        values = name.partition("[")[2].rstrip("]").split("-")
        if here and (any(x in values for x in LONG) or any(name.startswith(x) for x in TESTS)):
            item.add_marker(pytest.mark.slow)
