"""What stands in deploy/ and in the operators' pages is true of this program."""

import json
import re
from pathlib import Path

import pytest

from bridge.cli.program import COMMANDS
from bridge.metrics import Metrics

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy" / "grafana.json"
ALERTS = ROOT / "deploy" / "alerts.yml"
PAGES = [ROOT / "docs" / name for name in ("operations.md", "operations.zh-CN.md")]
_NAME = re.compile(r"\bteambridge_[a-z_]+")
_GROUPED = re.compile(r"by \(([a-z, ]+)\)")
_SHOWN = re.compile(r"\{\{ ?(?:\$labels\.)?([a-z]+) ?\}\}")


def known() -> set[str]:
    """Every name of a sample that /metrics can have."""
    families = list(Metrics().registry.collect())
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    return {family.name + suffix for family in families for suffix in suffixes[family.type]}


@pytest.mark.parametrize("path", [DASHBOARD, ALERTS, *PAGES], ids=lambda path: path.name)
def test_every_metric_that_is_named_exists(path: Path) -> None:
    """Contract 9: a rule over a name that does not exist never fires."""
    named = set(_NAME.findall(path.read_text(encoding="utf-8")))
    assert named
    assert named - known() == set()


def test_every_metric_has_a_place_on_the_dashboard() -> None:
    """Of a histogram its buckets."""
    named = set(_NAME.findall(DASHBOARD.read_text(encoding="utf-8")))
    assert {name for name in known() if not name.endswith(("_sum", "_count"))} - named == set()


@pytest.mark.parametrize("path", [DASHBOARD, ALERTS], ids=lambda path: path.name)
def test_every_label_that_is_named_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    labels = {label for name in _labels() for label in name}
    grouped = {label.strip() for group in _GROUPED.findall(text) for label in group.split(",")}
    assert (grouped | set(_SHOWN.findall(text))) - labels - {"le"} == set()


def _labels() -> list[tuple[str, ...]]:
    return [each._labelnames for each in Metrics().registry._collector_to_names]  # type: ignore[attr-defined]


def test_the_dashboard_can_be_imported() -> None:
    """Panels have ids of their own, a question each, and a source that the importer chooses."""
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    for panel in board["panels"]:
        assert panel["datasource"]["uid"] == "${datasource}"
        assert all(target["expr"] for target in panel["targets"])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_of_the_operators_page_exist(path: Path) -> None:
    used = set(re.findall(r"teambridge ([a-z]+)\b", "\n".join(_code(path))))
    assert used
    assert used - set(COMMANDS) == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_files_of_the_operators_page_exist(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def _code(path: Path) -> list[str]:
    """Lines of the shell, and what stands in backticks."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r"```sh\n(.*?)```", text, re.DOTALL) + re.findall(r"`(teambridge [^`]+)`", text)
