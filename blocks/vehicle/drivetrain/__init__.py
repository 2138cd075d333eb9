"""From the pedals to the wheels: engine, converter, gearbox, differentials, brakes."""
