"""An animation that shows itself in a cell: as a widget where there are widgets, else as a page in a frame."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from lagrangian.motion.motion import Motion
from lagrangian.viewer.compute.payload import Payload, payload
from lagrangian.viewer.page import page_html
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scene.track import track

HEIGHT = 560  # px, of a page in a frame
STILL = (480, 360)


@dataclass(frozen=True)
class Animated:
    """A motion, as it is seen and computed."""

    motion: Motion
    track: Track
    computing: Payload | None
    speed: float

    @property
    def title(self) -> str:
        return self.motion.name or "motion"

    def html(self) -> str:
        """The page in a frame, before a picture of it that remains where frames are not allowed."""
        from lagrangian.viewer.render.painter import Painter

        page = page_html(self.track, self.title, speed=self.speed, computing=self.computing)
        picture = _png(Painter(self.track, STILL).frame(0))
        name = escape(f"animation of {self.title}", quote=True)
        over = "position:absolute;inset:0;width:100%;height:100%;border:0"
        return (
            f'<div style="position:relative;height:{HEIGHT}px;overflow:hidden">'
            f'<img src="data:image/png;base64,{picture}" alt="{name}" style="max-width:100%">'
            f'<iframe title="{name}" style="{over}" srcdoc="{escape(page, quote=True)}"></iframe></div>'
        )


class Framed:
    """An animation for a cell without widgets: its page, in a frame."""

    def __init__(self, animated: Animated) -> None:
        self.animated = animated

    def _repr_html_(self) -> str:
        return self.animated.html()

    def __repr__(self) -> str:
        return described(self.animated)


def shown(motion: Motion, speed: float, trace: str | Iterable[str] | None, sliders: Any) -> Any:
    """What `animate` gives in a notebook."""
    seen = track(motion, trace=trace)
    animated = Animated(motion, seen, payload(motion, seen, sliders), speed)
    try:
        from lagrangian.viewer.notebook.widget import AnimationWidget
    except ImportError:  # of anywidget, which is an extra
        return Framed(animated)
    return AnimationWidget(animated)


def described(animated: Animated) -> str:
    """For a console, which can show no more."""
    return f"<animation of {animated.title}: a notebook shows it; motion.animate(path) writes it to a file>"


def _png(pixels: Any) -> str:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).quantize(128).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")
