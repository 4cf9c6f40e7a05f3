"""`compare`, `bench`: peers agree, and differences are told."""

from __future__ import annotations

from collections.abc import Callable
from importlib import util
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.cli.commands.compare import relative_difference
from lagrangian.description import mechanism_like
from tests.cli.conftest import Run
from tests.mechanisms import MOVING, random_mechanism


@pytest.mark.parametrize("name", ["two_r", "puma560", "differential_drive"])
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
    types = [x for x in MOVING if x not in ("free", "cam") and (peer, x) != ("mujoco", "helical")]  # no peer has a cam
    lg.save(random_mechanism([*types, "fixed", types[1]], 1, passive=True), "tree.toml")
    data = run("compare", "tree.toml", "--peer", peer, "--states", "4", "--json")
    assert data.code == 0, data.out
    assert max(data.json["differences"].popitem()[1].values()) < 1e-10


@pytest.mark.parametrize("name", ["four_bar", "stewart", "three_rrr"])
def test_closed_loops(run: Run, name: str) -> None:
    pytest.importorskip("pinocchio")
    data = run("compare", name, "--peer", "pinocchio", "--states", "5", "--json")
    assert data.code == 0
    assert data.json["differences"].popitem()[1]["closed"] < 1e-9


def test_a_loop_that_is_another_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their rod is a millionth longer where the loop closes: accelerations differ."""
    pytest.importorskip("pinocchio")
    from dataclasses import replace

    from lagrangian.peers import loop_accelerations

    right = loop_accelerations.constrained_accelerations

    def other(peer: object, m: lg.Mechanism, *state: object) -> object:
        a = m.loops[0].a_placement
        x, y, z = a.position
        moved = replace(m.loops[0], a_placement=replace(a, position=(x * (1 + 1e-6), y, z)))
        return right(peer, m.replace(loops=(moved,)), *state)  # type: ignore[arg-type]

    monkeypatch.setattr(loop_accelerations, "constrained_accelerations", other)
    done = run("compare", "four_bar", "--peer", "pinocchio", "--states", "5")
    assert done.code == 1
    assert "The results differ" in done.out


def test_nan_is_no_agreement(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pinocchio")
    from lagrangian.peers import loop_accelerations
    from lagrangian.peers.pinocchio import PinocchioModel

    with monkeypatch.context() as patch:
        patch.setattr(loop_accelerations, "constrained_accelerations", lambda *a: np.array([1.0, np.nan, 2.0]))
        done = run("compare", "four_bar", "--peer", "pinocchio", "--states", "3")
        assert done.code == 1
        assert "The results differ" in done.out
        assert "inf" in done.out
    monkeypatch.setattr(PinocchioModel, "bias", lambda *a: np.full(2, np.nan))
    data = run("compare", "two_r", "--peer", "pinocchio", "--states", "3", "--json")
    assert (data.code, data.json["agree"]) == (1, False)
    assert relative_difference(np.zeros(2), np.zeros(2), 0.0) == 0
    assert relative_difference(np.ones(1), np.array([np.inf]), np.inf) == np.inf


def test_what_was_compared_before_a_failure_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pinocchio")
    from lagrangian.peers import loop_accelerations

    right = loop_accelerations.consistent_states

    def breaking(*arguments: object) -> object:
        yield next(right(*arguments))  # type: ignore[arg-type]
        raise lg.AssemblyError("it came apart")

    monkeypatch.setattr(loop_accelerations, "consistent_states", breaking)
    done = run("compare", "four_bar", "--peer", "pinocchio", "--states", "3", "--json")
    assert done.code == 1
    assert done.json["differences"].popitem()[1]["closed"] < 1e-9
    assert done.json["not_compared"]["loops closed"] == "the comparison stopped after 1 of 3 states: it came apart"


URDF = (
    '<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0.1 0 0.2" rpy="0.3 0 0"/><mass value="2"/>'
    '<inertia ixx="1" iyy="1.1" izz="1.2" ixy="0.1" ixz="0" iyz="0"/></inertial></link><link name="c"><inertial>'
    '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="k" type="prismatic"><origin xyz="0 1 0"/><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>'
    '<limit lower="-1" upper="1" effort="9" velocity="9"/></joint>'
    '<joint name="j" type="continuous"><origin rpy="1 0 0.5"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    '<dynamics damping="0.3"/></joint></robot>'
)
MJCF = (
    '<mujoco model="r"><compiler angle="degree"/><worldbody><body name="b" euler="20 0 0"><joint name="j" axis="0 1 0" '
    'damping="1" stiffness="2" ref="10"/><inertial mass="2" pos="0.1 0 0.2" diaginertia="1 1.1 1.2"/><body name="c">'
    '<joint name="s" type="ball"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/></body></body></worldbody></mujoco>'
)


@pytest.mark.parametrize(("peer", "file", "text"), [("pinocchio", "r.urdf", URDF), ("mujoco", "r.xml", MJCF)])
def test_peers_read_the_file_themselves(run: Run, monkeypatch: pytest.MonkeyPatch, peer: str, file: str, text: str) -> None:
    """So that a mass which our reader gets wrong is found, and a joint it leaves out."""
    pytest.importorskip(peer)
    Path(file).write_text(text)
    done = run("compare", file, "--peer", peer, "--states", "5")
    assert done.code == 0, done
    assert f"read {file} itself" in done.out
    right = lg.load
    with monkeypatch.context() as patch:
        patch.setattr(
            mechanism_like,
            "load",
            lambda *a, **k: (m := right(*a, **k)).replace(bodies=[b.with_scaled_mass(1 + 1e-6) for b in m.bodies]),
        )
        assert run("compare", file, "--peer", peer, "--states", "5").code == 1
    Path(file).write_text(text.replace('name="j"', 'name="other"', 1))
    ours = right(file)
    Path(file).write_text(text)
    monkeypatch.setattr(mechanism_like, "load", lambda *a, **k: ours)
    done = run("compare", file, "--peer", peer, "--states", "5")
    assert done.code == 1
    assert "has j; only lagrangian has other" in done.out


def test_joints_that_the_file_beside_makes_others_are_not_asked_of_the_file(run: Run) -> None:
    pytest.importorskip("pinocchio")
    Path("r.urdf").write_text(URDF)
    Path("r.yaml").write_text("closed_loop: [[a, b]]\ntype: [3d]\njoint_name: [j]\njoint_type: [SPHERICAL]\n")
    done = run("compare", "r.urdf", "--peer", "pinocchio", "--states", "5")
    assert done.code == 0, done
    assert "that lagrangian read: it does not read the YAML file beside the URDF file" in " ".join(done.out.split())


def test_a_file_that_a_peer_cannot_read(run: Run) -> None:
    pytest.importorskip("mujoco")
    mesh = '<asset><mesh name="m" file="none.stl"/></asset><worldbody>'
    Path("r.xml").write_text(
        MJCF.replace("<worldbody>", mesh).replace("<geom ", '<geom type="mesh" mesh="m" mass="0"/><geom ', 1)
    )
    done = run("compare", "r.xml", "--peer", "mujoco", "--states", "2")
    assert "used the model that lagrangian read: it cannot read r.xml" in done.out, done


def test_loops_that_cannot_be_compared_are_reported(run: Run) -> None:
    pytest.importorskip("pinocchio")
    assert (
        "accelerations with closed loops of type revolute"
        in run("compare", "bricard", "--peer", "pinocchio", "--states", "2").out
    )
    bar = lg.library("four_bar")
    lg.save(bar.replace(constraints=[lg.HolonomicConstraint("gear", "theta1 - 2*phi2")]), "geared.toml")
    done = " ".join(run("compare", "geared.toml", "--peer", "pinocchio", "--states", "2").out.split())
    assert "Not compared: accelerations with closed loops together with constraints that are not loops" in done


def test_a_body_that_flies(run: Run) -> None:
    pytest.importorskip("mujoco")
    tree = random_mechanism(["free", "revolute", "ball"], 3, chain=True)
    lg.save(tree, "bird.toml")
    data = run("compare", "bird.toml", "--states", "5", "--json")
    assert data.code == 0
    assert max(x for by in data.json["differences"].values() for x in by.values()) < 1e-10


def test_a_difference_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mass that is a part in a million heavier for them."""
    pytest.importorskip("pinocchio")
    from lagrangian.peers import models as peers

    right = peers.build_peer_model
    monkeypatch.setattr(
        peers, "build_peer_model", lambda name, m: right(name, m.replace(bodies=[b.with_scaled_mass(1 + 1e-6) for b in m.bodies]))
    )
    done = run("compare", "two_r", "--peer", "pinocchio")
    assert done.code == 1
    assert "The results differ" in done.out


def test_without_peers(wrong: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    assert "pip install pin mujoco" in wrong("compare", "two_r")
    assert "mujoco is not installed" in wrong("compare", "two_r", "--peer", "mujoco")
    assert "Did you mean 'mujoco'" in wrong("compare", "two_r", "--peer", "mojoco")


def test_a_mechanism_that_a_peer_cannot_describe_is_reported(run: Run) -> None:
    pytest.importorskip("mujoco")
    lg.save(random_mechanism(["helical"], 0), "screw.toml")
    done = run("compare", "screw.toml", "--peer", "mujoco")
    assert done.code == 1
    assert "MuJoCo has no counterpart of" in done.out


def test_bench_says_how_it_measured(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.peers import models as peers

    monkeypatch.setattr(peers, "installed_peers", lambda expected: [])
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
