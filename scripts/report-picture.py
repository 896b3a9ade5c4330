"""Take the README's picture, docs/images/report-hexel.png: the top of hexel's datasheet, in headless Chromium.

scripts/report-picture.py
"""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

if __name__ == "__main__":
    from _site.pictures import report

    report("hexel", DOCS / "images" / "report-hexel.png")
