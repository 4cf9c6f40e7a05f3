"""`compare`, `bench`: peers agree, and differences are told."""

from __future__ import annotations

from collections.abc import Callable
from importlib import util
from pathlib import Path

import pytest

import lagrangian as lg
from tests.cli.conftest import Run
from tests.mechanisms import MOVING, random_mechanism


@pytest.mark.parametrize("name", ["two_r", "puma560", "stewart", "differential_drive"])
def test_they_agree(run: Run, name: str) -> None:
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    data = run("compare", name, "--states", "5", "--json")
    assert data.code == 0
    assert len(data.json["differences"]) == 2
    assert max(x for by in data.json["differences"].values() for x in by.values()) < 1e-11


@pytest.mark.parametrize("peer", ["pinocchio", "mujoco"])
def test_all_kinds_of_joints(run: Run, peer: str) -> None:
    """On a tree with placements, child placements, rotors and axes at random."""
    pytest.importorskip(peer)
    types = [x for x in MOVING if x != "free" and (peer, x) != ("mujoco", "helical")]
    for seed in range(2):
        lg.save(random_mechanism([*types, "fixed", types[seed]], seed, passive=True), "tree.toml")
        data = run("compare", "tree.toml", "--peer", peer, "--states", "4", "--json")
        assert data.code == 0, data.out
        assert max(data.json["differences"].popitem()[1].values()) < 1e-10


@pytest.mark.parametrize("name", ["four_bar", "stewart", "three_rrr"])
def test_closed_loops(run: Run, name: str) -> None:
    pytest.importorskip("pinocchio")
    data = run("compare", name, "--peer", "pinocchio", "--states", "5", "--json")
    assert data.code == 0
    assert data.json["differences"].popitem()[1]["closed"] < 1e-9


def test_a_loop_that_is_another_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their rod is a millionth longer where the loop closes: accelerations differ."""
    pytest.importorskip("pinocchio")
    from dataclasses import replace

    from lagrangian.cli import peer_loops

    right = peer_loops.accelerations

    def other(peer: object, m: lg.Mechanism, *state: object) -> object:
        a = m.loops[0].placement_a
        x, y, z = a.position
        moved = replace(m.loops[0], placement_a=replace(a, position=(x * (1 + 1e-6), y, z)))
        return right(peer, m.replace(loops=(moved,)), *state)  # type: ignore[arg-type]

    monkeypatch.setattr(peer_loops, "accelerations", other)
    done = run("compare", "four_bar", "--peer", "pinocchio", "--states", "5")
    assert done.code == 1
    assert "they differ" in done.out


def test_loops_that_cannot_be_compared_are_told(run: Run) -> None:
    pytest.importorskip("pinocchio")
    assert "accelerations with loops of type revolute" in run("compare", "bricard", "--peer", "pinocchio", "--states", "2").out


def test_a_body_that_flies(run: Run) -> None:
    pytest.importorskip("mujoco")
    tree = random_mechanism(["free", "revolute", "ball"], 3, chain=True)
    lg.save(tree, "bird.toml")
    data = run("compare", "bird.toml", "--states", "5", "--json")
    assert data.code == 0
    assert max(x for by in data.json["differences"].values() for x in by.values()) < 1e-10


def test_a_difference_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mass that is a part in a million heavier for them."""
    pytest.importorskip("pinocchio")
    from lagrangian.cli import peers

    right = peers.peer
    monkeypatch.setattr(peers, "peer", lambda name, m: right(name, m.replace(bodies=[b.scaled(1 + 1e-6) for b in m.bodies])))
    done = run("compare", "two_r", "--peer", "pinocchio")
    assert done.code == 1
    assert "they differ" in done.out


def test_without_peers(wrong: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    assert "pip install 'lagrangian[peers]'" in wrong("compare", "two_r")
    assert "mujoco is not installed" in wrong("compare", "two_r", "--peer", "mujoco")
    assert "Did you mean 'mujoco'" in wrong("compare", "two_r", "--peer", "mojoco")


def test_what_a_peer_has_not(run: Run) -> None:
    pytest.importorskip("mujoco")
    lg.save(random_mechanism(["helical"], 0), "screw.toml")
    done = run("compare", "screw.toml", "--peer", "mujoco")
    assert done.code == 1
    assert "MuJoCo has no joint like" in done.out


def test_bench(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.cli import peers

    monkeypatch.setattr(peers, "installed", lambda wanted: [])
    data = run("bench", "two_r", "--rounds", "1", "--batch", "64", "--json").json
    assert 0 < data["nanoseconds"]["lagrangian"]["inverse_dynamics"] < 1e6
    assert data["compile_seconds"]["mass_matrix"] > 0
    assert "one thread, batches of 64" in run("bench", "two_r", "--rounds", "1", "--batch", "64").out


def test_bench_beside_peers(run: Run) -> None:
    pytest.importorskip("pinocchio")
    data = run("bench", "four_bar", "--rounds", "1", "--batch", "64", "--peer", "pinocchio", "--json").json
    theirs = next(by for who, by in data["nanoseconds"].items() if who.startswith("Pinocchio"))
    assert "inverse_dynamics" in theirs
    assert "forward_dynamics" not in theirs  # of the open tree it would be


def test_a_structure_has_nothing_to_compare(wrong: Callable[..., str]) -> None:
    Path("fixed.toml").write_text('[[body]]\nname = "b"\nmass = 1\n[[joint]]\nname = "j"\ntype = "fixed"\nchild = "b"\n')
    assert "no joint that moves" in wrong("compare", "fixed.toml")
    assert "no joint that moves" in wrong("bench", "fixed.toml")
