"""The HMMWV changes lanes on sandy loam: body and four wheels, each an FMU."""
