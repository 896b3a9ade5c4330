"""The scene: each file draws a part of the state."""
