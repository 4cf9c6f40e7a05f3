"""A track as a film: an endless GIF, or an MP4 if ffmpeg is installed."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, is_number, warn
from lagrangian.files import as_target_path, replacing, write
from lagrangian.viewer.render.colours import colour_palette, count_colours
from lagrangian.viewer.render.painter import Painter
from lagrangian.viewer.render.still import check_size
from lagrangian.viewer.scene.scene import Track

SIZES = {".gif": (640, 480), ".mp4": (960, 720)}  # pixels, by default
GIF_RATE, MP4_RATE = 20, 30  # pictures a second
COLOURS = 128
THREADS = max(1, min(4, os.cpu_count() or 1))
Progress = Callable[[int, int], Any]


def film(
    track: Track,
    path: str | os.PathLike[str],
    size: tuple[int, int] | None = None,
    speed: float = 1.0,
    progress: Progress | None = None,
) -> Path:
    """Write a track as a film, `speed` times as fast as it happens; `progress(done, total)` is called for every picture."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in SIZES:
        raise ArgumentError(f"{file}: the name of a film must end in .gif or .mp4", concerns="path")
    if not is_number(speed) or not speed > 0:
        raise ArgumentError(f"is {speed!r}", argument="speed", remedy="a positive number is needed, such as 0.5 for slow motion")
    width, height = check_size(size or SIZES[suffix])
    as_target_path(file)
    if suffix == ".mp4":
        if shutil.which("ffmpeg") is None:
            raise ArgumentError(
                f"{file}: an .mp4 film needs the program ffmpeg, which is not on the PATH (Debian: apt install ffmpeg, "
                f"macOS: brew install ffmpeg); .gif and .html do not need it"
            )
        if width % 2 or height % 2:
            requested_size, (width, height) = f"{width} x {height}", (width + width % 2, height + height % 2)
            warn(f"{file}: the film is {width} x {height} pixels, not {requested_size}: H.264 needs even numbers", UserWarning)
    rows = frame_rows(track.t, GIF_RATE if suffix == ".gif" else MP4_RATE, speed)
    painter = Painter(track, (width, height))
    pictures = _render_frames(painter, rows, progress)
    if suffix == ".gif":
        write(file, _gif_bytes(pictures, np.concatenate([painter.frame(rows[0]), painter.frame(rows[-1])])))
    else:
        with replacing(file) as partial_file:
            _write_mp4(file, partial_file, pictures, (width, height))
    return file


def frame_rows(t: np.ndarray, rate: float, speed: float) -> list[int]:
    """The row of a track for each picture of a film of this rate."""
    if len(t) < 2:
        return [0]
    count = max(2, round(float(t[-1] - t[0]) / speed * rate) + 1)
    times = np.linspace(t[0], t[-1], count)
    return np.abs(np.searchsorted((t[1:] + t[:-1]) / 2, times)).tolist()


def _render_frames(painter: Painter, rows: list[int], progress: Progress | None) -> Iterator[np.ndarray]:
    """The pictures of rows, one after another, while threads draw the next ones: numpy lets them run at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        ahead: deque[Future[np.ndarray]] = deque()
        submitted = -1
        for k in range(len(rows)):
            while submitted + 1 < len(rows) and len(ahead) <= THREADS + 1:
                submitted += 1
                same = submitted > 0 and rows[submitted] == rows[submitted - 1] and bool(ahead)
                ahead.append(ahead[-1] if same else pool.submit(painter.frame, rows[submitted]))
            yield ahead.popleft().result()
            if progress is not None:
                progress(k + 1, len(rows))


def _gif_bytes(pictures: Iterator[np.ndarray], sample: np.ndarray) -> bytes:
    """The GIF with one palette, from a sample of pictures: parts that stand still do not flicker, and take no bytes."""
    from PIL import Image

    _, distinct, pixel_counts = count_colours(sample.reshape(-1, 3))
    entries = colour_palette(distinct, pixel_counts, COLOURS)
    entries[entries.min(axis=1) > 246] = 255  # white stays white
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.resize(entries, (256, 3)).tobytes())
    images = [Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    step = 1000 // GIF_RATE
    durations = [step] * (len(images) - 1) + [1000]  # the film rests before it begins again
    stream = io.BytesIO()
    images[0].save(stream, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=False)
    return stream.getvalue()


def _write_mp4(file: Path, partial_file: Path, pictures: Iterator[np.ndarray], size: tuple[int, int]) -> None:
    """Have ffmpeg write the film to a file beside its own."""
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}"]
    command += ["-r", str(MP4_RATE), "-i", "-", "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    with subprocess.Popen([*command, str(partial_file.absolute())], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg says why
        except BaseException:
            process.kill()
            raise
        messages = process.stderr.read().decode(errors="replace").strip()
    if process.returncode:
        raise ArgumentError(f"{file}: ffmpeg could not write the film: {messages[-300:] or process.returncode}")
