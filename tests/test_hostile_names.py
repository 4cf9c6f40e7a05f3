"""Names and texts from files are shown and never acted on: not by a terminal, a browser, TeX, a shell or a file system."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import lagrangian as lg
from lagrangian.cli.main import app
from lagrangian.errors import has_invisible, make_visible
from lagrangian.motion.files import file_stem
from tests.processes import PATIENCE

SCRIPT = "<script>pwned=1</script>"
IMAGE = '"><img src=nowhere onerror=pwned=1>'
CLOSE = "</script><script>pwned=1</script>"
TEX = r"\input{/etc/passwd}"
WRITE = r"$\write18{touch pwned}$"
CARETS = "^^5cinput{x}"
SHELL = '"; touch pwned; "'
CALL = "$(touch pwned)"
TICKS = "`touch pwned`"
AWAY = "../../pwned"
LINK = "[x](javascript:pwned=1)"
FORMAT = "%n{0}%(x)s"
LONG = "n" * 300
ALL = (SCRIPT, IMAGE, CLOSE, TEX, WRITE, CARETS, SHELL, CALL, TICKS, AWAY, LINK, FORMAT, LONG)
ESCAPES = (
    "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202etxt\u2066\x00\x7f\r"  # a terminal's title, its screen, its colour; writing backwards
)
SAID = " | ".join(ALL)


def mechanism() -> lg.Mechanism:
    """Every name is one of these. `q1` is a parameter, so that coordinates go by their own names in formulas."""
    bodies = [lg.Body(name, lg.parameter("q1", 1.0), (0.5, 0, 0), (0, 0.1, 0.1)) for name in (SCRIPT, TEX, IMAGE)]
    along = lg.Transform(position=(1, 0, 0))
    joints = [
        lg.Joint(WRITE, "revolute", "ground", SCRIPT, axis="z"),
        lg.Joint(CLOSE, "revolute", SCRIPT, TEX, along, axis="z"),
        lg.Joint(CARETS, "prismatic", TEX, IMAGE, along, axis="x", limits=(-0.2, 0.3)),
    ]
    arguments: dict[str, Any] = {
        "gravity": (0, -9.81, 0),
        "frames": [lg.Frame(AWAY, IMAGE), lg.Frame(LINK, TEX)],
        "poses": {CALL: (0.1, 0.2, 0.0), SHELL: (0.3, 0.1, 0.0)},
        "springs": [lg.PointSpring(TICKS, "ground", IMAGE, stiffness=10.0)],
        "parameters": {"q1": lg.parameter("q1", 1.0)},
        "description": SAID,
        "source": SAID,
    }
    return lg.Mechanism(CALL, bodies, joints, **arguments)


@pytest.fixture(scope="module")
def model() -> lg.Mechanism:
    return mechanism()


@pytest.fixture(scope="module")
def motion(model: lg.Mechanism) -> lg.Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        events = [lg.Event("t - 0.05", name=SCRIPT), lg.Event("t - 0.1", name=WRITE)]
        return lg.simulate(model, 0.2, [0.1, 0.2, 0.0], t_eval=5, events=events)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder three levels down, to work in: whatever is made elsewhere, or called pwned, is found."""
    place = tmp_path / "a" / "b" / "c"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    yield place
    outside = [p for p in tmp_path.rglob("*") if place not in p.parents and p not in (place, *place.parents)]
    assert outside == []
    assert not list(tmp_path.rglob("*pwned"))


# -- pages -----------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags of a page, and what of them could act."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts, self.acting = 0, []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attributes:
            address = name in ("src", "href", "action", "data") and not (value or "").startswith(("data:", "#"))
            if name.startswith("on") or address:
                self.acting.append((tag, name, value))


def pages(motion: lg.Motion, folder: Path) -> list[Path]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [motion.report(folder / "report.html"), motion.animate(folder / "page.html")]


def test_pages_have_no_more_tags_than_others(motion: lg.Motion, here: Path) -> None:
    tame = lg.simulate(lg.library("two_r"), 0.2, t_eval=5)
    (here / "tame").mkdir()
    for page, other in zip(pages(motion, here), pages(tame, here / "tame"), strict=True):
        text = page.read_text(encoding="utf-8")
        tags = Tags(text)
        assert tags.acting == []
        assert tags.scripts == Tags(other.read_text(encoding="utf-8")).scripts
        assert SCRIPT not in text
        assert "onerror=pwned=1>" not in text
    assert escape(SAID) in (here / "report.html").read_text(encoding="utf-8")  # it is shown


