"""Work in processes of its own: results compared with formulas, progress, stopping, and the end of the studio."""

from __future__ import annotations

import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.processes import PATIENCE
from tests.studio.conftest import Server, text

PENDULUM = """name = "pendulum"
gravity = [0, "-g", 0]
[parameters]
l = 1.0
m = 2.0
g = 9.81
[[body]]
name = "bob"
mass = "m"
center = ["l", 0, 0]
[[joint]]
name = "theta"
type = "revolute"
child = "bob"
[[frame]]
name = "tip"
body = "bob"
xyz = ["l", 0, 0]
[initial]
q = [0]
t_span = [0, 2]
"""


def children(pid: int) -> list[int]:
    """Processes that a process has started, by Linux's table."""
    results = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                results.append(int(entry.name))
    return results


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def soon(true: Any) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def test_a_motion_is_that_of_the_pendulum(server: Server) -> None:
    result = server.job_result("motion", PENDULUM, seconds=2)
    plots = {p["what"]: p for p in result["plots"]}
    angle = plots["coordinates"]["series"][0]["values"]
    speed = plots["speeds"]["series"][0]["values"]
    assert plots["coordinates"]["unit"] == "deg"
    assert len(angle) == len(plots["coordinates"]["t"])
    for a, w in zip(angle, speed, strict=True):  # energy: it falls from the horizontal
        assert math.radians(w) ** 2 == pytest.approx(-2 * 9.81 * math.sin(math.radians(a)), abs=2e-3)
    assert result["track"]["rows"] > 30
    assert any("energy balanced" in row[1] for row in result["summary"])
    assert result["success"]


def test_what_the_options_ask_for_is_done(server: Server) -> None:
    result = server.job_result("motion", PENDULUM, seconds=1, q0=[-math.pi / 2], qd0=[0.1])
    highest = max(next(p for p in result["plots"] if p["what"] == "coordinates")["series"][0]["values"])
    assert highest + 90 == pytest.approx(math.degrees(0.1 / math.sqrt(9.81)), rel=1e-3)  # small swings
    held = server.job_result("motion", PENDULUM, seconds=1, torque={"theta": "m*g*l"})  # which holds it horizontal
    assert held["q"] == pytest.approx([0], abs=1e-6)


def test_limits_that_are_passed_are_reported(server: Server) -> None:
    text = PENDULUM.replace('child = "bob"', 'child = "bob"\nlimits = { speed = 2 }')
    result = server.job_result("motion", text)
    (speeds,) = (p for p in result["plots"] if p["what"] == "speeds")
    assert any(x["passed"] and abs(x["value"]) == pytest.approx(math.degrees(2), rel=1e-4) for x in speeds["limits"])
    assert any("limit" in x for x in result["warnings"])


def test_the_equations_are_those_of_the_book(server: Server) -> None:
    events = list(server.events(server.start("equations", PENDULUM)))
    assert any("partial" in e for e in events)
    parts = {p["key"]: p for p in events[-1]["result"]["parts"]}
    assert parts["M"]["text"] == "M11 = m l²"
    assert parts["G"]["text"] == "G1 = m l g cos(θ)"
    assert "M_{11} &= m \\, l^{2}" in parts["M"]["latex"]
    assert "<math" in parts["M"]["mathml"]
    assert "M_{11}" in events[-1]["result"]["latex"]


def test_a_path_needs_the_torques_of_statics_when_it_is_slow(server: Server) -> None:
    l1, m1, m2, r1, r2, g = 1.0, 12.456, 12.456, 0.773, 0.583, 9.81
    q = (0.4, 0.9)
    x, y = math.cos(0.4) + math.cos(1.3), math.sin(0.4) + math.sin(1.3)
    points = [[x, y, 0], [x + 5e-4, y, 0], [x + 1e-3, y, 0]]
    result = server.job_result("inverse", text("two_r"), frame="tip", points=points, seconds=100, q0=list(q))
    torques = next(p for p in result["plots"] if p["what"] == "torques")["series"]
    tau2 = m2 * g * r2 * math.cos(1.3)
    tau1 = tau2 + g * (m1 * r1 + m2 * l1) * math.cos(0.4)
    assert [s["values"][0] for s in torques] == pytest.approx([tau1, tau2], rel=1e-3)
    assert [row[0] for row in result["peaks"]["rows"]] == ["theta1", "theta2"]
    assert result["motors"]["rows"]
    assert next(p for p in result["plots"] if p["what"] == "power")


