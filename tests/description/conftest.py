"""Shared by the tests of file formats."""

import pytest


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="robot.urdf"):
        file = tmp_path / name
        file.write_text(text)
        return file

    return write_file
