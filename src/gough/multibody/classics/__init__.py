"""Systems with answers from elsewhere, one file each: the papers' double pendulum, mechanisms of the literature."""
