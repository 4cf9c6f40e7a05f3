"""The job `inverse`: the torques that lead a frame along a drawn path, and motors for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, LagrangianError, is_number, unknown_name_message
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.plots.quantities import CurvePanel
from lagrangian.posing.drag_point import drag_point, point_jacobian, point_position
from lagrangian.posing.posture import Posture
from lagrangian.studio.request_checks import body_point, read_number, read_numbers
from lagrangian.studio.tasks import TaskRequest
from lagrangian.studio.tasks.motion import motion_data, motion_plots, plot_data
from lagrangian.studio.thread_warnings import collect_warnings

ROWS = 401
POINT_COUNT = 24  # of a drawn curve: few enough that the tremble of a hand is not followed
MAX_POINTS = 5000
MIN_SLOPE = 1e-6  # of the largest: along directions that move less, the point cannot be led


def inverse(request: TaskRequest) -> dict[str, Any]:
    m, options = request.model.valid_mechanism, request.options
    frame = _read_frame(m, options.get("frame"))
    path_points = smooth_path(_read_points(options.get("points")))
    seconds = read_number(options, "seconds", 2.0, 0.01, 3600.0)
    size = float(request.model.view().track.scene.size)
    q0 = read_numbers(options["q0"], m.nq, "q0") if options.get("q0") is not None else request.model.view().q
    request.progress(0, seconds, "following the path")
    with collect_warnings() as caught_warnings:
        motion, notes = follow_drawn_path(request, m, frame, path_points, seconds, q0, size)
    result = motion_data(motion, caught_warnings)
    result["warnings"] = [*notes, *result["warnings"]]
    result["plots"] = [*motion_plots(motion, ("torques", "speeds", "coordinates")), power_plot(motion)]
    result["peaks"] = peak_table(motion)
    result["path"] = path_points.tolist()
    result["motors"] = motor_table(request, m, motion) if options.get("motors", True) else None
    return result


def _read_frame(m: Mechanism, name: Any) -> str:
    names = [*(f.name for f in m.frames), *(b.name for b in m.bodies)]
    if name is None and m.frames:
        return m.frames[-1].name
    if not isinstance(name, str) or name not in names:
        raise ArgumentError(unknown_name_message("frame or body", name, names))
    return name


def _read_points(points: Any) -> np.ndarray:
    valid = isinstance(points, list) and 2 <= len(points) <= MAX_POINTS
    if not valid or not all(isinstance(p, list) and len(p) == 3 and all(is_number(x) for x in p) for p in points):
        raise ArgumentError("a path needs two or more points, each with three numbers", argument="points")
    return np.array(points, dtype=float)


def smooth_path(points: np.ndarray, count: int = POINT_COUNT) -> np.ndarray:
    """Points at even distances along a drawn path, each averaged with its neighbours; its ends, and a closed curve, stay."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    points = points[np.append(True, steps > 0)]
    if len(points) < 2:
        raise ArgumentError("the path is a single point", remedy="draw a line")
    arc_length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    set_by_hand = len(points) <= 4  # points that were set one by one are meant
    if set_by_hand:
        return points
    distances = np.linspace(0, arc_length[-1], 4 * count)
    fine = np.column_stack([np.interp(distances, arc_length, points[:, k]) for k in range(3)])
    for _ in range(2):
        fine[1:-1] = (fine[:-2] + 2 * fine[1:-1] + fine[2:]) / 4
    return fine[np.linspace(0, len(fine) - 1, count).round().astype(int)]


def follow_drawn_path(
    request: TaskRequest, m: Mechanism, frame: str, path_points: np.ndarray, seconds: float, q0: np.ndarray, size: float
) -> tuple[Motion, list[str]]:
    """The motion along the path, or along the nearest path that the mechanism can follow, and notes about the difference."""
    from lagrangian.inverse_dynamics.inverse import inverse as inverse_dynamics
    from lagrangian.paths import joint_spline, spline

    body, point = body_point(m, frame, None)
    q, posture = nearest_configurations(request, m, body, point, path_points, q0, size)
    positions = np.array([point_position(m, row, body, point) for row in q])
    largest_distance = float(np.linalg.norm(positions - path_points, axis=1).max())
    progress = lambda done, total: request.progress(done, total, "following the path")  # noqa: E731
    notes: list[str] = []
    if largest_distance > 2e-3 * size:
        notes.append(
            f"The mechanism cannot follow the whole path; it stays as near as it can, at most {largest_distance:.3g} m away."
        )
    axes = controllable_axes(m, posture, body, point)
    if len(axes) > 1 and largest_distance <= 2e-3 * size:
        try:
            path = spline(path_points, seconds, frame=frame, directions=axes)
            return inverse_dynamics(m, path, frame, q[0], t_eval=ROWS, limits=False, progress=progress), notes
        except LagrangianError as error:
            notes.append(f"The drawn curve is followed point by point: {error}")
    leading = _leading_coordinates(m, q)
    values = np.column_stack([q[:, k] for k in leading.values()])
    values = values[np.append(True, np.linalg.norm(np.diff(values, axis=0), axis=1) > 1e-6)]
    if len(values) < 2:
        raise ArgumentError("the mechanism cannot move closer to the path", remedy="draw the path closer to the frame")
    joint_path = joint_spline(values, seconds, names=list(leading))
    return inverse_dynamics(m, joint_path, None, q[0], t_eval=ROWS, limits=False, progress=progress), notes


