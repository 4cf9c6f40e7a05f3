"""`derive`, `prove`: the equations as text, LaTeX, Markdown and PDF, and a proof that can fail."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import lagrangian as lg
from lagrangian.closed_form import cost, derive
from tests.cli.conftest import Run


def test_the_text_is_the_library_s(run: Run) -> None:
    out = run("derive", "two_r").out
    eom = lg.derive(lg.library("two_r"))
    assert out.splitlines() == eom.text(width=100).splitlines()
    assert "M₁₁ = m₁ r₁²" in out


def test_narrow_terminals(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    assert max(len(line) for line in run("derive", "scara").out.splitlines()) <= 70


def test_long_parts_are_printed_when_requested(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagrangian.closed_form.sections.MAX_PRINTED_TERMS", 1)
    short, full = run("derive", "two_r").out, run("derive", "two_r", "--full").out
    assert "--full prints them" in " ".join(short.split())
    assert "Γ₁₁₂" not in short
    assert "Γ₁₁₂" in full


def test_latex_and_markdown(run: Run) -> None:
    eom = lg.derive(lg.library("two_r"))
    assert run("derive", "two_r", "--latex").out == eom.latex() + "\n"
    eom.save("ours.md")
    assert run("derive", "two_r", "--md").out == Path("ours.md").read_text() + "\n"
    for name in ("a.tex", "a.md", "a.txt"):
        assert f"wrote {name}" in run("derive", "two_r", "-o", name).out
        assert Path(name).stat().st_size > 300
    assert Path("a.md").read_text() == Path("ours.md").read_text()
    assert r"\documentclass" in Path("a.tex").read_text()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a TeX")
def test_equations_become_a_pdf(run: Run) -> None:
    assert run("derive", "two_r", "--pdf").code == 0
    assert Path("two_r.pdf").read_bytes().startswith(b"%PDF")


def test_without_a_tex(wrong: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert "apt install texlive" in wrong("derive", "two_r", "--pdf")
    assert not Path("two_r.pdf").exists()


def test_as_data(run: Run) -> None:
    data = run("derive", "two_r", "--json").json
    eom = lg.derive(lg.library("two_r"))
    mass = next(s for s in data["sections"] if s["title"].startswith("Mass matrix"))
    assert mass["formulas"][0] == {"names": ["M11"], "text": str(eom.M[0, 0]), "latex": eom.M[0, 0].latex()}
    assert data["parameters"]["m1"] == 12.456
    named = run("derive", "two_r", "--symbols", "inertial", "--json").json
    assert "Izz1R" in str(named["sections"])


def test_impossible_requests_are_refused(wrong: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "exclude each other" in wrong("derive", "two_r", "--latex", "--md")
    assert "equations are written to" in wrong("derive", "two_r", "-o", "a.docx")
    assert "ends in .md" in wrong("derive", "two_r", "--latex", "-o", "a.md")
    assert "there is no folder" in wrong("derive", "two_r", "-o", "no/a.md")
    assert "symbols" in wrong("derive", "two_r", "--symbols", "some")
    monkeypatch.setattr(derive, "forecast", lambda *_: cost.Forecast(1e6, 1e9, 1e9))
    assert "Use --limit 0 to derive it anyway" in wrong("derive", "two_r", code=1)


def test_a_proof(run: Run) -> None:
    done = run("prove", "two_r")
    assert done.code == 0
    assert "Lagrange = Kane" in done.out
    data = run("prove", "two_r", "--json").json
    assert data["proved"] is True
    assert {s["what"] for s in data["statements"]} >= {"M is symmetric", "Lagrange = Newton-Euler"}


def test_a_proof_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kane's equations with a sign turned: the statement is false, and so is the exit code."""
    from lagrangian.proof import prove

    right = prove.kane.kane_torques
    monkeypatch.setattr(prove.kane, "kane_torques", lambda system: [-x for x in right(system)])
    done = run("prove", "two_r")
    assert done.code == 1
    assert "NOT proved" in done.out
    assert "Lagrange = Kane: " in done.out
    assert run("prove", "two_r", "--json").json["proved"] is False


def test_homework_is_marked(run: Run, wrong: Callable[..., str], tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("G[1] = (m1+m2)*g*l1*c1 + m2*g*l2*c12\nG[2] = m2*g*l2*c12\n", encoding="utf-8")
    done = run("derive", "two_r_point_masses", "--check", answer)
    assert done.code == 0
    assert done.out.splitlines()[-1] == "2 of 2 right"
    answer.write_text("G[1] = (m1+m2)*g*l1*c1 - m2*g*l2*c12\n", encoding="utf-8")
    done = run("derive", "two_r_point_masses", "--check", answer, "--json")
    assert done.code == 1
    assert done.json["missing"] == ["G[2]"]
    assert done.json["lines"][0]["difference"] == "-2*m2*l2*g*c12"
    answer.write_text("G[1] = m1*\n", encoding="utf-8")
    assert "answer.txt: line 1: " in wrong("derive", "two_r_point_masses", "--check", answer)
    assert "--check marks an answer" in wrong("derive", "two_r_point_masses", "--check", answer, "--latex")
