"""Shared by all tests: kernels are cached in a folder of the test run's own, and linear algebra runs on one thread."""

from __future__ import annotations

import gc
import getpass
import os
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("LAGRANGIAN_CACHE", os.path.join(tempfile.gettempdir(), f"lagrangian-tests-{getpass.getuser()}"))

# tests run side by side: threads of OpenBLAS for matrices of some thousand rows would take six times the processor's time
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# compiling a kernel takes longer than hypothesis expects of an example
settings.register_profile("lagrangian", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lagrangian")


def pytest_collection_finish() -> None:
    """Thousands of tests and their modules stay: Python's search for garbage leaves them out."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rolled_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kernel as a loop over the links, however few they are."""
    monkeypatch.setattr("lagrangian.kernels.programs.sweeps.MAX_UNROLLED_LINKS", -1)


@pytest.fixture(autouse=True)
def _no_targets_of_other_tests() -> Iterator[None]:
    """Targets of exports that a test registers are gone after it."""
    yield
    module = sys.modules.get("lagrangian.exports.targets")
    if module is not None:
        module._registered.clear()