def test_a_path_that_cannot_be_followed_is_followed_as_near_as_can_be(server: Server) -> None:
    points = [[0.4, 0.3, 0], [0.3, 0.5, 0], [0.2, 0.45, 0], [0.1, 0.3, 0]]
    result = server.job_result("inverse", text("four_bar"), frame="C", points=points, seconds=2, motors=False)
    assert any("as near as it can" in x for x in result["warnings"])
    assert result["motors"] is None


def test_a_sweep_gives_the_formula(server: Server) -> None:
    result = server.job_result(
        "study", PENDULUM, over={"l": {"from": 0.5, "to": 2.0, "count": 7}}, keep="peak(qd_theta)", seconds=2
    )
    assert result["samples"] == 7
    assert result["failed"]["count"] == 0
    for l, speed in zip(result["data"]["x"]["values"], result["data"]["series"][0]["values"], strict=True):
        assert speed == pytest.approx(math.sqrt(2 * 9.81 / l), rel=1e-4)  # at the bottom
    assert result["picture"].lstrip().startswith("<?xml")
    assert "<script" not in result["picture"]
    assert result["table"]["head"] == ["l", "peak(qd_theta)"]
    two = server.job_result("study", PENDULUM, over={n: {"from": 1, "to": 2, "count": k} for n, k in (("l", 3), ("g", 4))},
                      keep="peak(qd_theta)", seconds=3)  # fmt: skip
    (grid,) = two["data"]["grids"]
    assert grid["values"][3][0] == pytest.approx(2.0, rel=1e-3)  # sqrt(2 g / l) of g = 2, l = 1


def test_checks_find_the_singularities_of_an_arm(server: Server) -> None:
    events = list(server.events(server.start("checks", text("two_r"))))
    items = {x["title"]: x for x in events[-1]["result"]["items"]}
    assert [e["partial"]["item"] for e in events if "partial" in e] == events[-1]["result"]["items"]
    assert "2 degrees of freedom" in items["Mobility"]["text"]
    assert "theta2 = 0 deg" in items["Singularities"]["text"]
    assert "180 deg" in items["Singularities"]["text"]
    assert items["Proof"]["good"] is True
    loops = {x["title"]: x for x in server.job_result("checks", text("parallelogram"))["items"]}
    assert "Redundant constraints" in loops


def test_a_report_and_exports_are_written_into_the_folder(server: Server, tmp_path: Path) -> None:
    folder = Path(server.client.get("/api/document").json()["folder"])
    report = server.job_result("report", PENDULUM, seconds=1, title="A swing", notes="<b>careful</b>")
    assert Path(report["path"]).parent == folder
    shown = server.client.get(f"/made/{report['files'][0]}")
    assert shown.status_code == 200
    assert shown.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in shown.headers["content-security-policy"]
    assert "<b>careful</b>" not in shown.text
    code = server.job_result("export", PENDULUM, target="c")
    assert any(x.endswith(".c") for x in code["files"])
    assert all((folder / x).is_file() for x in code["files"])
    assert server.client.get(f"/made/{code['files'][0]}").headers["content-disposition"].startswith("attachment")
    single = server.job_result("export", PENDULUM, target="c", options={"real": "float"})
    assert any("float" in (folder / x).read_text() for x in single["files"] if x.endswith(".h"))
    (folder / "pendulum.urdf").write_text("mine")
    assert server.job_result("export", PENDULUM, target="urdf")["files"] == ["pendulum-2.urdf"]
    assert (folder / "pendulum.urdf").read_text() == "mine"
    (document,) = server.job_result("export", PENDULUM, target="latex")["files"]
    assert "\\begin{document}" in (folder / document).read_text()
    assert {t["name"] for t in server.client.get("/api/targets").json()} >= {"c", "fmu", "urdf", "latex", "animation"}


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("motion", {"seconds": -1}, "seconds"),
        ("motion", {"q0": "nowhere"}, "nowhere"),
        ("motion", {"torque": {"theta": "__import__('os')"}}, ""),
        ("inverse", {"points": [[0, 0, 0]]}, "points"),
        ("inverse", {"points": "x", "frame": "tip"}, "points"),
        ("study", {"over": {}}, "over"),
        ("study", {"over": {"nothing": {"from": 0, "to": 1}}}, "nothing"),
        ("study", {"over": {"l": {"from": 0, "to": 1, "count": 1e9}}}, "count"),
        ("export", {"target": "nothing"}, "nothing"),
        ("export", {"target": ["c"]}, "target"),
        ("equations", {"form": "nothing"}, "nothing"),
    ],
)
def test_nonsense_is_an_error_that_says_what_is_wrong(server: Server, kind: str, options: dict[str, Any], message: str) -> None:
    last = list(server.events(server.start(kind, PENDULUM, **options)))[-1]
    assert message in last["error"]["message"]
    assert "an unexpected error" not in last["error"]["message"]


