"""`lagrangian show`: a mechanism as tables, as a tree and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.output import spinner
from lagrangian.cli.result_options import parse_size
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from rich.tree import Tree

    from lagrangian.configuration.mobility import Mobility
    from lagrangian.model.mechanism import Mechanism

SHOW_EXAMPLES = """
lagrangian show puma560
lagrangian show arm.toml --picture arm.png --pose raised
lagrangian show arm.toml --picture arm.png --view 30,20 --target tip --zoom 2
"""
PICTURE_PANEL = "Picture"
_JOINT_PROPERTY_COLUMNS = ("limits", "rotor [kg m²]", "viscous", "Coulomb", "spring")
_MAX_TREE_JOINTS = 200  # joints of a tree that is drawn


def show(
    argument: MechanismArgument,
    picture_options: PictureOptions,
    json: JsonOption = False,
) -> None:
    """Show a mechanism: joints, bodies, degrees of freedom and tree.

    The command also lists loops, frames, poses, parameters, and everything that the reader of a robot file left out.
    """
    from lagrangian.model.printed_table import remark_lines

    m = argument.load()
    with spinner("counting degrees of freedom"):
        freedom = _mobility_or_reason(m)
    picture_options.draw(m)
    if json:
        files = [str(picture_options.picture)] if picture_options.picture else []
        return output.print_json({**mechanism_data(m), "mobility": _mobility_data(freedom), "files": files})
    console = output.stdout()
    _print_head(m, freedom)
    for title, columns, rows, right_aligned in _tables(m):
        wrapped_columns = [k for k, name in enumerate(columns) if "[" in name or name in _JOINT_PROPERTY_COLUMNS]
        in_tree = [k for k, name in enumerate(columns) if name in ("parent", "child")]  # the tree below shows them, too
        console.print(
            output.table(columns, rows, title=title, right_aligned=right_aligned, wrapped=wrapped_columns, optional=in_tree)
        )
        output.print_text()
    if len(m.joints) <= _MAX_TREE_JOINTS:
        console.print(joint_tree(m))
        output.print_text()
    for line in filter(None, remark_lines(m)):
        console.print(line, markup=False)
    if picture_options.picture is not None:
        output.print_written_file(picture_options.picture, "the picture")
    return None


@dataclass(frozen=True)
class PictureOptions:
    """A picture of a mechanism: options of `Mechanism.draw` under their own names."""

    picture: Annotated[Path | None, _picture_option("--picture", "FILE", "Draw the mechanism to a .png file.")] = None
    pose: Annotated[
        str | None, _picture_option("--pose", "NAME", "The pose in the picture. Default: the start in the description.")
    ] = None
    view: Annotated[
        str | None,
        _picture_option(
            "--view",
            "NAME",
            "The direction of view: front, back, left, right, top, bottom, or azimuth and elevation in degrees, such as 30,20.",
        ),
    ] = None
    zoom: Annotated[float | None, _picture_option("--zoom", "X", "The magnification; 2 draws everything twice as large.")] = None
    target: Annotated[
        str | None, _picture_option("--target", "NAME", "The centre of the picture: a frame, a body, or a point x,y,z.")
    ] = None
    size: Annotated[
        str | None, _picture_option("--size", "WxH", "The width and height of the picture in pixels, such as 960x720.")
    ] = None

    def draw(self, mechanism: Any) -> None:
        """Write the picture if there is a file for it."""
        options = {
            "q": self.pose,
            "view": _parse_numbers_or_name(self.view, "--view"),
            "zoom": self.zoom,
            "target": _parse_numbers_or_name(self.target, "--target"),
            "size": parse_size(self.size),
        }
        if self.picture is not None:
            mechanism.draw(self.picture, **{name: x for name, x in options.items() if x is not None})
            return
        unused_options = [f"--{'pose' if name == 'q' else name}" for name, x in options.items() if x is not None]
        if unused_options:
            raise ArgumentError(f"{' and '.join(unused_options)} cannot be used without --picture FILE")


def _picture_option(name: str, metavar: str, about: str) -> Any:
    return typer.Option(name, metavar=metavar, help=about, rich_help_panel=PICTURE_PANEL)


def _parse_numbers_or_name(text: str | None, option: str) -> Any:
    """The numbers of a text such as 30,20; a name stays a text."""
    return quantity.parse_quantities(text, option) if text is not None and "," in text else text


def joint_tree(m: Mechanism) -> Tree:
    """The tree from the ground outwards: joints with the bodies they carry, frames, and the places where loops close."""
    from rich.text import Text
    from rich.tree import Tree

    root = Tree(Text("ground", style="bold"), guide_style="dim")
    nodes = {"ground": root}
    for joint in m.outward_joints():
        label = Text.assemble(
            (joint.name, "cyan"),
            (f" {joint.type}{'' if joint.actuated else ', passive'} ", "dim"),
            ("→ ", "dim"),
            (joint.child, "bold"),
        )
        nodes[joint.child] = nodes[joint.parent].add(label)
    for frame in m.frames:
        nodes[frame.body].add(Text.assemble(("frame ", "dim"), (frame.name, "green")))
    for loop in m.loops:
        for loop_body, other_body in ((loop.a, loop.b), (loop.b, loop.a)):
            nodes[loop_body].add(Text.assemble(("loop ", "dim"), (loop.name, "magenta"), (f" {loop.type} → {other_body}", "dim")))
    for constraint in m.constraints:
        body = getattr(constraint, "body", None)
        nodes.get(body or "ground", root).add(Text.assemble(("constraint ", "dim"), (constraint.name, "magenta")))
    return root


def mechanism_data(m: Mechanism) -> dict[str, Any]:
    """A mechanism as data."""
    limits = ("lower", "upper", "speed", "effort")
    return {
        "name": m.name,
        "description": m.description,
        "source": m.source,
        "gravity": m.gravity,
        "coordinates": m.coordinate_names,
        "speeds": m.speed_names,
        "bodies": [{"name": b.name, "mass": b.mass, "center": b.center, "inertia": b.inertia} for b in m.bodies],
        "joints": [
            {
                "name": j.name,
                "type": j.type,
                "parent": j.parent,
                "child": j.child,
                "axis": j.axes[0] if j.axes else None,
                "actuated": j.actuated,
                "limits": {name: getattr(j.limits, name) for name in limits},
            }
            for j in m.joints
        ],
        "loops": [{"name": x.name, "type": x.type, "a": x.a, "b": x.b} for x in m.loops],
        "constraints": [x.name for x in m.constraints],
        "frames": {f.name: f.body for f in m.frames},
        "poses": m.poses,
        "parameters": {name: float(x) for name, x in m.parameters.items()},
        "notes": m.notes,
    }


def _mobility_or_reason(m: Mechanism) -> Mobility | str:
    """The mobility of a mechanism, or the reason why it is not known."""
    from lagrangian import LagrangianError, mobility

    try:
        return mobility(m)
    except LagrangianError as error:
        return str(error)


def _print_head(m: Mechanism, freedom: Mobility | str) -> None:
    from rich.text import Text

    console = output.stdout()
    counts = [f"{len(m.bodies)} bodies", f"{m.nq} coordinates", f"{m.nv} speeds"]
    console.print(Text.assemble((m.name, "bold cyan"), "  ", (", ".join(counts), "dim")))
    for line in (m.description, f"source: {m.source}" if m.source else ""):
        if line:
            console.print(line, markup=False)
    console.print(Text(str(freedom), style="" if not isinstance(freedom, str) else "yellow"))
    output.print_text()


def _tables(m: Mechanism) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]], tuple[int, ...]]]:
    """The columns of `print(mechanism)` in three tables, which fit narrow terminals: joints, their properties, and bodies."""
    from lagrangian.model.printed_table import body_rows, joint_rows

    if not m.joints:
        return []
    head, *joints = joint_rows(m)
    split = next((k for k, name in enumerate(head) if name in _JOINT_PROPERTY_COLUMNS), len(head))
    tables: list[Any] = [("Joints", head[:split], [row[:split] for row in joints], ())]
    property_rows = [(row[1], *row[split:]) for row in joints if any(row[split:])]
    if property_rows:
        tables.append(("At the joints", ("joint", *head[split:]), property_rows, (2, 3, 4, 5)))
    head, *bodies = body_rows(m)
    return [*tables, ("Bodies", head, bodies, (1,))]


def _mobility_data(freedom: Mobility | str) -> dict[str, Any]:
    """The mobility as data, or the reason why it is not known."""
    if isinstance(freedom, str):
        return {"error": freedom}
    return {
        "degrees": freedom.degrees,
        "nearby": freedom.nearby,
        "speeds": freedom.speeds,
        "equations": freedom.equation_count,
        "rank": freedom.rank,
        "gruebler": freedom.gruebler,
        "redundant": freedom.redundant,
        "singular": freedom.singular,
    }
