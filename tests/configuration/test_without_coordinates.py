"""Mechanisms that have loops and no coordinates: they are closed as they stand, or an error says by how much they miss."""

from __future__ import annotations

import pytest

import lagrangian as lg
from lagrangian.model.loops import TYPES


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind != "distance"])
def test_a_welded_body_in_a_loop(kind: str) -> None:
    welded = lg.Joint("j", "fixed", "ground", "b", (0, 0, 0.1))
    loop = lg.LoopJoint("l", kind, "ground", "b", (0, 0, 0.4), (0, 0, 0.3))
    closed = lg.Mechanism("m", [lg.Body("b", 1.0)], [welded], [loop])
    assert lg.assemble(closed).shape == (0,)
    if kind != "planar":  # along which it may be elsewhere
        with pytest.raises(lg.AssemblyError, match=r"'l' misses by 0\.5"):
            lg.assemble(closed.replace(loops=[lg.LoopJoint("l", kind, "ground", "b", (0, 0.4, 0.1), (0.3, 0, 0))]))
