"""The datasheet of a machine: sections of facts, tables and figures, as one HTML page, JSON or a terminal summary."""