def test_tour_index_shows_names(here: Path) -> None:
    from lagrangian.report.tour.tour import tour_page

    text = tour_page([], [(SCRIPT, IMAGE)], 1.0)
    assert Tags(text).acting == []
    assert SCRIPT not in text


def test_notebooks_show_names(model: lg.Mechanism, motion: lg.Motion) -> None:
    for shown in (model._repr_html_(), motion._repr_html_()):
        tags = Tags(shown)
        assert (tags.scripts, tags.acting) == (0, [])


# -- pictures --------------------------------------------------------------------------------------------------------


def test_pictures_show_names_as_they_are(motion: lg.Motion, here: Path) -> None:
    """matplotlib reads a formula between two dollars: `$\\write18{...}$` would be one, and wrong."""
    for path in (here / "plot.svg", here / "phase.svg", here / "way.svg"):
        if path.stem == "plot":
            motion.plot(path=path)
        elif path.stem == "phase":
            motion.phase_portrait(path=path)
        else:
            motion.plot_path(AWAY, path=path)
        tags = {x.tag.rpartition("}")[2] for x in ElementTree.parse(path).iter()}
        assert not tags & {"script", "foreignObject", "image", "a"}
    motion.plot(path=here / "plot.png")
    assert motion.mechanism is not None
    motion.mechanism.draw(here / "still.png", size=(64, 64))


# -- equations -------------------------------------------------------------------------------------------------------

KNOWN = {r"\backslash", r"\wedge", r"\sim", r"\langle", r"\rangle", r"\vert", r"\textbackslash", r"\mathrm", r"\mathit"}


@pytest.fixture(scope="module")
def eom(model: lg.Mechanism) -> Any:
    return lg.derive(model)


def commands(text: str) -> set[str]:
    """Control words of TeX, those behind an even number of backslashes."""
    return set(re.findall(r"(?<!\\)(?:\\\\)*(\\[A-Za-z]+)", text))


def test_latex_has_no_commands_of_names(eom: Any, here: Path) -> None:
    tame = mechanism()
    joints = [dataclasses.replace(j, name=f"theta{k}") for k, j in enumerate(tame.joints, 1)]
    plain = lg.Mechanism("tame", tame.bodies, joints, gravity=tame.gravity, springs=tame.springs)
    known = KNOWN | {r"\sin", r"\cos", r"\operatorname"}
    for path, options in ((here / "a.tex", {}), (here / "b.tex", {"document": False})):
        eom.save(path, **options)
        text = re.sub(r"(?m)^%.*$", "", path.read_text(encoding="utf-8"))  # TeX does not look behind a %
        lg.derive(plain).save(here / "tame.tex", **options)
        assert commands(text) - commands((here / "tame.tex").read_text(encoding="utf-8")) <= known
        assert "^^" not in text
        assert r"\input" not in text.replace(r"\usepackage[utf8]{inputenc}", "")
        assert not re.search(r"(?<!\\)\$\\write", text)
    for shown in (eom, eom.M, eom.C, eom.G):
        assert commands(shown._repr_latex_()) & {r"\input", r"\write"} == set()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here")
