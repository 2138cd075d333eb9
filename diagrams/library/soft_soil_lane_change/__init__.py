"""The HMMWV changes lanes on sandy loam: body and four wheels as units of their own."""
