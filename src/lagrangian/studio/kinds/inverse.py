"""The job `inverse`: the torques that lead a frame along a drawn path, and motors for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, is_number, one_of
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.pictures.chosen import Panel
from lagrangian.studio.heard import hearing
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.motion import shown
from lagrangian.studio.kinds.options import number
from lagrangian.studio.kinds.plots import plot, plots
from lagrangian.studio.posing import numbers, on_body
from lagrangian.studio.pulling import place, pulled, slopes
from lagrangian.viewer.live.moved_by_hand import Posture

ROWS = 401
POINTS = 24  # that a drawn curve is led through: a hand's tremble is not to be followed
MOST = 5000
LED = 1e-6  # of the largest slope: directions that move by less are not led


def inverse(asked: Asked) -> dict[str, Any]:
    m, options = asked.model.read, asked.options
    frame = _frame(m, options.get("frame"))
    drawn = smooth(_points(options.get("points")))
    seconds = number(options, "seconds", 2.0, 0.01, 3600.0)
    size = float(asked.model.look()["track"].scene.size)
    q0 = numbers(options["q0"], m.nq, "q0") if options.get("q0") is not None else asked.model.look()["q"]
    asked.progress(0, seconds, "following the path")
    with hearing() as heard:
        motion, told = followed(asked, m, frame, drawn, seconds, q0, size)
    answer = shown(motion, heard)
    answer["warnings"] = [*told, *answer["warnings"]]
    answer["plots"] = [*plots(motion, ("torques", "speeds", "coordinates")), power(motion)]
    answer["peaks"] = peaks(motion)
    answer["path"] = drawn.tolist()
    answer["motors"] = motors(asked, m, motion) if options.get("motors", True) else None
    return answer


def _frame(m: Mechanism, given: Any) -> str:
    known = [*(f.name for f in m.frames), *(b.name for b in m.bodies)]
    if given is None and m.frames:
        return m.frames[-1].name
    if not isinstance(given, str) or given not in known:
        raise ArgumentError(one_of("frame or body", given, known))
    return given


def _points(given: Any) -> np.ndarray:
    right = isinstance(given, list) and 2 <= len(given) <= MOST
    if not right or not all(isinstance(p, list) and len(p) == 3 and all(is_number(x) for x in p) for p in given):
        raise ArgumentError("a path needs two or more points, each with three numbers", argument="points")
    return np.array(given, dtype=float)


def smooth(points: np.ndarray, count: int = POINTS) -> np.ndarray:
    """Points evenly along what was drawn, each the mean of what is around it; the ends, and a closed curve, stay."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    points = points[np.append(True, steps > 0)]
    if len(points) < 2:
        raise ArgumentError("the path is a single point", remedy="draw a line")
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    few = len(points) <= 4  # points that were set one by one are meant
    if few:
        return points
    at = np.linspace(0, along[-1], 4 * count)
    fine = np.column_stack([np.interp(at, along, points[:, k]) for k in range(3)])
    for _ in range(2):
        fine[1:-1] = (fine[:-2] + 2 * fine[1:-1] + fine[2:]) / 4
    return fine[np.linspace(0, len(fine) - 1, count).round().astype(int)]


def followed(
    asked: Asked, m: Mechanism, frame: str, drawn: np.ndarray, seconds: float, q0: np.ndarray, size: float
) -> tuple[Motion, list[str]]:
    """The motion along the path; where the mechanism cannot follow it, along the nearest that it can, and a word of that."""
    from lagrangian.inverse_dynamics.inverse import inverse as follow
    from lagrangian.paths import joint_spline, spline

    body, point = on_body(m, frame, None)
    q, near = nearest(asked, m, body, point, drawn, q0, size)
    reached = np.array([place(m, row, body, point) for row in q])
    off = float(np.linalg.norm(reached - drawn, axis=1).max())
    progress = lambda done, total: asked.progress(done, total, "following the path")  # noqa: E731
    told: list[str] = []
    if off > 2e-3 * size:
        told.append(f"The mechanism cannot follow the whole path; it stays as near as it can, at most {off:.3g} m away.")
    led = directions(m, near, body, point)
    if len(led) > 1 and off <= 2e-3 * size:
        try:
            path = spline(drawn, seconds, frame=frame, directions=led)
            return follow(m, path, frame, q[0], t_eval=ROWS, limits=False, progress=progress), told
        except LagrangianError as error:
            told.append(f"The drawn curve is followed point by point: {error}")
    names = _leading(m, q)
    values = np.column_stack([q[:, k] for k in names.values()])
    values = values[np.append(True, np.linalg.norm(np.diff(values, axis=0), axis=1) > 1e-6)]
    if len(values) < 2:
        raise ArgumentError("the mechanism cannot move closer to the path", remedy="draw the path closer to the frame")
    way = joint_spline(values, seconds, names=list(names))
    return follow(m, way, None, q[0], t_eval=ROWS, limits=False, progress=progress), told


