"""Formulas as MathML, which browsers set themselves: no script, no font and no host is needed."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

NOT_SET = re.compile(r"<m[ion]>(?:&(?!\w|#)|\\\w+)")
"""What the converter leaves of a command or an alignment that it does not know."""


def converted(formula: str, display: str = "inline") -> str:
    """MathML of a formula; one that is not understood whole ends the build."""
    mathml = convert(formula.replace("{aligned}", "{align*}"), display=display)
    if NOT_SET.search(mathml):
        raise ValueError(f"not all of this formula can be set: {formula}")
    return mathml


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(converted(node.astext()))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    label = f'<span class="equation-number">({node["number"]})</span>' if node.get("number") else ""
    opening = self.starttag(node, "div", CLASS="math")
    self.body.append(f"{opening}{converted(node.astext(), 'block')}{label}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name that `html_math_renderer` finds as the only one."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("config-inited", lambda _, config: setattr(config, "html_math_renderer", "mathml"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
