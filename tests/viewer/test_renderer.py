"""The renderer against geometry: what is near hides what is far, areas are right; files hold what they should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.shapes import Visual
from lagrangian.viewer.render.camera import Camera, camera_for_track
from lagrangian.viewer.render.film import film, frame_rows
from lagrangian.viewer.render.painter import Painter, grid_spacing, is_closed_surface
from lagrangian.viewer.render.raster import covered_pixels, plane_coefficients, visible_pixels
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.primitives import coil
from lagrangian.viewer.scene.track import motion_track, still_track

Image = pytest.importorskip("PIL.Image")


def test_spans_cover_the_pixels_whose_centres_are_inside() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-20, 60, (2, 50, 3))
    row, column, which = covered_pixels(x, y, 40, 30)
    actual = {(int(r), int(c), int(k)) for r, c, k in zip(row, column, which, strict=True)}
    px, py = np.meshgrid(np.arange(40) + 0.5, np.arange(30) + 0.5)
    for k in range(50):
        sides = [(x[k, b] - x[k, a]) * (py - y[k, a]) - (y[k, b] - y[k, a]) * (px - x[k, a]) for a, b in ((0, 1), (1, 2), (2, 0))]
        inside = np.all(np.array(sides) > 1e-3, axis=0) | np.all(np.array(sides) < -1e-3, axis=0)
        touched = np.all(np.array(sides) > -1e-3, axis=0) | np.all(np.array(sides) < 1e-3, axis=0)
        mine = np.zeros((30, 40), dtype=bool)
        for r, c, j in actual:
            if j == k:
                mine[r, c] = True
        assert (mine | ~inside).all()
        assert (~mine | touched).all()


def test_triangles_that_share_an_edge_leave_no_gap_and_do_not_overlap() -> None:
    x = np.array([[3.3, 25.7, 9.1], [25.7, 30.2, 9.1]])
    y = np.array([[2.2, 7.9, 21.4], [7.9, 28.8, 21.4]])
    row, column, _ = covered_pixels(x, y, 40, 40)
    assert len(set(zip(row.tolist(), column.tolist(), strict=True))) == len(row)
    corners = np.stack([x, y], axis=-1)
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() / 2
    assert len(row) == pytest.approx(area, rel=0.03)


def looking_down() -> Camera:
    return Camera(np.array([0.0, 0, 10]), np.eye(3), 400.0, 200, 200)


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_near_hides_what_is_far(turned: bool) -> None:
    near = np.array([[-1, -1, 2], [1, -1, 2], [0, 1, 2]], dtype=float)
    far = 3 * near * (1, 1, 0) + (0, 0, 1)
    points = np.stack([far, near] if turned else [near, far])
    pixels = visible_pixels(points, looking_down())
    seen = np.full((200, 200), -1)
    seen[pixels.row, pixels.column] = pixels.triangle
    assert seen[100, 100] == int(turned)
    x, y, _ = looking_down().project(np.array([0, -1.5, 1.0]))
    assert seen[int(y), int(x)] == 1 - int(turned)


def test_triangles_that_pass_through_each_other_meet_where_they_do() -> None:
    flat = np.array([[-4, -4, 0], [4, -4, 0], [0, 8, 0]], dtype=float)
    steep = flat @ np.array([[1, 0, 0.5], [0, 1, 0], [0, 0, 1]])  # z = x / 2
    pixels = visible_pixels(np.stack([flat, steep]), looking_down())
    right = pixels.column > 102
    left = pixels.column < 97
    assert (pixels.triangle[right] == 1).all()
    assert (pixels.triangle[left] == 0).all()


def test_gradients_interpolate() -> None:
    x, y, value = np.array([[0.0, 10, 0]]), np.array([[0.0, 0, 10]]), np.array([[[1.0], [3], [6]]])
    c, a, b = plane_coefficients(x, y, value)[0, :, 0]
    np.testing.assert_allclose([c, a, b], [1, 0.2, 0.5])


def test_a_ball_is_a_disc_of_its_size() -> None:
    solid = p.sphere(1.0, 96)
    pixels = visible_pixels(solid.vertices[solid.faces], looking_down())
    radius = 400 * np.tan(np.arcsin(1 / 10))  # the cone that touches it
    assert len(pixels.row) == pytest.approx(np.pi * radius**2, rel=0.01)


def test_pictures_drawn_in_batches_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """And backs of closed surfaces are not missed."""
    seen = still_track(lg.library("stewart"))
    painter = Painter(seen, (160, 120))
    assert all(painter.closed_parts)
    whole = painter.frame(0).astype(int)
    monkeypatch.setattr("lagrangian.viewer.render.raster.MAX_BATCH_PIXELS", 500)
    painter.closed_parts = [False] * len(painter.closed_parts)
    assert (np.abs(painter.frame(0) - whole).max(axis=2) > 24).mean() < 2e-3  # but where two are equally near
    open_box = p.box((1, 1, 1))
    assert is_closed_surface(open_box.vertices, open_box.faces)
    assert not is_closed_surface(open_box.vertices, open_box.faces[:-1])


def test_many_links_are_coarse_and_thin(tmp_path: Path) -> None:
    bodies = [lg.Body(f"l{k}", 1, (0.5, 0, 0), (0, 0.1, 0.1)) for k in range(500)]
    at = lg.Transform(position=(1, 0, 0))
    joints = [lg.Joint(f"q{k}", "revolute", f"l{k - 1}" if k else "ground", f"l{k}", at, axis=(0, -1, 0)) for k in range(500)]
    seen = still_track(lg.Mechanism("chain", bodies, joints))
    assert sum(len(part.faces) for part in seen.scene.parts) < 200 * 500
    assert all(np.ptp(part.vertices, axis=0).min() < 0.02 * seen.scene.size for part in seen.scene.parts if part.name[0] == "l")
    assert (Painter(seen, (160, 120)).frame(0) < 200).any(axis=2).sum() > 60


@pytest.mark.parametrize("name", ["two_r", "stewart", "puma560", "chaplygin_sleigh"])
def test_all_of_it_is_in_the_picture(name: str) -> None:
    seen = still_track(lg.library(name))
    camera = camera_for_track(seen, 320, 240)
    painter = Painter(seen, (320, 240))
    (triangles, _), _ = painter._geometry(0)
    x, y, depth = camera.project(triangles.points.reshape(-1, 3))
    assert depth.min() > 0
    assert x.min() > 5
    assert x.max() < 315
    assert y.min() > 5
    assert y.max() < 235
    assert max(np.ptp(x) / 320, np.ptp(y) / 240) > 0.6  # and fills it


def test_a_still_shows_the_body_in_its_colour_on_white(tmp_path: Path) -> None:
    body = lg.Body("b", 1, (0, 0, 0), (1, 1, 1), visuals=(Visual("sphere", (1.0,), color=(1, 0, 0, 1)),))
    m = lg.Mechanism("red", [body], [lg.Joint("j", "free", "ground", "b")])
    image = m.draw(size=(160, 120))
    assert image.shape == (120, 160, 3)
    assert image.dtype == np.uint8
    r, g, b = image[60, 80].astype(int)
    assert r > 120
    assert max(g, b) < r - 80
    assert (image[0] == 255).all()
    path = m.draw(tmp_path / "red.png", size=(160, 120))
    np.testing.assert_array_equal(np.asarray(Image.open(path)), image)


def test_what_is_translucent_lets_through_what_is_behind() -> None:
    def picture(opacity: float) -> np.ndarray:
        visuals = (Visual("box", (4, 4, 4), color=(0, 0, 1, opacity)), Visual("sphere", (1.0,), color=(1, 0, 0, 1)))
        body = lg.Body("b", 1, (0, 0, 0), (1, 1, 1), visuals=visuals)
        return np.asarray(lg.Mechanism("m", [body], [lg.Joint("j", "free", "ground", "b")]).draw(size=(160, 120))).astype(int)

    assert picture(1.0)[60, 80, 0] < 60
    assert picture(0.3)[60, 80, 0] > 90
    assert picture(0.3)[60, 80, 2] > 30


def test_a_gif_has_the_pictures_of_the_motion(tmp_path: Path) -> None:
    motion = lg.simulate(lg.library("pendulum"), t_span=(0, 1))
    messages: list[tuple[int, int]] = []
    path = film(motion_track(motion, forces=False), tmp_path / "p.gif", (120, 90), progress=lambda k, n: messages.append((k, n)))
    with Image.open(path) as image:
        assert image.n_frames == 21  # 20 a second
        assert image.info["loop"] == 0
        assert image.size == (120, 90)
        first = np.asarray(image.convert("RGB")).astype(int)
        image.seek(10)
        other = np.asarray(image.convert("RGB")).astype(int)
    assert messages == [(k, 21) for k in range(1, 22)]
    assert (np.abs(first - other).max(axis=2) > 60).sum() > 50
    assert (first[:5] == 255).all()


def test_slow_motion_has_more_pictures() -> None:
    t = np.linspace(0, 2, 61)
    assert len(frame_rows(t, 20, 1.0)) == 41
    assert len(frame_rows(t, 20, 0.5)) == 81
    assert frame_rows(t, 20, 1.0)[:3] == [0, 1, 3] or frame_rows(t, 20, 1.0)[-1] == 60
    assert frame_rows(np.zeros(1), 20, 1.0) == [0]


def test_an_mp4_plays_as_long_as_it_should(tmp_path: Path) -> None:
    import shutil
    import subprocess

    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        pytest.skip("ffmpeg is not installed")
    seen = motion_track(lg.simulate(lg.library("pendulum"), t_span=(0, 1)), forces=False)
    with pytest.warns(UserWarning, match="122 x 90 pixels, not 121 x 90"):
        path = film(seen, tmp_path / "p.mp4", (121, 90))
    command = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,nb_frames", "-of", "csv=p=0", str(path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "122,90,31"


def test_without_ffmpeg_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    seen = still_track(lg.library("pendulum"))
    with pytest.raises(lg.ArgumentError, match=r"ffmpeg.*install ffmpeg.*\.gif and \.html"):
        film(seen, tmp_path / "p.mp4")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"path": "x.avi"}, "must end in .gif or .mp4"),
        ({"path": "x.gif", "speed": 0}, "positive number"),
        ({"path": "x.gif", "size": (3, 3)}, "16 to 8192"),
        ({"path": "x.gif", "size": 5}, "a width and a height"),
        ({"path": "nowhere/at/all/x.gif"}, "no folder"),
    ],
)
def test_bad_films_are_reported(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        film(still_track(lg.library("pendulum")), **arguments)  # type: ignore[arg-type]
    with pytest.raises(lg.ArgumentError, match=r"must end in \.png"):
        lg.library("pendulum").draw("x.jpg")


def test_a_spring_reaches_from_end_to_end() -> None:
    a, b = np.array([1.0, 2, 3]), np.array([2.0, 0, 5])
    mesh = coil(a, b, 0.1)
    axis = (b - a) / 3
    along = (mesh.vertices - a) @ axis
    assert along.min() == pytest.approx(0, abs=0.03)
    assert along.max() == pytest.approx(3, abs=0.03)
    across = np.linalg.norm(mesh.vertices - a - along[:, None] * axis, axis=1)
    assert across.max() == pytest.approx(0.122, rel=0.02)


def test_grid_lines_are_at_round_lengths() -> None:
    assert [grid_spacing(x) for x in (0.9, 2, 5, 90)] == pytest.approx([0.1, 0.2, 0.5, 10])