def nearest_configurations(
    request: TaskRequest, m: Mechanism, body: str, point: np.ndarray, path_points: np.ndarray, q0: np.ndarray, size: float
) -> tuple[np.ndarray, Posture]:
    """The configurations in which the frame is nearest to every point, from one to the next."""
    posture = Posture(m, q0, size)
    configurations = []
    for k, to in enumerate(path_points):
        request.progress(k, len(path_points), "finding the motion")
        for _ in range(6):  # the first point may be far
            if drag_point(posture, body, point, to, size) < 1e-6 * size or k:
                break
        configurations.append(posture.q.copy())
    return np.array(configurations), posture


def controllable_axes(m: Mechanism, posture: Posture, body: str, point: np.ndarray) -> tuple[str, ...]:
    """The axes along which the point can be led: those along which permitted speeds move it, if they can do so one by one."""
    scales = posture.speed_scales
    J = point_jacobian(m, posture.q, body, point) * scales
    if posture.has_constraints:
        _, s, Vt = np.linalg.svd(posture.dyn.constraint_jacobian(posture.q) * scales)
        J = J @ Vt[int(np.sum(s > 1e-6 * s[0])) if s.size and s[0] > 0 else 0 :].T
    sizes = np.linalg.norm(J, axis=1)
    smallest = MIN_SLOPE * max(float(sizes.max(initial=0.0)), 1e-300)
    axes = [k for k in range(3) if sizes[k] > smallest]
    return tuple("xyz"[k] for k in axes) if len(axes) == np.linalg.matrix_rank(J, tol=smallest) else ()


def _leading_coordinates(m: Mechanism, q: np.ndarray) -> dict[str, int]:
    """The coordinates of a path of joints, with their indices in q: the actuated ones of a mechanism with loops, else all."""
    from lagrangian.configuration.coordinates import single_coordinates

    indices = single_coordinates(m)
    actuated = {name for j in m.joints if j.actuated for name in j.coordinate_names}
    columns = {name: iq for name, (iq, _) in indices.items() if name in actuated} if m.equation_count else {}
    if not columns:
        if len(indices) < m.nv:
            raise ArgumentError(
                "a mechanism with ball or free joints needs a path that its frame can reach", remedy="draw another path"
            )
        columns = {name: iq for name, (iq, _) in indices.items()}
    return columns


# -- what the joints need --------------------------------------------------------------------------------------------


def power_plot(motion: Motion) -> dict[str, Any]:
    panel = CurvePanel("power", "power", "W", tuple(motion.speed_names), motion.tau * motion.qd, named_by_joint=True)
    return plot_data(panel.without_zeros() if not panel.empty else panel, motion.t)


def peak_table(motion: Motion) -> dict[str, Any]:
    """The largest torque, speed and power of each joint that has a torque."""
    head = ["joint", "torque", "unit", "speed", "unit", "power [W]"]
    rows = []
    slides = [s for j in motion.model("peaks need").joints for s in j.slides]
    for k, name in enumerate(motion.speed_names):
        tau, qd = motion.tau[:, k], motion.qd[:, k]
        if not np.any(tau):
            continue
        force, speed = ("N", "m/s") if slides[k] else ("N m", "rad/s")
        largest = np.abs(tau).max(), np.abs(qd).max(), np.abs(tau * qd).max()
        rows.append([name, f"{largest[0]:.4g}", force, f"{largest[1]:.4g}", speed, f"{largest[2]:.4g}"])
    return {"head": head, "rows": rows}


def motor_table(request: TaskRequest, m: Mechanism, motion: Motion) -> dict[str, Any]:
    """The motors of the shipped catalogue that can do it, or the reason why there is none."""
    from lagrangian.sizing.actuators import size_actuators
    from lagrangian.sizing.tables import motor_rows, remarks

    request.progress(1, 1, "choosing motors")
    try:
        with collect_warnings():
            sizing = size_actuators(m, motion)
    except LagrangianError as error:
        return {"head": [], "rows": [], "remarks": [str(error)], "fits": False}
    head, *rows = motor_rows(sizing)
    return {"head": list(head), "rows": [list(x) for x in rows], "remarks": list(remarks(sizing)), "fits": sizing.fits}
