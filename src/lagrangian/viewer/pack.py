"""A track as text in a page: one packed block of 16-bit numbers, and a JSON table that says where each array begins."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

from lagrangian.viewer.scene.scene import Arrows, ScenePart, Track

MAX_PACKED_REACH = 8.0  # sizes of the mechanism: wider motions are kept in 32 bits
MAX_STEP = 65535  # of a 16-bit number
MAX_SHORT_INDEX = 65536  # vertices that 16-bit indices can count


class Block:
    """Arrays as bytes one after another, each at a multiple of four; equal arrays are kept once."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.offsets: dict[bytes, int] = {}

    def add(self, values: np.ndarray) -> int:
        """Add an array, and return where it begins."""
        raw = values.tobytes()
        key = values.dtype.str.encode() + raw
        if key not in self.offsets:
            self.offsets[key] = len(self.bytes)
            self.bytes += raw + b"\0" * (-len(raw) % 4)
        return self.offsets[key]

    @property
    def text(self) -> str:
        return deflate_base64(bytes(self.bytes))


def deflate_base64(raw: bytes) -> str:
    """Bytes, deflated, as base64."""
    return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")


def json_text(data: Any) -> str:
    """JSON that can stand in a script element: a name may be "</script>"."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def pack_track(track: Track) -> dict[str, Any]:
    """The data that the player of a page reads; player/data.js unpacks them."""
    scene, block = track.scene, Block()
    t = np.asarray(track.t, dtype=float)
    return {
        "name": scene.name,
        "size": _number(scene.size),
        "center": _numbers(scene.center),
        "up": _numbers(scene.up),
        "look": _numbers(scene.view_direction),
        "floor": _number(scene.floor),
        "bodies": scene.bodies,
        "rows": len(t),
        "start": float(t[0]),
        "t": block.add((t - t[0]).astype("<f4")),
        "frames": [
            {
                "name": name,
                "p": _pack_vectors(block, track.positions[:, k], scene.size),
                "r": _pack_quaternions(block, track.quaternions[:, k]),
            }
            for k, name in enumerate(scene.frames)
        ],
        "parts": [_pack_part(block, part) for part in scene.parts],
        "struts": [
            {
                "name": strut.name,
                "kind": strut.kind,
                "a": strut.a,
                "b": strut.b,
                "pa": _numbers(strut.a_point),
                "pb": _numbers(strut.b_point),
                "radius": _number(strut.radius),
                "color": _numbers(strut.color),
            }
            for strut in scene.struts
        ],
        "arrows": [_pack_arrows(block, arrows, scene.size) for arrows in track.arrows],
        "traces": list(track.traces),
        "bytes": len(block.bytes),
        "block": block.text,
    }


def _number(x: float) -> float:
    return float(f"{float(x):.7g}")


def _numbers(values: Any) -> list[float]:
    return [_number(x) for x in values]


def _pack_vectors(block: Block, rows: np.ndarray, size: float) -> dict[str, Any]:
    """Vectors over time: one if they do not change, else steps from the smallest of each component."""
    rows = np.nan_to_num(np.asarray(rows, dtype=float), posinf=0.0, neginf=0.0)
    low, reach = rows.min(axis=0), float(np.ptp(rows, axis=0).max())
    if reach == 0:
        return {"fixed": _numbers(low)}
    if reach > MAX_PACKED_REACH * size:
        return {"at": block.add(rows.astype("<f4")), "wide": True}
    return {
        "at": block.add(np.round((rows - low) * (MAX_STEP / reach)).astype("<u2")),
        "low": _numbers(low),
        "step": reach / MAX_STEP,
    }


def _pack_quaternions(block: Block, quaternions: np.ndarray) -> dict[str, Any]:
    if not np.ptp(quaternions, axis=0).any():
        return {"fixed": _numbers(quaternions[0])}
    return {"at": block.add(np.round(np.clip(quaternions, -1, 1) * 32767).astype("<i2"))}


def _pack_part(block: Block, part: ScenePart) -> dict[str, Any]:
    low, reach = part.vertices.min(axis=0), float(np.ptp(part.vertices, axis=0).max()) or 1.0
    short = len(part.vertices) <= MAX_SHORT_INDEX
    return {
        "name": part.name,
        "frame": part.frame,
        "color": _numbers(part.color),
        "opacity": _number(part.opacity),
        "low": _numbers(low),
        "high": _numbers(part.vertices.max(axis=0)),
        "reach": _number(reach),
        "n": len(part.vertices),
        "m": int(part.faces.size),
        "short": short,
        "v": block.add(np.round((part.vertices - low) * (MAX_STEP / reach)).astype("<u2")),
        "d": block.add(np.round(np.clip(part.normals, -1, 1) * 127).astype("i1")),
        "f": block.add(part.faces.astype("<u2" if short else "<u4")),
    }


def _pack_arrows(block: Block, arrows: Arrows, size: float) -> dict[str, Any]:
    """Arrows with lengths in metres as drawn; dividing by `scale` gives the values."""
    vectors = np.nan_to_num(np.asarray(arrows.vectors, dtype=float), posinf=0.0, neginf=0.0)
    return {
        "name": arrows.name,
        "group": arrows.group,
        "unit": arrows.unit,
        "scale": _number(arrows.scale),
        "p": _pack_vectors(block, arrows.points, size),
        "v": _pack_vectors(block, vectors * arrows.scale, size),
    }