def test_an_error_of_the_description_has_its_line(server: Server) -> None:
    last = list(server.events(server.start("motion", PENDULUM.replace("l = 1.0", "l = "))))[-1]
    assert last["error"]["line"] == 4


def test_a_job_of_an_unknown_kind_and_an_unknown_job(server: Server) -> None:
    assert server.client.post("/api/jobs", json={"kind": "__class__", "text": ""}).status_code == 400
    odd = server.client.post("/api/jobs", json={"kind": ["motion"], "text": ""})
    assert odd.status_code == 400
    assert "motion" in odd.json()["remedy"]
    assert server.client.get("/api/jobs/999/events").status_code == 404
    assert server.client.delete("/api/jobs/nothing").status_code == 404


LONG = {"over": {"l": {"from": 0.5, "to": 2.0, "count": 20_000}}, "keep": "peak(qd_theta)", "seconds": 300}


def test_a_job_is_stopped_and_the_next_one_works(server: Server) -> None:
    number = server.start("study", PENDULUM, **LONG)
    events = server.events(number)
    assert "progress" in next(events)  # it runs
    at_work = children(server.process.pid)
    assert server.client.delete(f"/api/jobs/{number}").json() == {"stopped": True}
    assert list(events)[-1] == {"stopped": True}
    assert soon(lambda: any(has_ended(pid) for pid in at_work))
    assert server.job_result("equations", PENDULUM)["parts"]
    assert list(server.events(number))[-1] == {"stopped": True}  # who comes late hears it too
    assert server.client.delete(f"/api/jobs/{number}").status_code == 200


def test_a_job_whose_page_was_closed_is_stopped(server: Server) -> None:
    numbers = [server.start("study", PENDULUM, **LONG | {"seconds": 3600}) for _ in range(2)]  # as many as there are processes
    for number in numbers:
        events = server.events(number)
        assert "progress" in next(events)
        events.close()  # the page goes
    assert server.job_result("equations", PENDULUM)["parts"]
    assert {"stopped": True} in [list(server.events(number))[-1] for number in numbers]
    for number in numbers:
        server.client.delete(f"/api/jobs/{number}")


def test_others_go_on_while_a_long_job_runs(server: Server) -> None:
    number = server.start("study", PENDULUM, **LONG)
    assert server.job_result("equations", PENDULUM)["parts"]
    assert server.client.post("/api/check", json={"text": PENDULUM, "format": "toml"}).json()["ok"]
    waiting = [server.start("study", PENDULUM, **LONG) for _ in range(3)]
    for each in (*waiting, number):
        server.client.delete(f"/api/jobs/{each}")
    assert list(server.events(waiting[-1]))[-1] == {"stopped": True}
    assert server.job_result("equations", PENDULUM)["parts"]


def test_a_process_that_dies_is_reported_and_replaced(server: Server) -> None:
    number = server.start("study", PENDULUM, **LONG)
    events = server.events(number)
    assert "progress" in next(events)
    for pid in children(server.process.pid):
        os.kill(pid, signal.SIGKILL)
    assert "ended" in list(events)[-1]["error"]["message"]
    assert server.job_result("equations", PENDULUM)["parts"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_studio(tmp_path: Path, how: signal.Signals) -> None:
    own = Server(tmp_path, tmp_path / "state")
    events = own.events(own.start("study", PENDULUM, **LONG))
    assert "progress" in next(events)
    at_work = children(own.process.pid)
    assert at_work
    own.process.send_signal(how)
    assert own.process.wait(PATIENCE) == (0 if how == signal.SIGINT else -how)
    assert soon(lambda: all(has_ended(pid) for pid in at_work))
    assert own.process.stderr is not None
    assert own.process.stderr.read() == ""
    own.close()
