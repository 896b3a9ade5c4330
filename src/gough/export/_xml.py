"""XML with numbers in it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

Element = ElementTree.Element


def added(parent: Element, tag: str, **attributes: Any) -> Element:
    """A new child; numbers are written with 15 digits, arrays as lists, None not at all, `class_` as `class`."""
    given = {key.removesuffix("_"): _text(value) for key, value in attributes.items() if value is not None}
    return ElementTree.SubElement(parent, tag, given)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else numbers(value)


def numbers(values: ArrayLike) -> str:
    """Numbers separated by spaces."""
    return " ".join(f"{value:.15g}" for value in np.ravel(np.asarray(values, dtype=float)) + 0.0)


def document(root: Element, comment: str) -> str:
    """The whole file, indented, with a comment on top."""
    ElementTree.indent(root)
    safe = comment.replace("--", "- -")
    return f"<!--\n{safe}\n-->\n" + ElementTree.tostring(root, encoding="unicode") + "\n"