def test_tex_typesets_it_and_does_nothing_else(eom: Any, here: Path) -> None:
    eom.save(here / "a.tex")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-shell-escape", "a.tex"]
    done = subprocess.run(run, cwd=here, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout[-2000:]
    assert b"root:" not in done.stdout


def test_markdown_has_no_tags_and_no_links(eom: Any, here: Path) -> None:
    from markdown_it import MarkdownIt

    eom.save(here / "a.md")
    text = (here / "a.md").read_text(encoding="utf-8")
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    inner = [x for token in tokens for x in (token, *(token.children or ()))]
    assert {x.type for x in inner} & {
        "html_block",
        "html_inline",
        "link_open",
        "image",
        "code_inline",
        "code_block",
        "fence",
    } == set()
    assert "<" not in text.replace("&lt;", "")
    shown = "".join(x.content for x in inner if x.type in ("text", "softbreak"))
    assert SCRIPT in shown  # as it stands
    assert LINK in shown


# -- files -----------------------------------------------------------------------------------------------------------


def test_they_come_back(model: lg.Mechanism, motion: lg.Motion, here: Path) -> None:
    lg.save(model, here / "a.toml")
    assert lg.load(here / "a.toml") == model.replace(file=str(here / "a.toml"))
    loaded = lg.read(motion.save(here / "a.nc"))
    assert loaded.name == CALL
    assert loaded.mechanism == model
    assert [e.name for e in loaded.events] == [e.name for e in motion.events]
    header = motion.save(here / "a.csv").read_text(encoding="utf-8").splitlines()[0]
    assert WRITE.replace('"', '""') in header


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_no_text(motion: lg.Motion, here: Path) -> None:
    """Bytes that are no characters, and a note with a zero."""
    assert motion.mechanism is not None
    name = os.fsdecode(b"arm\xff\x1b[31m.toml")
    odd = copy.copy(motion)
    odd.mechanism = motion.mechanism.replace(file=name, notes=("a\0b",))
    loaded = lg.read(odd.save(here / "a.nc"))
    assert loaded.mechanism is not None
    assert loaded.mechanism.file == "arm\\udcff\x1b[31m.toml"


def test_files_named_after_a_mechanism_stay_here(here: Path) -> None:
    for name in (
        *ALL,
        "..",
        ".",
        "/etc/passwd",
        "~",
        "a/b",
        "-rf",
        "con",
        "a\\b",
        "C:\\x",
        "x" * 500,
        "é" * 500,
        "漢" * 500,
        "💣",
        "؀",
    ):
        stem = file_stem(name)
        assert stem
        assert not set(stem) & set('/\\:*?"<>|$`;&!~\0'), stem
        assert stem.strip(".") == stem
        assert not stem.startswith("-")
        assert len(os.fsencode(f"{stem}-report.html")) <= 255
        (here / f"{stem}.html").write_text("x")
    assert all(x.parent == here for x in here.rglob("*"))


def test_an_animation_without_a_path_is_here(motion: lg.Motion, here: Path) -> None:
    away = copy.copy(motion)
    away.name = AWAY
    assert away.animate().resolve() == here / "pwned.html"
    (here / "pwned.html").unlink()


# -- names that are not seen -----------------------------------------------------------------------------------------


UNSEEN = (
    "a\x1b[31m",
    "a\nb",
    "a\tb",
    "a\rb",
    "a\0b",
    "a\x7f",
    "a\x9b31m",
    "a\u202eb",
    "a\u2066b",
    "a\u200fb",
    "a\u2028b",
    "\ud800",
)


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_names_are_seen(name: str) -> None:
    body, joint = lg.Body("b", 1.0), lg.Joint("j", "revolute", "ground", "b")
    assert has_invisible(name)
    for make in (
        lambda: lg.Mechanism(name, [body], [joint]),
        lambda: lg.Mechanism("m", [lg.Body(name, 1.0)], [lg.Joint("j", "revolute", "ground", name)]),
        lambda: lg.Mechanism("m", [body], [lg.Joint(name, "revolute", "ground", "b")]),
        lambda: lg.Mechanism("m", [body], [joint], frames=[lg.Frame(name, "b")]),
        lambda: lg.Mechanism("m", [body], [joint], poses={name: (0.0,)}),
        lambda: lg.Mechanism("m", [body], [joint], events=[lg.Event("j", name=name)]),
        lambda: lg.Mechanism("m", [body], [joint], springs=[lg.PointSpring(name, "ground", "b", stiffness=1.0)]),
    ):
        with pytest.raises(lg.MechanismError, match="cannot be the name of a"):
            make()


def test_names_of_any_script_are_names() -> None:
    for name in ("θ₁", "関節", "сустав", "مفصل", "a b", "a\u00a0b", "é", "👍🏽", "a\u200db"):
        assert not has_invisible(name)


def test_what_is_not_seen_is_spelled() -> None:
    assert make_visible(f"a{ESCAPES}b\n\tc") == (r"a\x1b]0;pwned\x07\x1b[2J\x9b31m\u202etxt\u2066\x00\x7f\rb" + "\n\tc")
    assert make_visible("θ₁ 関節 – é") == "θ₁ 関節 – é"


# -- the command line ------------------------------------------------------------------------------------------------

TOML = """
name = {name}
description = {text}
source = {text}
[[body]]
name = {body}
mass = 1.0
center = [0.5, 0, 0]
inertia = [0, 0.1, 0.1]
[[joint]]
name = {joint}
type = "revolute"
parent = "ground"
child = {body}
axis = "z"
[[frame]]
name = {frame}
body = {body}
[pose]
{pose} = [0.5]
"""
URDF = """<robot name={name}>
<link name="base"/>
<link name={body}><inertial><mass value="1"/><origin xyz="0.5 0 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name={joint} type="continuous"><parent link="base"/><child link={body}/><axis xyz="0 0 1"/><strange name={text}/></joint>
</robot>"""
MJCF = """<mujoco model={name}><worldbody><body name={body}><joint name={joint} type="hinge" axis="0 0 1"/>
<inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.1 0.1"/><site name={frame}/></body></worldbody>
<sensor><gyro name={text} site={frame}/></sensor></mujoco>"""


def attribute(text: str) -> str:
    return '"' + escape(text).replace("\n", "&#10;") + '"'


def write_file(kind: str, folder: Path, stem: str, text: str = SAID) -> Path:
    names = {"name": CALL, "text": text, "body": SCRIPT, "joint": WRITE, "frame": AWAY, "pose": SHELL}
    quoted = json.dumps if kind == "toml" else attribute
    template = {"toml": TOML, "urdf": URDF, "xml": MJCF}[kind]
    if kind == "urdf":  # one with $( is a xacro file
        names |= {"name": SHELL, "text": text.replace("$(", "(")}
    path = folder / f"{stem}.{kind}"
    path.write_text(template.format(**{key: quoted(value) for key, value in names.items()}), encoding="utf-8")
    return path


def command_output(*words: str, codes: tuple[int, ...] = (0, 1, 2)) -> str:
    """Both streams of a command, in a terminal that takes colours."""
    done = CliRunner(env={"FORCE_COLOR": "1", "COLUMNS": "200"}).invoke(app, list(words))
    if "--json" in words:
        json.loads(done.stdout)
    assert done.exit_code in codes, done.output
    assert isinstance(done.exception, (SystemExit, type(None)))
    return done.stdout + done.stderr


def calm(text: str) -> bool:
    """Whether nothing is in it that acts on a terminal, but rich's own colours."""
    return not has_invisible(re.sub(r"\x1b\[[0-9;]*m|[\n\t]", "", text)) and "\x1b[31mpwned" not in text


@pytest.mark.parametrize("kind", ["toml", "urdf", "xml"])
def test_every_command_with_such_a_file(kind: str, here: Path) -> None:
    """In a file whose name a shell would run."""
    text = SAID if kind != "toml" else SAID + ESCAPES
    file = write_file(kind, here, f"{CALL} {ESCAPES.translate({0: None, 13: None})}"[:60], text).name
    for words in (
        ["show", file],
        ["show", file, "--json"],
        ["check", file],
        ["derive", file],
        ["derive", file, "--latex"],
        ["derive", file, "--md"],
        ["simulate", file, "-t", "0.1", "--plot", "--animate", *(["--report"] if kind == "toml" else [])],
    ):
        shown = command_output(*words, codes=(0,))
        assert calm(shown), (words, shown)
        assert "Traceback" not in shown
        assert "an unexpected error" not in shown
    items = sorted(x.suffix for x in here.iterdir())
    assert items == sorted([f".{kind}", ".nc", ".png", *([".html"] * (2 if kind == "toml" else 1))])


def test_errors_are_seen(here: Path) -> None:
    """Of a file that cannot be read, in whose name and texts a terminal would find orders."""
    (here / "a\x1b[31mpwned.toml").write_text(f"name = {json.dumps('a' + ESCAPES)}\n[[{json.dumps(ESCAPES)}]]\nx = 1\n")
    (here / "b.urdf").write_text("<robot name='\u202ea'><link name='&#x9b;31m'/></robot>", encoding="utf-8")
    (here / "c.nc").write_bytes(b"\x1b[31mpwned")
    for name in ("a\x1b[31mpwned.toml", "b.urdf", "c.nc", "no\x1b[31mpwned.toml", "\x1b]0;pwned\x07"):
        for words in (["show", name], ["check", name], ["simulate", name], ["report", name]):
            assert calm(command_output(*words)), words
