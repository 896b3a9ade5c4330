"""Motion: paths, timing that respects the legs, tool heads, part programs, recorded motions."""
