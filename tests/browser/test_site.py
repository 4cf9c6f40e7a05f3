"""The site of the documentation, opened as files: its search finds, its pages fit narrow screens, and no link is broken."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.browser.conftest import PATIENCE, BrowserTab

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[2] / "docs"

# what people type, and the page that should be the first result
SEARCHES = {
    "payload": "howto/change_a_payload",
    "workspace": "howto/workspace",
    "LQR": "howto/design_a_controller",
    "batch": "howto/batch",
    "export": "howto/generate_code",
    "friction": "howto/friction_and_springs",
    "singularity": "howto/workspace",
    "URDF": "howto/from_urdf",
    "FMU": "howto/generate_code",
    "MJCF": "reference/mjcf",
    "MuJoCo": "reference/mjcf",
    "Denavit-Hartenberg": "howto/from_dh",
    "DH": "howto/from_dh",
    "four-bar": "howto/linkages",
    "dead centre": "howto/linkages",
    "transmission angle": "howto/linkages",
    "inverse dynamics": "howto/inverse_dynamics",
    "motor": "howto/size_motors",
    "event": "howto/events",
    "joint limits": "howto/events",
    "spring": "howto/friction_and_springs",
    "gravity compensation": "howto/spring_balancing",
    "energy": "explanation/accuracy",
    "tolerance": "explanation/accuracy",
    "stiff": "howto/choose_an_integrator",
    "animation": "howto/visualisation",
    "plot": "howto/visualisation",
    "Jupyter": "howto/play_in_a_notebook",
    "SolidWorks": "howto/from_cad",
    "Simscape": "howto/coming_from_simscape",
    "Pinocchio": "howto/coming_from_pinocchio",
    "SymPy": "howto/coming_from_sympy",
    "Robotics Toolbox": "howto/coming_from_robotics_toolbox",
    "CasADi": "howto/generate_code",
    "mobility": "howto/assembly",
    "linearisation": "howto/equilibrium_and_modes",
    "linearization": "howto/equilibrium_and_modes",
    "eigenvalues": "howto/equilibrium_and_modes",
    "reactions": "howto/find_reactions",
    "identification": "howto/identify_parameters",
    "LaTeX": "howto/derive_equations",
    "quaternion": "explanation/conventions",
    "install": "tutorials/quickstart",
    "cache": "explanation/performance",
    "Monte Carlo": "howto/run_a_study",
    "sweep": "howto/run_a_study",
    "sensitivity": "howto/optimise",
    "homework": "howto/mark_homework",
    "slides": "lectures/index",
    "TOML": "reference/toml",
    "computed torque": "howto/control",
    "nonholonomic": "theory/constraints",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo")
    out = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(out)]
    subprocess.run(build, check=True, capture_output=True, text=True, timeout=PATIENCE)
    return out


def first_result(page: Any, site: Path, words: str) -> str:
    page.goto(f"{(site / 'search.html').as_uri()}?q={quote(words)}")
    page.wait_for_function("() => /found|match|result/i.test(document.querySelector('.search-summary')?.innerText ?? '')")
    result = page.locator("ul.search li a").first.get_attribute("href")
    return str(result).split(".html")[0]


def test_search_finds(browser_tab: BrowserTab, site: Path) -> None:
    actual = {words: first_result(browser_tab.page, site, words) for words in SEARCHES}
    assert actual == SEARCHES
    assert not browser_tab.complaints
    assert not browser_tab.foreign()


# elements that stick out of the screen, without those inside of a box that scrolls
WIDE = """() => {
    const clips = (e) => /(auto|scroll|hidden)/.test(getComputedStyle(e).overflowX);
    const scrolls = (e) => e && e !== document.body && (clips(e) || scrolls(e.parentElement));
    return [...document.querySelectorAll("article *")]
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement) && !scrolls(e))
        .map((e) => e.outerHTML.slice(0, 120));
}"""


def test_nothing_is_wider_than_a_narrow_screen(browser_tab: BrowserTab, site: Path) -> None:
    browser_tab.page.set_viewport_size({"width": 400, "height": 800})
    wide = {}
    for path in sorted(site.rglob("*.html")):
        if path.relative_to(site).parts[0] not in ("_static", "_modules", "pages"):
            browser_tab.page.goto(path.as_uri())
            if values := browser_tab.page.evaluate(WIDE):
                wide[path.relative_to(site).as_posix()] = values[:3]
    assert not wide
    assert not browser_tab.complaints
    assert not browser_tab.foreign()


def test_links_lead_somewhere(site: Path) -> None:
    """Files and anchors that pages of the site link to exist."""
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8"))) for path in site.rglob("*.html")}
    broken = []
    for path, text in ((path, path.read_text(encoding="utf-8")) for path in anchors):
        if path.relative_to(site).parts[0] in ("pages", "_static", "_modules"):
            continue
        for link in set(re.findall(r'(?:href|src)="([^"]+)"', text)):
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists() or (parts.fragment and target in anchors and unquote(parts.fragment) not in anchors[target]):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken
