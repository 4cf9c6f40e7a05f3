"""What a mechanism and results in text show of themselves: pictures, a page in the browser, tables in a notebook.

Later packages do the work; they are imported where they are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lagrangian.types import Path, State, Vector3

if TYPE_CHECKING:
    import pathlib

    import numpy as np
    from numpy.typing import ArrayLike

    from lagrangian.model.mechanism import Mechanism
    from lagrangian.viewer.live import Viewer


class MechanismDisplay:
    """The methods of a mechanism that draw it."""

    def draw(
        self,
        path: Path | None = None,
        *,
        q: State = None,
        size: tuple[int, int] = (960, 720),
        view: str | tuple[float, float] | None = None,
        zoom: float = 1.0,
        target: str | Vector3 | None = None,
    ) -> np.ndarray | pathlib.Path:
        """Draw a picture of the mechanism.

        Parameters
        ----------
        path : str or path-like, optional
            The PNG file to write. Without it, the picture is returned as an array.
        q : array_like, mapping or str, optional
            The configuration: all coordinates, some by name, or the name of a pose. The default is that of the mechanism.
        size : pair of int, optional
            Width and height in pixels; the default is (960, 720).
        view : str or pair of float, optional
            The direction of view: "front", "back", "left", "right", "top" or "bottom", or azimuth and elevation in degrees, such
            as (30, 20). The azimuth is counted anticlockwise from the front, as seen from above.
        zoom : float, optional
            The magnification; 2 draws everything twice as large.
        target : str or array_like, optional
            The centre of the picture: the name of a frame or body, or a point in m. By default the whole mechanism is visible.

        Returns
        -------
        numpy.ndarray or pathlib.Path
            The picture as an array of bytes with the shape (height, width, 3), or the path of the file.

        Raises
        ------
        ArgumentError
            If the file is not a PNG file, or if the size or the view is wrong.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.library("pendulum").draw("pendulum.png", q="aside", view="front").name  # doctest: +SKIP
        'pendulum.png'
        """
        from lagrangian.viewer.render.still import draw

        return draw(cast("Mechanism", self), path, q=cast("ArrayLike", q), size=size, view=view, zoom=zoom, target=target)

    def view(self, *, q: State = None, port: int | None = None, browser: bool = True, block: bool = True) -> Viewer:
        """Show the mechanism in the web browser, with a slider for every joint.

        Loops stay closed while a joint is moved. The page is visible on this computer only.

        Parameters
        ----------
        q : array_like, mapping or str, optional
            The configuration at the start: all coordinates, some by name, or the name of a pose.
        port : int, optional
            The port of the server. By default it is the first free one from 8080 on.
        browser : bool, optional
            Whether to open the browser; the default is True.
        block : bool, optional
            Whether to serve until Ctrl-C is pressed, which is the default. Otherwise the method returns at once.

        Returns
        -------
        Viewer
            The viewer; its `close()` ends it.
        """
        from lagrangian.viewer.live import view

        return view(cast("Mechanism", self), q=cast("ArrayLike", q), port=port, browser=browser, block=block)

    def _repr_html_(self) -> str:
        from lagrangian.plots.notebook import mechanism_html

        return mechanism_html(cast("Mechanism", self))


class TextDisplay:
    """A result that a notebook shows as its text."""

    def _repr_html_(self) -> str:
        from lagrangian.plots.notebook import text_html

        return text_html(str(self))
