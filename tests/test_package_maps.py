"""Packages of many modules say in their docstring where what is: all of them, and nothing that is gone."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "gleaning",
        "gleaning.choices",
        "gleaning.figures",
        "gleaning.open_items",
        "memory",
        "text",
        "text.acts",
    ],
)
def test_a_package_names_each_of_its_modules(name: str) -> None:
    package = importlib.import_module(f"everthread.domain.{name}")
    assert package.__doc__ is not None
    assert package.__file__ is not None
    folder = Path(package.__file__).parent
    there = {each.stem for each in folder.glob("[!_]*.py")}
    there |= {each.parent.name for each in folder.glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)`", package.__doc__)) == there
