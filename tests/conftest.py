"""Shared by all tests: kernels are cached in a folder of the test run's own."""

from __future__ import annotations

import getpass
import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("LAGRANGIAN_CACHE", os.path.join(tempfile.gettempdir(), f"lagrangian-tests-{getpass.getuser()}"))

# compiling a kernel takes longer than hypothesis expects of an example
settings.register_profile("lagrangian", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lagrangian")


@pytest.fixture
def rolled_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kernel as a loop over the links, however few they are."""
    monkeypatch.setattr("lagrangian.kernels.programs.sweeps.UNROLL_LINKS", -1)
