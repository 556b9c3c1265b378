"""The pages on the Python interface list what the modules offer, where no site is built."""

import importlib
import re
from types import ModuleType

import pytest


@pytest.fixture
def interface(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> ModuleType:
    monkeypatch.syspath_prepend(str(pytestconfig.rootpath / "bench"))
    return importlib.import_module("interface")


def test_pages_list_the_names_of_today(interface: ModuleType) -> None:
    assert len(interface.pages()) == 4
    for page in interface.pages():
        text = page.read_text(encoding="utf-8")
        assert text == interface.fill(text), "run bench/interface.py"
        documented = re.findall(r"^\.\. automodule:: (\S+)$", text, re.MULTILINE)
        listed = re.findall(r"^## `([\w.]+)`\n\n<!-- names -->$", text, re.MULTILINE)
        assert documented == listed


def test_lists_hold_every_name_with_its_first_sentence(interface: ModuleType) -> None:
    text = interface.fill("## `noc.errors`\n\n```{eval-rst}\n")
    names = importlib.import_module("noc.errors").__all__
    assert re.findall(r"^- `(\w+)`: .+\.$", text, re.MULTILINE) == names
    networks = importlib.import_module("noc.networks")
    told = interface.first_sentence(networks, "FAMILIES")
    assert told == "Every family, in the order in which `noc list` prints them."
    assert interface.fill(text) == text


def test_a_name_that_nothing_describes_is_refused(interface: ModuleType) -> None:
    with pytest.raises(LookupError, match=r"^noc\.errors\.__all__ has no docstring"):
        interface.first_sentence(importlib.import_module("noc.errors"), "__all__")
