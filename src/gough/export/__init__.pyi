from .mjcf import mjcf as mjcf
