"""Files that an earlier version of the package wrote: a study's folder, a saved motion and a draft of the studio still open.

`tests/data/before` holds them as they were written when a grid was still called `span` in texts.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studio.workspace import Draft, DraftStore

FOLDER = Path(__file__).parents[1] / "data" / "before"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the files, whose times are those of now."""
    return shutil.copytree(FOLDER, tmp_path / "before", copy_function=shutil.copyfile)


def test_a_folder_of_a_study_opens(copy: Path) -> None:
    study = lg.read_study(copy / "study")
    assert study.complete
    assert (study.name, study.inputs, study.outputs) == ("pendulum lengths", ("L", "m"), ("max(qd_theta)", "rows(theta, 5)"))
    assert study.design.over["L"] == lg.distributions.grid(0.5, 1.5, 5)
    assert study.units == {"L": "m", "m": "kg", "max(qd_theta)": "rad/s", "rows(theta, 5)": "rad"}
    assert study.statistics()["max(qd_theta)"]["mean"] == pytest.approx(4.3717, abs=5e-5)
    assert study.counts() == {"chunks": 3, "begun": 3, "kept": 3, "kept twice": 0}


def test_results_of_an_earlier_version_are_what_this_one_computes(copy: Path) -> None:
    study = lg.read_study(copy / "study")
    assert study.mechanism is not None
    torque = {"theta": "0.1 - 0.2*qd_theta"}
    sample = study.sample(7)
    motion = lg.simulate(study.mechanism.with_parameters(sample), 1.0, torque=torque, t_eval=5)
    np.testing.assert_allclose(study["rows(theta, 5)"][7], motion.q[:, 0], rtol=1e-7)


def test_a_study_that_an_earlier_version_began_says_why_it_begins_anew(copy: Path) -> None:
    def run() -> lg.Study:
        over = {"L": lg.distributions.grid(0.5, 1.5, 5), "m": lg.distributions.uniform(0.9, 1.1)}
        settings = {"t_span": 1.0, "torque": {"theta": "0.1 - 0.2*qd_theta"}}
        keep = ["max(qd_theta)", "rows(theta, 5)"]
        return lg.study("pendulum", over, settings, keep, samples=4, folder=copy / "study", workers=1, chunk=8)

    earlier = lg.read_study(copy / "study")["max(qd_theta)"]
    with pytest.warns(lg.StudyWarning, match="begun with another version of lagrangian, .* all samples are computed again"):
        study = run()
    assert np.array_equal(study["max(qd_theta)"], earlier)
    run()  # goes on without a warning


def test_the_summary_of_a_study_that_an_earlier_version_interrupted_says_that_it_does_not_go_on(copy: Path) -> None:
    next((copy / "study" / "chunks").glob("*.chunk")).unlink()
    study = lg.read_study(copy / "study")
    assert not study.complete
    assert "another version of lagrangian began the study, so that running it again computes all samples again" in study.summary()


def test_another_study_in_the_folder_of_an_earlier_version_begins_without_a_warning(copy: Path) -> None:
    lg.study("four_bar", {"l1": [0.3, 0.31]}, {"t_span": 0.1}, "max(qd_theta1)", folder=copy / "study", workers=1)


def test_a_saved_motion_opens(copy: Path) -> None:
    motion = lg.read(copy / "motion.nc")
    assert motion.mechanism == lg.library("four_bar")
    assert motion.q.shape == (5, 3)
    assert motion.multipliers.shape == (5, 2)
    assert "four_bar" in motion.summary()


def test_a_draft_of_the_studio_opens(copy: Path) -> None:
    assert DraftStore(copy).read("arm.toml") == Draft('name = "arm"\n', "toml", "arm.toml", 3, "", 1700000000.0)
