"""Mechanisms that several modules simulate."""

from __future__ import annotations

import pytest

import lagrangian as lg
from tests.motion.machines import chain, slider


@pytest.fixture(scope="module")
def arm() -> lg.Dynamics:
    return lg.compile(chain(2))


@pytest.fixture(scope="module")
def rail() -> lg.Dynamics:
    return lg.compile(slider(1.0))
