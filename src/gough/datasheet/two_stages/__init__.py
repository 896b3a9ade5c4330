"""The datasheet of a machine of two stages."""
