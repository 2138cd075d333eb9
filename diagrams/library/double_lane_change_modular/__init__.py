"""The main job with a HMMWV in parts: body and four wheels, each an FMU."""
