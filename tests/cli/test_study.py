"""`study` and `simulate --sweep`: what is written, told and refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.cli.conftest import Run

STUDY = """
mechanism = "pendulum"
samples = 16
seed = 4
[parameters]
m = 2.0
[over]
L = "uniform(0.5, 1.5)"
theta = "normal(30deg, 5deg)"
[run]
t_span = 1
torque = { theta = "-0.1*qd_theta" }
[keep]
high = "max(theta)"
way = "rows(theta, 21)"
"""


@pytest.fixture
def write_study(run: Run) -> Callable[..., Path]:
    """A study's file, with some of its text replaced."""

    def write(old: str = "", new: str = "") -> Path:
        assert old in STUDY
        path = Path("swing.toml")
        path.write_text(STUDY.replace(old, new) if old else STUDY)
        return path

    return write


def test_a_study_leaves_its_folder_a_plot_a_page_and_a_table(run: Run, write_study: Callable[..., Path]) -> None:
    done = run("study", write_study(), "--workers", 1, "--save", "swing.csv")
    assert done.code == 0
    assert "swing: 16 samples of " in done.out
    assert {path.name for path in Path("swing").iterdir()} >= {"plot.png", "report.html", "study.json", "chunks"}
    study = lg.read_study("swing")
    assert study.complete
    rows = csv.DictReader(Path("swing.csv").read_text().splitlines())
    assert [float(row["high"]) for row in rows] == study["high"].tolist()
    with Path("swing/plot.png").open("rb") as file:
        assert file.read(4) == b"\x89PNG"


def test_it_is_as_data(run: Run, write_study: Callable[..., Path]) -> None:
    data = run("study", write_study(), "--workers", 1, "--json", "--samples", 8, "-o", "here").json
    assert (data["samples"], data["done"], data["failed"], data["folder"]) == (8, 8, 0, "here")
    assert data["results"]["high"]["count"] == 8
    assert data["files"] == ["here/plot.png", "here/report.html"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"pendulum"', '"pendulun"', "swing.toml: mechanism: 'pendulun' is neither"),
        ("seed = 4", "sead = 4", "there is no entry 'sead'. Did you mean 'seed'"),
        ("samples = 16", "samples = 0", "swing.toml: samples is 0; at least 1 samples are needed"),
        ('theta = "-0.1', 'thetta = "-0.1', "swing.toml: run: torque: there is no joint or speed 'thetta'. Did you mean"),
        ("samples = 16", "samples = 1.5", "swing.toml: samples: 1.5 is given; a whole number"),
        ("uniform(0.5", "unifrm(0.5", "swing.toml: [over]: L: there is no distribution 'unifrm'. Did you mean 'uniform'"),
        ("L = ", "LL = ", "swing.toml: over: there is no parameter, coordinate or speed 'LL'. Did you mean 'L'"),
        ("t_span", "tspan", "swing.toml: [run]: there is no argument of simulate called 'tspan'"),
        ("max(", "maxi(", "swing.toml: keep 'high': in the expression"),
        ("m = 2.0", "mm = 2.0", "mm"),
        ('[over]\nL = "uniform(0.5, 1.5)"\n', "[Over]\n", "there is no entry 'Over'"),
        ('high = "max', 'high = 3 #"max', "swing.toml: [keep]: high: 3 is given; text"),
        ("samples", 'method = "halton"\nsamples', "swing.toml: method: there is no method 'halton'"),
        ("[run]", "[run", "this is not TOML"),
    ],
)
def test_what_is_wrong_in_a_file_is_reported_with_its_place(
    write_study: Callable[..., Path], wrong: Callable[..., str], old: str, new: str, message: str
) -> None:
    assert message in wrong("study", write_study(old, new), "--workers", 1)


def test_wrong_options_of_study_are_refused(run: Run, write_study: Callable[..., Path], wrong: Callable[..., str]) -> None:
    write_study()
    assert "a file name that ends in .nc or .csv" in wrong("study", "swing.toml", "--save", "x.xls")
    assert "--workers and --scheduler" in wrong("study", "swing.toml", "--workers", 2, "--scheduler", "tcp://h:1")
    assert "no such file" in wrong("study", "other.toml").lower()
    run("new", "arm")
    assert "describes a mechanism, not a study" in wrong("study", "arm.toml")


def test_a_sweep(run: Run) -> None:
    done = run("simulate", "pendulum", "--sweep", "L=0.5:1.5:5", "--keep", "max(theta)", "--workers", 1, "-t", 1, "-o", "p.csv")
    assert done.code == 0
    study = lg.read_study("p-sweep")
    assert study["L"].tolist() == np.linspace(0.5, 1.5, 5).tolist()
    for k in (0, 4):
        motion = lg.simulate(lg.library("pendulum").with_parameters(L=study["L"][k]), 1.0)
        assert study["max(theta)"][k] == pytest.approx(motion.q[:, 0].max(), rel=1e-9)
    assert Path("p.csv").exists()
    assert Path("p-sweep/plot.png").exists()


