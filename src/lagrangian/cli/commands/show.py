"""`lagrangian show`: a mechanism as tables and as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.output import spinner
from lagrangian.cli.result_options import PictureOptions

if TYPE_CHECKING:
    from rich.tree import Tree

    from lagrangian.configuration.mobility import Mobility
    from lagrangian.model.mechanism import Mechanism

SHOW_EXAMPLES = """
lagrangian show puma560
lagrangian show arm.toml --picture arm.png --pose raised
lagrangian show arm.toml --picture arm.png --view 30,20 --target tip --zoom 2
"""
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
    m = argument.load()
    with spinner("counting degrees of freedom"):
        freedom = _mobility_or_reason(m)
    picture_options.draw(m)
    if json:
        files = [str(picture_options.picture)] if picture_options.picture else []
        return output.print_json({**mechanism_data(m), "mobility": _mobility_data(freedom), "files": files})
    console = output.stdout()
    _print_head(m, freedom)
    for title, columns, rows, right in _tables(m):
        wrapped_columns = [k for k, name in enumerate(columns) if "[" in name or name in _JOINT_PROPERTY_COLUMNS]
        in_tree = [k for k, name in enumerate(columns) if name in ("parent", "child")]  # drawn below, too
        console.print(output.table(columns, rows, title=title, right_aligned=right, wrapped=wrapped_columns, optional=in_tree))
        output.print_text()
    if len(m.joints) <= _MAX_TREE_JOINTS:
        console.print(joint_tree(m))
        output.print_text()
    from lagrangian.model.printed_table import remark_lines

    for line in filter(None, remark_lines(m)):
        console.print(line, markup=False)
    if picture_options.picture is not None:
        output.print_written_file(picture_options.picture, "the picture")
    return None


def _mobility_or_reason(m: Mechanism) -> Mobility | str:
    """Its mobility, or why it has none that is known."""
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
    """Joints, what is at them, and bodies: the columns of `print(mechanism)`, in tables that fit narrow terminals."""
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


def joint_tree(m: Mechanism) -> Tree:
    """From the ground outwards: joints with the bodies they carry, frames on them, and where loops close."""
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


def _mobility_data(freedom: Mobility | str) -> Any:
    if isinstance(freedom, str):
        return {"error": freedom}
    names = ("degrees", "nearby", "speeds", "equations", "rank", "gruebler", "redundant", "singular")
    return {name: getattr(freedom, name) for name in names}


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
