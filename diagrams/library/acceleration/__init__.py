"""Full throttle from standstill with engine, converter and gearbox: time to 50 mph and top speed of a HMMWV."""
