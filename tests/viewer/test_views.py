"""From where pictures are taken, how they fill their frame, and pictures for pages that are light or dark."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lagrangian as lg
from lagrangian.viewer.render.camera import VIEWS, camera_for_track, read_view
from lagrangian.viewer.render.painter import Painter
from lagrangian.viewer.render.still import palette_png
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scene.track import motion_track, still_track

SIZE = (320, 240)


@cache
def track_of(name: str) -> Track:
    return still_track(lg.library(name))


def picture_positions(name: str, **how: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where every corner of every triangle is in the picture."""
    view = read_view(track_of(name), **how)
    camera = camera_for_track(track_of(name), *SIZE, view)
    (triangles, _), _ = Painter(track_of(name), SIZE, view)._geometry(0)
    x, y, depth = camera.project(triangles.points.reshape(-1, 3))
    assert depth.min() > 0
    return x, y


@pytest.mark.parametrize(
    ("name", "view", "right", "up"),
    [
        ("two_r", "front", (1, 0, 0), (0, 1, 0)),  # in the upright x-y plane, seen face on
        ("two_r", "right", (0, 0, -1), (0, 1, 0)),
        ("puma560", "front", (1, 0, 0), (0, 0, 1)),
        ("puma560", "right", (0, 1, 0), (0, 0, 1)),  # from +x
        ("puma560", "back", (-1, 0, 0), (0, 0, 1)),
        ("puma560", "left", (0, -1, 0), (0, 0, 1)),
        ("puma560", "top", (1, 0, 0), (0, 1, 0)),
        ("puma560", "bottom", (1, 0, 0), (0, -1, 0)),
        ("puma560", (90, 0), (0, 1, 0), (0, 0, 1)),
        ("puma560", (0, 90), (1, 0, 0), (0, 1, 0)),
    ],
)
def test_what_is_right_and_what_is_up(name: str, view: Any, right: Any, up: Any) -> None:
    axes = read_view(track_of(name), view).axes(track_of(name).scene)
    np.testing.assert_allclose(axes[:2], [right, up], atol=1e-12)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)


@pytest.mark.parametrize("name", ["two_r", "four_bar", "pendulum", "stewart", "puma560"])
def test_all_is_in_the_picture_and_fills_it(name: str) -> None:
    for view in (None, *VIEWS, (40.0, 25.0)):
        x, y = picture_positions(name, view=view)
        assert x.min() > 1
        assert x.max() < SIZE[0] - 1
        assert y.min() > 1
        assert y.max() < SIZE[1] - 1
        assert max(np.ptp(x) / SIZE[0], np.ptp(y) / SIZE[1]) > 0.88, view


def test_zoom_and_target() -> None:
    x, y = picture_positions("two_r")
    twice = picture_positions("two_r", zoom=2)
    np.testing.assert_allclose(twice[0] - SIZE[0] / 2, 2 * (x - SIZE[0] / 2), atol=1e-6)
    np.testing.assert_allclose(twice[1] - SIZE[1] / 2, 2 * (y - SIZE[1] / 2), atol=1e-6)
    tip = track_of("two_r").positions[0, track_of("two_r").scene.frames.index("tip")]
    for target in ("tip", tuple(tip)):
        camera = camera_for_track(track_of("two_r"), *SIZE, read_view(track_of("two_r"), "front", target=target))
        at_x, at_y, _ = camera.project(tip)
        assert (at_x, at_y) == (pytest.approx(SIZE[0] / 2), pytest.approx(SIZE[1] / 2))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"view": "side"}, "there is no view 'side'. Known: front, right, back, left, top, bottom"),
        ({"view": 30}, "view is 30; a name .* or azimuth and elevation in degrees are needed"),
        ({"view": (30, 91)}, "view has an elevation of 91 degrees; it must be from -90 to 90"),
        ({"view": (30, float("nan"))}, "view is .*; a name"),
        ({"zoom": 0}, "zoom is 0; a factor from 0.01 to 100 is needed"),
        ({"zoom": True}, "zoom is True; a factor"),
        ({"target": "tipp"}, r"no frame or body 'tipp'. Did you mean 'tip'\?"),
        ({"target": (1, 2)}, "target is .*; a point in metres"),
    ],
)
def test_wrong_views_are_refused(how: dict[str, Any], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        lg.library("two_r").draw(size=(16, 16), **how)


@pytest.mark.parametrize("name", ["puma560", "stewart"])
def test_a_clear_picture_on_white_is_the_white_one(name: str) -> None:
    painter = Painter(track_of(name), SIZE)
    white, clear = painter.frame(0).astype(float), painter.frame(0, transparent=True)
    for pixels, off in ((clear, 1.5), (np.asarray(Image.open(io.BytesIO(palette_png(clear))).convert("RGBA")), 4.0)):
        alpha = pixels[..., 3:] / 255.0
        on_white = pixels[..., :3] * alpha + 255 * (1 - alpha)
        assert np.abs(on_white - white).mean() < off
        assert (pixels[..., 3] == 0).mean() > 0.2  # nothing is nothing
    solid = clear[..., 3] == 255
    assert np.abs(clear[solid][:, :3] - white[solid]).max() <= 1


@pytest.mark.parametrize(("height", "radius", "short"), [(2.0, 0.5, False), (0.6, 0.7, True)])
def test_legs_stay_in_their_tubes(height: float, radius: float, short: bool) -> None:
    """Of the tour's platform; and on a way where legs are shorter than its description says that their rods are."""
    platform = lg.library("stewart")
    circle = lg.paths.circle((0, 0, height), radius, duration=4, orientation=(1, 0, 0, 0), timing="uniform")
    motion = lg.inverse(platform, circle, frame="platform", t_eval=21)
    track = motion_track(motion, rows=41, forces=False)
    scene, rows = track.scene, len(track.t)
    shortest = np.inf
    for k in range(1, 7):
        lower, upper = scene.frames.index(f"lower{k}"), scene.frames.index(f"upper{k}")
        rods = [part.vertices for part in scene.parts if part.frame == upper and part.name == f"upper{k}"]
        tubes = [part.vertices for part in scene.parts if part.frame == lower and part.name == f"lower{k}"]
        for row in range(rows):
            # both have the leg's axis, and the tube is held at its frame's origin
            apart = np.linalg.norm(track.positions[row, upper] - track.positions[row, lower])
            inner = apart + min(v[:, 2].min() for v in rods)
            assert inner > 0, (k, row)
            assert inner < max(v[:, 2].max() for v in tubes)  # and the rod is still in it
            shortest = min(shortest, apart)
    assert (shortest < float(platform.parameters["s"])) == short
