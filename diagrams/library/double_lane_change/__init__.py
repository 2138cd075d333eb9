"""The main job: a HMMWV in the NATO double lane change."""
