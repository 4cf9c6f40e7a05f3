"""Shared by the tests of kernels."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches, however small, go through the code for many states at once, which is to be tested here."""
    monkeypatch.setattr("lagrangian.kernels.kernel.MIN_VECTORISED_STATES", 2)
