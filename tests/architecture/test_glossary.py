"""The glossary defines each term once, with sources that it lists, and its picture is what its script draws."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "glossary.md").read_text("utf-8")
BODY, SOURCES = TEXT.split("## Sources")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in BODY.splitlines() if line.startswith("| ")]
TERMS = [row for row in ROWS if row[0] != "term"]
NEEDED = """UPS, PUS, RUS, SPS, UCU, margin, travel, assembly mode, vibration mode, conditioning, workspace,
dexterous workspace, singularity, twist, wrench, actuator force, home, stage, stack, tool frame, branch, Jacobian"""
USAGE = ("ISO", "Gough's own term", "usage of ")
"""What a row says where no book or paper of the list has its term."""


def test_each_term_is_defined_once():
    names = [name for row in TERMS for name in row[0].split(", ")]
    assert len(set(names)) == len(names)
    assert {re.sub(r"\s+", " ", name.strip()) for name in NEEDED.split(",")} <= set(names)
    for row in TERMS:
        assert len(row) == 5, row[0]
        assert len(row[1]) > 15, row[0]
        assert row[4], f"{row[0]}: a source, or whose usage it is"


def test_every_source_is_listed_and_every_listed_one_is_used():
    listed = re.sub(r"\s+", " ", SOURCES)
    cited = [source for row in TERMS for source in re.split(r"; ", row[4]) if source and not source.startswith(USAGE)]
    for source in cited:
        authors, year = re.fullmatch(r"(.+) (\d{4})", source).groups()
        assert re.search(rf"{authors} [^.]*?\b{year},|{authors} {year}", listed), source
    for authors, year in re.findall(r"(?:^|\. |; )((?:[A-Z]|De )[^.;\"*]*?) (\d{4}),", listed.strip()):
        assert any(authors in source and year in source for source in cited), (authors, year)
