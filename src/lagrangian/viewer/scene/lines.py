"""Meshes of what is thin: springs, and the paths that frames have taken."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.viewer.scene.primitives import Mesh, turn_z_to

TURNS, STEPS, SIDES = 9, 14, 6


def coil(a: np.ndarray, b: np.ndarray, radius: float) -> Mesh:
    """A helical spring from one point to another: straight ends, turns between them that come apart as it stretches."""
    length = float(np.linalg.norm(b - a))
    if length < 1e-12:
        b = a + np.array([0.0, 0.0, 1e-9])
        length = 1e-9
    s = np.linspace(0, 1, TURNS * STEPS + 1)
    wide = radius * np.clip(np.minimum(s, 1 - s) * 24, 0, 1)
    angle = 2 * math.pi * TURNS * s
    line = np.column_stack([wide * np.cos(angle), wide * np.sin(angle), length * (0.06 + 0.88 * s)])
    line = np.vstack([[0, 0, 0], line, [0, 0, length]])
    return _tube(line @ turn_z_to(b - a).T + a, 0.22 * radius)


def _tube(line: np.ndarray, radius: float) -> Mesh:
    tangent = np.gradient(line, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-30)
    middle = line[-1] - line[0]
    out = np.cross(tangent, middle / np.linalg.norm(middle))
    short = np.linalg.norm(out, axis=1) < 1e-6
    out[short] = turn_z_to(middle)[:, 0]
    out -= (out * tangent).sum(axis=1, keepdims=True) * tangent
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-30)
    other = np.cross(tangent, out)
    angle = np.arange(SIDES) * 2 * math.pi / SIDES
    normals = out[:, None] * np.cos(angle)[:, None] + other[:, None] * np.sin(angle)[:, None]
    vertices = line[:, None] + radius * normals
    i, j = np.meshgrid(np.arange(len(line) - 1), np.arange(SIDES), indexing="ij")
    k = (j + 1) % SIDES
    a, b, c, d = i * SIDES + j, i * SIDES + k, (i + 1) * SIDES + k, (i + 1) * SIDES + j
    faces = np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
    return Mesh(vertices.reshape(-1, 3), normals.reshape(-1, 3), faces)


def ribbon(path: np.ndarray, eye: np.ndarray, width: float) -> Mesh:
    """A path as a band that faces the eye."""
    tangent = np.gradient(path, axis=0)
    toward = eye - path
    across = np.cross(tangent, toward)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    vertices = np.concatenate([path - across * width / 2, path + across * width / 2])
    toward = toward / np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-30)
    n = len(path)
    i = np.arange(n - 1)
    faces = np.concatenate([np.stack([i, i + n, i + n + 1], axis=1), np.stack([i, i + n + 1, i + 1], axis=1)])
    return Mesh(vertices, np.concatenate([toward, toward]), faces)
