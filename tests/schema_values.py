"""Values at and beyond the bounds of a JSON schema, from its types alone: what a new key needs is tried by itself."""

import math
from copy import deepcopy

BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
OF_OTHER_TYPES = (None, True, "word", 1.5, [], [1], {}, {"word": 1})


def resolved(node, schema):
    """A node without its reference, and its alternatives."""
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    parts = node.get("anyOf") or node.get("oneOf")
    return [each for part in parts for each in resolved(part, schema)] if parts else [node]


def fitting(node, schema):
    """A value that fits a node."""
    node = resolved(node, schema)[0]
    if "const" in node or "enum" in node:
        return node["const"] if "const" in node else node["enum"][0]
    kind = node.get("type")
    if kind in ("number", "integer"):
        low, high = (
            next((node[key] for key in keys if key in node), None) for keys in (BOUNDS[:2][::-1], BOUNDS[2:][::-1])
        )
        middle = 1.0 if low is None and high is None else high - 1 if low is None else low + 1
        value = middle if high is None or low is None else (low + high) / 2
        return int(value) if kind == "integer" else value
    if kind == "array":
        if "prefixItems" in node:
            return [fitting(each, schema) for each in node["prefixItems"]]
        return [fitting(node.get("items", {}), schema) for _ in range(node.get("minItems", 1))]
    if kind == "object":
        known = node.get("properties", {})
        return {key: fitting(known[key], schema) for key in node.get("required", [])}
    return {"boolean": True, "null": None}.get(kind, "word")


def edges(node, schema, depth=2):
    """Values at the edges of a node and beyond: of all its types, bounds, lengths, words and inner places."""
    yield from OF_OTHER_TYPES
    for each in resolved(node, schema):
        kind = each.get("type")
        yield from _words(each)
        if kind in ("number", "integer"):
            for bound in (each[key] for key in BOUNDS if key in each):
                near = (math.nextafter(bound, -math.inf), math.nextafter(bound, math.inf))
                yield from (bound, bound - 1, bound + 1, -bound, *near)
            yield from (math.nan, math.inf, -math.inf, 10**30, -0.0)
        if kind == "array":
            yield from _lists(each, schema, depth)
        if kind == "object":
            yield from _tables(each, schema, depth)


def _words(node):
    for word in [*node.get("enum", []), *([node["const"]] if "const" in node else [])]:
        yield from (word, f"{word}s", str(word).swapcase(), "") if isinstance(word, str) else (word, word + 1)
    if node.get("type") == "string":
        yield from ("", "é", "a b", "x" * 300)


def _lists(node, schema, depth):
    whole = fitting(node, schema)
    item = deepcopy(whole[0]) if whole else fitting(node.get("items", {}), schema)
    for length in (0, len(whole) - 1, len(whole) + 1, node.get("maxItems", len(whole)) + 1):
        yield (whole + [item] * 20)[: max(length, 0)]
    inner = node.get("items", node.get("prefixItems", [{}])[-1])
    for value in edges(inner, schema, depth - 1) if depth else ():
        yield from ([*whole[:-1], value], [value, *whole[1:]])


def _tables(node, schema, depth):
    whole, known = fitting(node, schema), node.get("properties", {})
    for key in whole:
        yield {other: value for other, value in whole.items() if other != key}
    yield {**whole, "bogus": 1}
    for key, inner in known.items() if depth else ():
        yield from ({**whole, key: value} for value in edges(inner, schema, depth - 1))


def places(node, schema):
    """Every key of the tables of a schema: its place, 0 for the first of a list of tables, "part" of a dictionary; and
    its node."""
    for each in resolved(node, schema):
        for key, inner in each.get("properties", {}).items():
            yield (key,), inner
            for part in resolved(inner, schema):
                step, table = (key,), part
                if part.get("type") == "array":
                    step, table = (key, 0), part.get("items", {})
                elif isinstance(part.get("additionalProperties"), dict):
                    step, table = (key, "part"), part["additionalProperties"]
                yield from (((*step, *rest), found) for rest, found in places(table, schema))
