"""The README's promises: its blocks, its tour, its picture."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_tour_runs_and_is_short(capsys):
    tour = next(text for language, text in BLOCKS if language == "python")
    assert len(tour.splitlines()) <= 12
    exec(compile(tour, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "all six legs need 1043.68 mm, allowed up to 970 mm" in printed
    assert "(100000, 6)" in printed


def test_every_picture_and_page_it_names_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in target:
            assert (ROOT / target).exists(), target
