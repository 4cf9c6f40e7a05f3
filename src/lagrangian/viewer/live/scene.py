"""A scene in viser: meshes on frames that move, struts between them, axes, centres of mass, a grid and the camera."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.viewer.render.camera import CameraView, camera_for_track
from lagrangian.viewer.render.painter import grid_spacing
from lagrangian.viewer.scene.primitives import coil, cylinder, rotation_z_to
from lagrangian.viewer.scene.scene import Colour, Strut, Track

MARK: Colour = (0.0, 0.0, 0.0)
PATH: Colour = (0.835, 0.369, 0.0)


class LiveScene:
    """The scene that the browser shows; `show` moves it."""

    def __init__(self, server: Any, track: Track, mechanism: Mechanism) -> None:
        self.server, self.scene, self.mechanism = server, track.scene, mechanism
        api, drawn_scene = server.scene, self.scene
        api.configure_environment_map(None)  # a picture that lights the scene, and more to send
        api.configure_default_lights(True, cast_shadow=True)
        api.add_light_ambient("/own/light", intensity=1.1)
        api.set_up_direction(tuple(drawn_scene.up))
        self._camera(track)
        # nodes are named by number: bodies may have any names, and two must not be one node
        self.frames = [api.add_frame(_node(k), show_axes=False) for k in range(len(drawn_scene.frames))]
        for k, part in enumerate(drawn_scene.parts):
            api.add_mesh_simple(
                _node(part.frame, f"part{k}"),
                part.vertices,
                part.faces,
                color=part.color,
                opacity=part.opacity if part.opacity < 1 else None,
                cast_shadow=part.opacity == 1,
            )
        self._struts = [self._strut(k, strut) for k, strut in enumerate(drawn_scene.struts)]
        self._bodies = range(1, 1 + drawn_scene.bodies)
        self._named = range(1 + drawn_scene.bodies, len(drawn_scene.frames))
        self._axes = {k: self._axis(k) for k in range(len(drawn_scene.frames))}
        self._labels: dict[int, Any] = {}
        self._masses = [self._mass(k) for k in self._bodies]
        self.grid = self._grid()
        self._path: Any = None
        self.show(track.positions[0], track.quaternions[0])

    def show(self, positions: np.ndarray, quaternions: np.ndarray) -> None:
        """Move everything to the poses of the frames: positions (frames, 3) and quaternions (frames, 4)."""
        with self.server.atomic():
            for frame, p, turn in zip(self.frames, positions, quaternions, strict=True):
                frame.position, frame.wxyz = p, turn
            for strut, (mesh, length) in zip(self.scene.struts, self._struts, strict=True):
                a, b = (
                    quaternion.matrix(quaternions[k]) @ np.array(at) + positions[k]
                    for k, at in ((strut.a, strut.a_point), (strut.b, strut.b_point))
                )
                apart = float(np.linalg.norm(b - a))
                mesh.position = a
                mesh.scale = (1.0, 1.0, max(apart, 1e-9) / length)
                if apart > 1e-9:
                    mesh.wxyz = quaternion.from_matrix(rotation_z_to(b - a))

    # -- what can be shown or hidden ------------------------------------------------------------------------------------

    def show_axes(self, bodies: bool | None = None, named: bool | None = None) -> None:
        """Show or hide the axes of bodies and the ground, and those of named frames with their names."""
        if bodies is not None:
            for k in (0, *self._bodies):
                self._axes[k].visible = bodies
        if named is not None:
            for k in self._named:
                self._axes[k].visible = named
                if named and k not in self._labels:
                    name = self.scene.frames[k]
                    self._labels[k] = self.server.scene.add_label(
                        _node(k, "label"), name, font_screen_scale=0.9, anchor="bottom-left"
                    )
                if k in self._labels:
                    self._labels[k].visible = named

    def show_masses(self, visible: bool) -> None:
        """Show or hide marks at the centres of mass."""
        for mark in self._masses:
            mark.visible = visible

    def show_path(self, points: np.ndarray | None) -> None:
        """Draw a line through points (rows, 3), or none for None."""
        if self._path is not None:
            self._path.remove()
            self._path = None
        if points is not None and len(points) > 1:
            self._path = self.server.scene.add_line_segments(
                "/own/path", np.stack([points[:-1], points[1:]], axis=1), colors=PATH, line_width=2.5
            )

    # -- what is added at first -------------------------------------------------------------------------------------

    def _camera(self, track: Track) -> None:
        drawn_scene, start = self.scene, self.server.initial_camera
        view = camera_for_track(track, 800, 800)
        back = np.array(drawn_scene.view_direction, dtype=float)
        far = float((view.eye - np.array(drawn_scene.center)) @ back)
        far = 1.15 * (far if far > 1e-9 else 2 * drawn_scene.size)
        middle = view.eye - far / 1.15 * back
        start.look_at, start.position, start.up = middle, middle + far * back, tuple(drawn_scene.up)
        start.fov = math.radians(CameraView.field)
        start.near, start.far = far / 500, 40 * far

    def _strut(self, k: int, strut: Strut) -> tuple[Any, float]:
        """The mesh of a strut along z, and its length."""
        length = 1.0
        if strut.kind == "spring":
            length = 12 * strut.radius
            mesh = coil(np.zeros(3), np.array([0.0, 0.0, length]), strut.radius)
        else:
            mesh = cylinder(strut.radius, length).with_pose(np.eye(3), np.array([0.0, 0.0, length / 2]))
        handle = self.server.scene.add_mesh_simple(f"/own/strut{k}", mesh.vertices, mesh.faces, color=strut.color)
        return handle, length

    def _axis(self, k: int) -> Any:
        length = 0.10 * self.scene.size
        return self.server.scene.add_frame(
            _node(k, "axes"),
            axes_length=length,
            axes_radius=0.035 * length,
            origin_radius=0.06 * length,
            origin_color=(60, 60, 60),
            visible=False,
        )

    def _mass(self, k: int) -> Any:
        body = self.mechanism.bodies[k - 1]
        return self.server.scene.add_icosphere(
            _node(k, "mass"),
            radius=0.012 * self.scene.size,
            color=MARK,
            position=tuple(float(x) for x in body.center),
            visible=False,
        )

    def _grid(self) -> Any:
        drawn_scene = self.scene
        up = np.array(drawn_scene.up, dtype=float)
        across = np.array(drawn_scene.center) - (float(np.dot(drawn_scene.center, up)) - drawn_scene.floor) * up
        cell = grid_spacing(drawn_scene.size)
        sides = 2 * math.ceil(1.2 * drawn_scene.size / cell) * cell
        turn = quaternion.from_matrix(rotation_z_to(up))
        return self.server.scene.add_grid(
            "/own/grid",
            width=sides,
            height=sides,
            cell_size=cell,
            section_size=5 * cell,
            cell_color=(222, 225, 229),
            section_color=(200, 204, 210),
            cell_thickness=0.8,
            section_thickness=1.0,
            shadow_opacity=0.12,
            wxyz=turn,
            position=across,
        )


def _node(frame: int, name: str = "") -> str:
    """The path in viser of a frame, or of something fixed to it."""
    return f"/frames/{frame}" + (f"/{name}" if name else "")


def poses_of(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and quaternions of homogeneous matrices (..., 4, 4)."""
    return matrices[..., :3, 3], quaternion.from_matrix(matrices[..., :3, :3])
