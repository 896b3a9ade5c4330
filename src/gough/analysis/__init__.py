"""What a machine can do at its poses: margins, travel, range of motion."""
