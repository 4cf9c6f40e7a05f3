"""Files of strangers: they are data, and do nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.studio.conftest import Inside, Server, text

SCRIPT = "<script>alert(1)</script>"
HOSTILE = (
    text("two_r")
    .replace('name = "two_r"', f'name = "../../{SCRIPT}"')
    .replace('"link1"', "'x\"><img src=x onerror=alert(1)>'")
    .replace('"tip"', f"'{SCRIPT}'")
)


def test_names_are_given_as_they_are_and_typeset_without_markup(server: Server) -> None:
    checked = server.client.post("/api/check", json={"text": HOSTILE, "format": "toml"})
    assert checked.headers["content-type"] == "application/json"
    assert checked.json()["mechanism"]["frames"][0]["name"] == SCRIPT
    parts = server.job_result("equations", HOSTILE)["parts"]
    for part in parts:
        assert "<script" not in part["mathml"]
        assert "<img" not in part["mathml"]


def test_files_that_are_made_of_it_stay_in_the_folder_and_run_nothing(server: Server) -> None:
    folder = Path(server.client.get("/api/document").json()["folder"])
    beside = sorted(x.name for x in folder.parent.iterdir())
    for kind, options in (("report", {"seconds": 0.5, "title": SCRIPT}), ("export", {"target": "c"}),
                          ("export", {"target": "latex"}), ("export", {"target": "animation", "seconds": 0.5})):  # fmt: skip
        answer = server.job_result(kind, HOSTILE, **options)
        for name in answer["files"]:
            assert (folder / name).resolve().is_relative_to(folder.resolve())
            if name.endswith(".html"):
                assert "<script>alert" not in (folder / name).read_text()
    assert sorted(x.name for x in folder.parent.iterdir()) == beside


DEEP = 100_000


@pytest.mark.parametrize(
    ("value", "format"),
    [
        ("x = " + "[" * DEEP, "toml"),
        ("x = " + "{a = " * DEEP, "toml"),
        ("[" + "a." * DEEP + "b]", "toml"),
        ("[parameters]\nx = '" + "(" * DEEP + "1" + ")" * DEEP + "'", "toml"),
        ("[parameters]\nx = '" + "-" * DEEP + "1'", "toml"),
        ("[parameters]\n" + "\n".join(f"p{k} = 'p{k - 1} * p{k - 1}'" if k else "p0 = 2" for k in range(200)), "toml"),
        ("x = '''" + "y" * 5_000_000 + "'''", "toml"),
        ("[[body]]\n" * 20_000, "toml"),
        ("<robot>" + "<a>" * DEEP, "urdf"),
        ('<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]><robot>&b;</robot>', "urdf"),
        ('<robot xmlns:xacro="http://x"><xacro:include filename="/etc/passwd"/></robot>', "urdf"),
        ('<mujoco><include file="/etc/passwd"/></mujoco>', "mjcf"),
        ('<mujoco><include file="../../../../etc/passwd"/></mujoco>', "mjcf"),
        ('<sdf version="1.9"><model name="m"><include><uri>file:///etc/passwd</uri></include></model></sdf>', "sdf"),
        ("\0\ud800", "toml"),
    ],
    ids=range(15),
)
def test_large_deep_and_reaching_texts_are_answered(inside: Inside, value: str, format: str) -> None:  # noqa: A002
    import json

    body = json.dumps({"text": value, "format": format}).encode()
    answer = inside.client.post("/api/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    data = answer.json()
    assert not data["ok"]
    assert "root:" not in answer.text  # nothing of a file of this computer
    body = json.dumps({"text": value[:100_000], "offset": 10}).encode()
    assert inside.client.post("/api/complete", content=body, headers={"Content-Type": "application/json"}).status_code == 200


def test_a_mesh_elsewhere_is_not_opened(inside: Inside) -> None:
    source = text("two_r").replace(
        'name = "link1"\n', 'name = "link1"\nvisuals = [{ shape = "mesh", file = "/etc/passwd" }]\n', 1
    )
    answer: Any = inside.check(source)
    assert "root:" not in str(answer)
    assert answer["scene"] is not None


@pytest.mark.parametrize("name", ["../../x.toml", "C:\\x.toml", "/etc/x.toml", "<script>.toml"])
def test_the_name_of_a_dropped_file_names_nothing(inside: Inside, name: str) -> None:
    response = inside.post("/api/open", {"name": name, "content": text("two_r")})
    assert "/" not in response["name"]
    assert "\\" not in response["name"]
    assert (response["text"], response["format"]) == (text("two_r"), "toml")


def test_dropped_files_of_every_format_and_none(inside: Inside) -> None:
    import lagrangian as lg

    for format, name in (("urdf", "r.urdf"), ("urdf", "r.xml"), ("mjcf", "r.xml"), ("sdf", "r.sdf")):  # noqa: A001
        value = lg.dumps(lg.library("two_r"), format)
        response = inside.post("/api/open", {"name": name, "content": value})
        assert response["format"] == format
        again = inside.post("/api/convert", {"text": value, "format": format, "to": "toml"})["text"]
        masses = sorted(float(b.mass) for b in lg.loads(again).bodies if float(b.mass))
        assert masses == pytest.approx([12.456, 12.456])
    assert inside.post("/api/open", {"name": "arm.toml", "content": 'name = "a"\n'})["warnings"][0].startswith(
        "it describes no joints"
    )
    actual = inside.post("/api/open", {"name": "r.urdf", "content": "<robot>\n<link name='a'>\n<x></link></robot>"})["warnings"]
    assert actual[0].startswith("line 3: not XML"), actual
    inside.post("/api/open", {"name": "x.exe", "content": "MZ"}, 400)
    inside.post("/api/open", {"name": "x.xacro", "content": "<robot/>"}, 400)
    inside.post("/api/open", {"name": 3, "content": "x"}, 400)
    broken = inside.post("/api/open", {"name": "x.urdf", "content": "<robot"})
    assert broken["warnings"]  # it is opened, to be mended
    inside.post("/api/convert", {"text": "x =", "format": "toml", "to": "urdf"}, 400)
    inside.post("/api/convert", {"text": text("two_r"), "format": "toml", "to": "exe"}, 400)
