"""Shared by the tests of file formats."""

import pytest


@pytest.fixture
def write(tmp_path):
    def written(text, name="robot.urdf"):
        file = tmp_path / name
        file.write_text(text)
        return file

    return written
