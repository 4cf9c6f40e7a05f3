"""Every mechanism of the library runs as it stands, has the freedom it should, and is listed with what it is."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.mechanism_library.catalogue import Catalogue, CatalogueEntry

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "library.md"
HEAVY = "bricard delta lwr7 panda puma560 scara snake_chain stanford stewart three_rpr three_rrr ur5".split()  # noqa: SIM905
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name for name in lg.library()]

DEGREES = {
    # as many as joints: nothing closes them
    "acrobot": 2,
    "cart_pendulum": 2,
    "cartesian_pp": 2,
    "chain": 10,
    "double_pendulum": 2,
    "furuta": 2,
    "geared_link": 1,
    "lwr7": 7,
    "panda": 7,
    "pendulum": 1,
    "point_mass": 1,
    "puma560": 6,
    "scara": 4,
    "stanford": 6,
    "three_r": 3,
    "two_r": 2,
    "two_r_point_masses": 2,
    "ur5": 6,
    "gantry_crane": 5,  # two slides, two angles, the rope
    "free_body": 6,
    "heavy_top": 3,
    "flyball_governor": 4,  # springs close nothing
    # one loop in a plane takes 2 of the joints' 3
    "four_bar": 1,
    "deployable_four_bar": 1,
    "slider_crank": 1,
    "five_bar": 2,
    "parallelogram": 1,  # five joints, two loops
    "andrews_squeezer": 1,  # seven joints, three loops
    "jansen": 1,
    "peaucellier": 1,
    "three_rpr": 3,  # the platform's x, y and angle
    "three_rrr": 3,
    # in space
    "spatial_slider_crank": 1,
    "bricard": 1,  # where Gruebler counts none
    "delta": 3,  # the platform's x, y and z
    "stewart": 6,
    "wire_particles": 3,  # four coordinates, one distance
    # non-holonomic: speeds that are free
    "bicycle": 3,  # forwards, lean and steer
    "chaplygin_sleigh": 2,
    "differential_drive": 2,
    "rolling_disc": 3,
    "snake_chain": 8,  # fourteen less six pairs of wheels
}


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_as_it_stands(name: str) -> None:
    mechanism = lg.library(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lg.simulate(mechanism)
    assert motion.success
    if not mechanism.events:
        assert motion.t[-1] == mechanism.initial.t_span[1]
    assert np.isfinite(motion.q).all()
    assert np.ptp(motion.q, axis=0).max() > 0.01  # it moves
    assert np.abs(motion.energy_balance).max() < 2e-6 * motion.kinetic_energy.max()
    assert np.abs(motion.drift).max(initial=0) < 1e-12
    assert lg.mobility(mechanism).degrees == DEGREES[name]


@pytest.mark.parametrize("name", NAMES)
def test_poses_keep_the_constraints(name: str) -> None:
    mechanism = lg.library(name)
    if mechanism.equation_count:
        dyn = lg.compile(mechanism)
        for pose in mechanism.poses.values():
            assert np.abs(dyn.closure(np.array(pose))).max(initial=0) < 1e-12


def test_the_table_of_freedom_is_complete() -> None:
    assert set(DEGREES) == set(lg.library())


# -- the list --------------------------------------------------------------------------------------------------------------


def test_the_list_is_a_list_of_names() -> None:
    names = lg.library()
    assert isinstance(names, Catalogue)
    assert isinstance(names, list)
    assert all(type(name) is str for name in names)
    assert names == sorted(names)


@pytest.mark.parametrize("entry", lg.library().entries, ids=lambda entry: entry.name)
def test_each_entry_says_what_it_is(entry: CatalogueEntry) -> None:
    mechanism = lg.library(entry.name)
    assert entry.joints == len(mechanism.joints)
    assert entry.loops == len(mechanism.loops)
    assert entry.constraints == len(mechanism.constraints)
    assert entry.poses == tuple(mechanism.poses)
    assert len(entry.poses) > 1 or entry.name == "andrews_squeezer"
    assert entry.source == mechanism.source.strip()
    assert entry.description == mechanism.description.strip()
    for text in (entry.summary, entry.description, entry.source):
        assert text.endswith(".")
        assert text[0].isupper()
        assert "\n" not in text
    assert entry.description.startswith(entry.summary)
    assert 20 < len(entry.summary) < 80
    assert (mechanism.loops == ()) or not all(joint.actuated for joint in mechanism.joints)


def test_it_prints_as_a_table() -> None:
    names = lg.library()
    for width in (70, 80, 120):
        lines = names.table(width).splitlines()
        assert max(len(line) for line in lines[:-1]) <= width
        assert [line.split()[0] for line in lines if line[:1].isalpha()][1:] == list(names)
    assert names.table(120).count("\n") == len(names) + 2  # a line each
    assert "four_bar" in str(names)
    assert repr(names) == str(names)
    html = names._repr_html_()
    assert html.count("<tr>") == len(names) + 1
    assert "Peaucellier&#x27;s linkage" in html


def test_the_page_lists_them_all() -> None:
    page = DOCS.read_text(encoding="utf-8")
    missing = [
        row
        for row in (f"| [`{e.name}`](../library/{e.name}.md) | {e.summary} |" for e in lg.library().entries)
        if page.count(row) != 1
    ]
    assert not missing, f"docs/reference/library.md should have each of these rows once: {missing}"
