"""The datasheet of a machine of two stages: what both do together, then the tables of each stage."""