def test_sweeps_do_not_replace_each_other(run: Run, wrong: Callable[..., str]) -> None:
    def sweep(values: str, *more: str) -> dict[str, object]:
        done = run("simulate", "pendulum", "--sweep", values, "--keep", "max(theta)", "--workers", 1, "-t", 1, "--json", *more)
        return done.json

    assert sweep("L=0.5:1.5:2")["folder"] == "pendulum-sweep"
    assert sweep("m=0.5:1.5:2")["folder"] == "pendulum-sweep-2"
    assert sweep("L=0.5:1.5:2")["folder"] == "pendulum-sweep"  # this very sweep: nothing is computed again
    assert lg.read_study("pendulum-sweep").counts()["begun"] == 1
    assert sweep("L=0.5:1.5:2", "-o", "lengths")["folder"] == "lengths"
    options = ["simulate", "pendulum", "--sweep", "m=1:2:2", "--workers", 1, "-t", 1]
    assert "-o is lengths, which contains another sweep" in wrong(*options, "-o", "lengths")
    assert lg.read_study("lengths").inputs == ("L",)
    assert "--torque: there is no joint or speed 'thetta'" in (message := wrong(*options, "--torque", "thetta=1"))
    assert "run" not in message


def test_an_interrupted_study_says_how_to_go_on(
    run: Run, write_study: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from lagrangian.studies import local

    computed = local.compute_locally

    def interrupt(*given: object) -> object:
        yield next(computed(*given))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(local, "compute_locally", interrupt)
    done = run("study", write_study("seed = 4", "chunk = 4"), "--workers", 1)
    assert done.code == 130
    assert "swing: interrupted after 4 of 16 samples; run it again, and it continues from there" in done.err
    assert "4 of them are computed" in done.out


def test_wrong_sweeps_are_refused(wrong: Callable[..., str]) -> None:
    assert "--keep and --workers need --sweep" in wrong("simulate", "pendulum", "--keep", "t")
    assert "--sweep: L: 'a:b'" in wrong("simulate", "pendulum", "--sweep", "L=a:b")
    assert "--sweep" in wrong("simulate", "pendulum", "--sweep", "L")
    assert "--animate cannot be used with --sweep" in wrong("simulate", "pendulum", "--sweep", "L=1:2:3", "--animate")
    assert "Did you mean 'L'" in wrong("simulate", "pendulum", "--sweep", "LL=1:2:3", "-t", 1)


@pytest.mark.parametrize(
    "mechanism", [pytest.param("two_r", marks=pytest.mark.slow), "four_bar", pytest.param("arm.toml", marks=pytest.mark.slow)]
)
def test_a_new_study_can_be_run(run: Run, mechanism: str) -> None:
    run("new", "arm")
    assert run("new", "first", "--study", mechanism).code == 0
    text = Path("first.toml").read_text()
    Path("first.toml").write_text(text.replace("samples = 128", "samples = 2"))
    done = run("study", "first.toml", "--workers", 1, "--json")
    assert (done.json["done"], done.json["failed"]) == (2, 0), done.json["reasons"]


def test_all_samples_failing_is_a_failure(run: Run, write_study: Callable[..., Path]) -> None:
    write_study("[parameters]\nm = 2.0\n[over]", '[over]\nm = "uniform(-2, -1)"')
    done = run("study", "swing.toml", "--workers", 1, "--json")
    assert done.code == 1
    assert done.json["failed"] == 16
    assert "mass" in done.json["reasons"][0]


def test_a_sweep_that_another_version_began_says_why_it_begins_anew(run: Run, tmp_path: Path) -> None:
    command = ("simulate", "pendulum", "-t", 0.1, "--sweep", "L=0.5:1.5:3", "--keep", "max(qd_theta)")
    assert "another version" not in run(*command).err
    about = tmp_path / "pendulum-sweep" / "study.json"
    content = json.loads(about.read_text(encoding="utf-8"))
    earlier = content | {"source": "0", "key": "0", "over": {"L": "span(0.5, 1.5, 3)"}}
    about.write_text(json.dumps(earlier), encoding="utf-8")
    assert "pendulum-sweep was begun with another version of lagrangian" in " ".join(run(*command).err.split())
    assert (tmp_path / "pendulum-sweep-2").is_dir()
    about.write_text(json.dumps(earlier | {"keep": {"x": "end(theta)"}}), encoding="utf-8")  # another sweep
    assert "another version" not in run(*command).err
