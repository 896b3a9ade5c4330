"""Panels beside the scene: each shows the state, and posts changes of it when somebody uses its inputs."""
