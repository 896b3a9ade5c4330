"""Panels next to the scene: each shows the state, and posts changes of it from its inputs."""
