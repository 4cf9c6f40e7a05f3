"""What a mechanism can show of itself. The work is done by packages to the right, imported where they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


class ShownMechanism:
    """Methods of a mechanism that draw it."""

    def draw(self, path: Any = None, *, q: Any = None, size: tuple[int, int] = (960, 720)) -> Any:
        """A picture in a configuration or named pose: written to `path` (.png), or as an array (height, width, 3) of bytes."""
        from lagrangian.viewer.render.still import draw

        return draw(cast("Mechanism", self), path, q=q, size=size)

    def view(self, *, q: Any = None, port: int | None = None, browser: bool = True, block: bool = True) -> Any:
        """In the browser, with sliders for its joints; loops stay closed. Ends with Ctrl-C; gives the viewer if not `block`."""
        from lagrangian.viewer.live.viewer import view

        return view(cast("Mechanism", self), q=q, port=port, browser=browser, block=block)

    def _repr_html_(self) -> str:
        from lagrangian.pictures.notebook import mechanism_html

        return mechanism_html(cast("Mechanism", self))


class ShownText:
    """Of results whose text says all."""

    def _repr_html_(self) -> str:
        from lagrangian.pictures.notebook import text_html

        return text_html(str(self))
