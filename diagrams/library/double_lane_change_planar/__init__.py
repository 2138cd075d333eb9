"""The double lane change with a planar vehicle: single track with load transfer, quick and without a suspension."""
