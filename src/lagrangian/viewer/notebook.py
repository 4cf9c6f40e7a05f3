"""An animation that shows itself in a cell of a notebook: as a widget where there are widgets, else as a page in a frame."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from lagrangian.motion.motion import Motion
from lagrangian.viewer.page import page_html
from lagrangian.viewer.page_program import PageProgram, page_program
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scene.track import motion_track

FRAME_HEIGHT = 560  # px, of a page in a frame
STILL_SIZE = (480, 360)


def display_in_notebook(motion: Motion, speed: float, trace: str | Iterable[str] | None, sliders: Any) -> Any:
    """The animation that `animate` returns in a notebook."""
    animation_track = motion_track(motion, trace=trace)
    animation = NotebookAnimation(motion, animation_track, page_program(motion, animation_track, sliders), speed)
    try:
        from lagrangian.viewer.notebook_widget import AnimationWidget
    except ImportError:  # of anywidget, which is an extra
        return FramedAnimation(animation)
    return AnimationWidget(animation)


@dataclass(frozen=True)
class NotebookAnimation:
    """A motion with its track, its page program and its speed."""

    motion: Motion
    track: Track
    program: PageProgram | None
    speed: float

    @property
    def title(self) -> str:
        return self.motion.name or "motion"

    def html(self) -> str:
        """The page in a frame, over a picture that remains where frames are not allowed."""
        from lagrangian.viewer.render.painter import Painter

        page = page_html(self.track, self.title, speed=self.speed, program=self.program)
        picture = _png_base64(Painter(self.track, STILL_SIZE).frame(0))
        name = escape(f"animation of {self.title}", quote=True)
        over = "position:absolute;inset:0;width:100%;height:100%;border:0"
        return (
            f'<div style="position:relative;height:{FRAME_HEIGHT}px;overflow:hidden">'
            f'<img src="data:image/png;base64,{picture}" alt="{name}" style="max-width:100%">'
            f'<iframe title="{name}" style="{over}" srcdoc="{escape(page, quote=True)}"></iframe></div>'
        )


def _png_base64(pixels: Any) -> str:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).quantize(128).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")


class FramedAnimation:
    """An animation for a cell without widgets: its page, in a frame."""

    def __init__(self, animation: NotebookAnimation) -> None:
        self.animation = animation

    def _repr_html_(self) -> str:
        return self.animation.html()

    def __repr__(self) -> str:
        return console_text(self.animation)


def console_text(animation: NotebookAnimation) -> str:
    """The text of an animation in a console."""
    return f"<animation of {animation.title}: a notebook shows it; motion.animate(path) writes it to a file>"
