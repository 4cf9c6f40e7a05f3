"""The tour: its figures are the published ones, its snippets run as they stand, and what fails is told."""

from __future__ import annotations

from math import degrees, pi
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

import lagrangian as lg
from lagrangian.cli.commands import tour as command
from lagrangian.cli.commands.tour import make_tour
from lagrangian.report.html import Html, short_number
from lagrangian.report.tour import chapters
from lagrangian.report.tour.tour import Chapter, Check, ReportProcess, TourOutput, write_run_report


class Unwritten(ReportProcess):
    """No reports: those have their own tests."""

    def write(self, run: Path, page: Path) -> Path:
        return page


# -- chapters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [chapters.two_r, chapters.puma, chapters.circle, chapters.pendulum, chapters.four_bar])
def test_a_chapter_links_the_files_that_it_writes(make: Any, tmp_path: Path) -> None:
    chapter = make(TourOutput(tmp_path, Unwritten()))
    assert chapter.checks
    assert [check for check in chapter.checks if not check.good] == []
    assert chapter.picture[1:4] == b"PNG"
    written = [path for path, _ in chapter.files if not path.name.endswith("-report.html")]
    assert written
    assert all(path.parent == tmp_path and path.stat().st_size > 1000 for path in written)
    for path, _ in chapter.files:
        assert f'href="{path.name}"' in chapter.html()


def snippet(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the page shows, run as it stands."""
    monkeypatch.chdir(folder)
    matplotlib.use("agg")
    names: dict[str, Any] = {"lg": lg}
    exec(compile(text, "<snippet>", "exec"), names)
    return names


def test_snippets_of_equations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    names = snippet(chapters.TWO_R + chapters.PUMA, tmp_path, monkeypatch)
    assert (tmp_path / "two_r.tex").is_file()
    assert np.allclose(names["gravity"], chapters.GRAVITY_QN, atol=5e-5)
    assert capsys.readouterr().out.count("proved: every difference is the zero polynomial") == 2


def test_snippets_of_motions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    circle = snippet(chapters.CIRCLE, tmp_path, monkeypatch)["motion"]
    assert circle.tau[:, 0].min() == pytest.approx(71.9, abs=0.05)
    assert circle.tau[:, 0].max() == pytest.approx(168.3, abs=0.05)
    pendulum = snippet(chapters.PENDULUM, tmp_path, monkeypatch)["motion"]
    assert np.ptp(pendulum.energy) < 1e-6 * pendulum.energy_scale
    assert not np.any(pendulum.tau)
    assert np.allclose(pendulum.q[0], [-pi / 2, pi / 4])
    assert (tmp_path / "double_pendulum.html").is_file()
    linkage = snippet(chapters.FOUR_BAR, tmp_path, monkeypatch)["motion"]
    assert linkage.last == pytest.approx(12.2829956, abs=1e-6)
    assert degrees(linkage.q[-1, 0]) == pytest.approx(150.46, abs=0.005)


# -- the command -------------------------------------------------------------------------------------------------------


def chapter(good: bool = True) -> Chapter:
    check = Check("weight [N]", "9.81", "9.81 <exact>", good)
    return Chapter("weight", "A weight & more", "It hangs.", "lg.library()", "9.81 N", [check], Html("<p>here</p>"))


def test_a_tour_of_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "chapter_makers", lambda: [("Weight", lambda place: chapter())])
    assert make_tour(tmp_path / "new" / "tour") == 0
    html = (tmp_path / "new" / "tour" / "index.html").read_text(encoding="utf-8")
    assert "A weight &amp; more" in html
    assert "9.81 &lt;exact&gt;" in html
    said = capsys.readouterr().out
    assert "✓ Weight" in said
    assert "9.81 N" in said
    assert "1 of 1 passed" in said
    assert "index.html" in said.replace("\n", "")


def test_numbers_of_a_page_as_plain_text() -> None:
    assert command._plain_text(Html(f"off by {short_number(1.5e-11)} &lt; {short_number(2e-3)}")) == "off by 1.5 × 10⁻¹¹ < 0.002"
    assert command._plain_text("a <b>") == "a <b>"
    assert set(command.CHAPTER_ORDER) == {"two_r", "puma560", "circle", "double_pendulum", "four_bar", "stewart"}


def test_what_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(place: TourOutput) -> Chapter:
        raise ZeroDivisionError("no luck")

    monkeypatch.setattr(command, "chapter_makers", lambda: [("Luck", broken), ("Weight", lambda place: chapter(False))])
    assert make_tour(tmp_path) == 1
    said = capsys.readouterr().out
    assert "✗ Luck" in said
    assert "ZeroDivisionError: no luck" in said
    assert "0 of 1 passed" in said
    assert "expected 9.81" in said.replace("\n", " ")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "ZeroDivisionError: no luck" in html


def test_where_it_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(lg.ArgumentError, match="is a file; the tour"):
        make_tour(tmp_path / "file")
    with pytest.raises(lg.ArgumentError, match="cannot be created"):
        make_tour(tmp_path / "file" / "below")


def test_reports_without_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be had, or it dies, they are written here."""
    run = lg.simulate(lg.library("pendulum"), 0.1, t_eval=5).save(tmp_path / "run.nc")

    def none(*arguments: Any, **more: Any) -> None:
        raise OSError("no processes here")

    monkeypatch.setattr("lagrangian.report.tour.tour.ProcessPoolExecutor", none)
    monkeypatch.setattr("lagrangian.plots.style.StyledFigure.savefig", lambda self, stream, **options: stream.write(b"<svg/>"))
    with ReportProcess() as reporter:
        page = reporter.write(run, tmp_path / "page.html")
    assert "pendulum" in page.read_text(encoding="utf-8")
    assert write_run_report(str(run), str(tmp_path / "other.html")) == []
    assert (tmp_path / "other.html").is_file()
