"""Several motions in one figure: which panels they share, and how their curves are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lagrangian.errors import ArgumentError, format_value
from lagrangian.motion.events import Happening
from lagrangian.motion.motion import Motion
from lagrangian.plots.quantities import CurvePanel, motion_panels
from lagrangian.plots.style import DASHES, GREY, curve_style


@dataclass(frozen=True, eq=False)
class SharedAxis:
    """One axis for several motions: the panel of each motion that has one, by the index of the motion."""

    panels: dict[int, CurvePanel] = field(default_factory=dict)

    @property
    def first_panel(self) -> CurvePanel:
        return next(iter(self.panels.values()))

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for panel in self.panels.values() for name in panel.names))

    @property
    def scale(self) -> str:
        """The scale of all motions: if one motion needs a logarithmic axis, all have it."""
        return next((p.scale for p in self.panels.values() if p.scale != "linear"), "linear")


def label_motions(motion: Motion, other_motions: Any, label: str | None) -> dict[str, Motion]:
    """All motions of a figure by their labels, once these are checked."""
    remedy = 'labels with motions are needed, such as {"with friction": other}'
    if other_motions is None:
        other_motions = {}
    if not isinstance(other_motions, Mapping):
        raise ArgumentError(f"is {format_value(other_motions)}", argument="others", remedy=remedy)
    if label is not None and not isinstance(label, str):
        raise ArgumentError(
            f"is {format_value(label)}", argument="label", remedy="a text is needed, the name of the first motion"
        )
    motions = {motion.name if label is None else label: motion}
    for name, other in other_motions.items():
        if not isinstance(name, str) or not isinstance(other, Motion):
            raise ArgumentError(f"has {format_value(other)} for {format_value(name)}", argument="others", remedy=remedy)
        if name in motions:
            raise ArgumentError(
                f"has the label {name!r} of another motion", argument="others", remedy="`label` names the first motion"
            )
        motions[name] = other
    return motions


def share_axes(
    motions: Iterable[Motion], quantities: Sequence[str], joints: str | Iterable[str] | None, **options: Any
) -> list[SharedAxis]:
    """The axes of a figure, in the order in which the first motion has them; then what others have besides."""
    joints = joints if joints is None or isinstance(joints, str) else list(joints)
    axes_by_label: dict[tuple[str, str, str], SharedAxis] = {}
    for k, motion in enumerate(motions):
        for panel in motion_panels(motion, quantities, joints, **options):
            axes_by_label.setdefault((panel.quantity, panel.label, panel.unit), SharedAxis()).panels[k] = panel
    return list(axes_by_label.values())


class CurveLooks:
    """How curves of several motions look: a colour for each name and dashes for each motion. Where there is one name, or there
    are more motions than dashes, it is a colour for each motion.
    """

    def __init__(self, labels: Sequence[str], axes: Sequence[SharedAxis]) -> None:
        self.labels = labels
        self.by_dashes = len(labels) <= len(DASHES) and any(len(shared.names) > 1 for shared in axes)

    def curve_look(self, motion_index: int, name_index: int, name_count: int) -> dict[str, Any]:
        """The look of a curve, by the indices of its motion and of its name among `name_count` names."""
        if self.by_dashes:
            return curve_style(name_index, name_count) | {"linestyle": DASHES[motion_index]}
        look = curve_style(motion_index, len(self.labels))
        return look if name_count == 1 else look | {"linestyle": DASHES[name_index % len(DASHES)]}

    def name_look(self, name_index: int, name_count: int) -> dict[str, Any]:
        """The look of a name, whichever motion it belongs to."""
        if self.by_dashes:
            return curve_style(name_index, name_count) | {"linestyle": "-"}
        return {"color": GREY, "linestyle": DASHES[name_index % len(DASHES)]}

    def legend_entries(self) -> list[tuple[dict[str, Any], str]]:
        """Legend entries for the motions."""
        if self.by_dashes:
            return [({"color": GREY, "linestyle": DASHES[k]}, label) for k, label in enumerate(self.labels)]
        return [(curve_style(k, len(self.labels)), label) for k, label in enumerate(self.labels)]


def labelled_events(motions: Mapping[str, Motion]) -> list[Happening]:
    """The events of a motion; those of several motions carry the labels of their motions."""
    if len(motions) == 1:
        return list(next(iter(motions.values())).events)
    return [replace(event, name=f"{label}: {event.name}") for label, motion in motions.items() for event in motion.events]