def nearest(
    asked: Asked, m: Mechanism, body: str, point: np.ndarray, drawn: np.ndarray, q0: np.ndarray, size: float
) -> tuple[np.ndarray, Posture]:
    """The configurations in which the frame is nearest to every point, from one to the next."""
    posture = Posture(m, q0, size)
    found = []
    for k, to in enumerate(drawn):
        asked.progress(k, len(drawn), "finding the motion")
        for _ in range(6):  # the first point may be far
            if pulled(posture, body, point, to, size) < 1e-6 * size or k:
                break
        found.append(posture.q.copy())
    return np.array(found), posture


def directions(m: Mechanism, posture: Posture, body: str, point: np.ndarray) -> tuple[str, ...]:
    """The axes along which the point can be led: those that its permitted speeds move, if they can be moved one by one."""
    units = posture._units
    J = slopes(m, posture.q, body, point) * units
    if posture.closed:
        _, s, Vt = np.linalg.svd(posture.dyn.constraint_jacobian(posture.q) * units)
        J = J @ Vt[int(np.sum(s > 1e-6 * s[0])) if s.size and s[0] > 0 else 0 :].T
    sizes = np.linalg.norm(J, axis=1)
    least = LED * max(float(sizes.max(initial=0.0)), 1e-300)
    led = [k for k in range(3) if sizes[k] > least]
    return tuple("xyz"[k] for k in led) if len(led) == np.linalg.matrix_rank(J, tol=least) else ()


def _leading(m: Mechanism, q: np.ndarray) -> dict[str, int]:
    """Coordinates that are led where the joints are: the actuated ones, with their places in q."""
    from lagrangian.configuration.coordinates import single_coordinates

    places = single_coordinates(m)
    actuated = {name for j in m.joints if j.actuated for name in j.coordinate_names}
    found = {name: iq for name, (iq, _) in places.items() if name in actuated} if m.equations else {}
    if not found:
        if len(places) < m.nv:
            raise ArgumentError(
                "a mechanism with ball or free joints needs a path that its frame can reach", remedy="draw another path"
            )
        found = {name: iq for name, (iq, _) in places.items()}
    return found


# -- what it asks of the joints -------------------------------------------------------------------------------------------


def power(motion: Motion) -> dict[str, Any]:
    panel = Panel("power", "power", "W", tuple(motion.speed_names), motion.tau * motion.qd, of_joints=True)
    return plot(panel.without_zeros() if not panel.empty else panel, motion.t)


def peaks(motion: Motion) -> dict[str, Any]:
    """The largest of every joint."""
    head = ["joint", "torque", "unit", "speed", "unit", "power [W]"]
    rows = []
    slides = [s for j in motion.model("peaks need").joints for s in j.slides]
    for k, name in enumerate(motion.speed_names):
        tau, qd = motion.tau[:, k], motion.qd[:, k]
        if not np.any(tau):
            continue
        force, speed = ("N", "m/s") if slides[k] else ("N m", "rad/s")
        most = np.abs(tau).max(), np.abs(qd).max(), np.abs(tau * qd).max()
        rows.append([name, f"{most[0]:.4g}", force, f"{most[1]:.4g}", speed, f"{most[2]:.4g}"])
    return {"head": head, "rows": rows}


def motors(asked: Asked, m: Mechanism, motion: Motion) -> dict[str, Any]:
    """What of the shipped catalogue can do it; the reason, where none is found."""
    from lagrangian.sizing.actuators import size_actuators
    from lagrangian.sizing.text import motor_rows, remarks

    asked.progress(1, 1, "choosing motors")
    try:
        with hearing():
            sizing = size_actuators(m, motion)
    except LagrangianError as error:
        return {"head": [], "rows": [], "remarks": [str(error)], "fits": False}
    head, *rows = motor_rows(sizing)
    return {"head": list(head), "rows": [list(x) for x in rows], "remarks": list(remarks(sizing)), "fits": sizing.fits}
