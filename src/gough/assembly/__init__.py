"""Assembly modes: every pose that fits given joint coordinates."""
