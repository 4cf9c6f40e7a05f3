"""The plot and the notebook view of a sizing, from packages of a higher layer, which are imported where they are called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lagrangian.sizing.actuators import ActuatorSizing


class SizingDisplay:
    """The methods of a sizing that draw it."""

    def plot(self, joint: str | Iterable[str] | None = None, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot torque over speed at the motors, in the envelopes of the motors.

        Parameters
        ----------
        joint : str or iterable of str, optional
            The joints. The default is all of them.
        path : str or path, optional
            A file to write the figure to, such as "motors.png".

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from lagrangian.plots.torque_speed import plot_torque_speed

        if isinstance(joint, str) and path is None and joint.lower().endswith((".png", ".svg", ".pdf")):
            joint, path = None, joint  # plot("motors.png")
        return plot_torque_speed(cast("ActuatorSizing", self), joint, path=path)

    def _repr_html_(self) -> str:
        from lagrangian.plots.notebook import sizing_html

        return sizing_html(cast("ActuatorSizing", self))
