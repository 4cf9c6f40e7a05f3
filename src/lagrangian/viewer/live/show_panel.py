"""Checkboxes that show or hide parts of a scene: axes, named frames, centres of mass and the grid."""

from __future__ import annotations

import re
from typing import Any

from lagrangian.viewer.live.scene import LiveScene


class ShowPanel:
    """The checkboxes of a scene."""

    def __init__(self, server: Any, scene: LiveScene) -> None:
        gui = server.gui
        with gui.add_folder("Show"):
            axes = gui.add_checkbox("Axes of bodies", False)
            axes.on_update(lambda _: scene.show_axes(bodies=axes.value))
            if len(scene.scene.frames) > 1 + scene.scene.bodies:
                named = gui.add_checkbox("Named frames", False)
                named.on_update(lambda _: scene.show_axes(named=named.value))
            masses = gui.add_checkbox("Centres of mass", False)
            masses.on_update(lambda _: scene.show_masses(masses.value))
            grid = gui.add_checkbox("Grid", True)

            def show_grid(_: Any) -> None:
                scene.grid.visible = grid.value

            grid.on_update(show_grid)


def escape_markdown(text: str) -> str:
    """Text from a file as markdown that shows it unchanged."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&])", r"\\\1", text)
