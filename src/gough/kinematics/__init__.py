"""Between the platform's pose and the joints: positions, rates, accelerations, both ways."""
