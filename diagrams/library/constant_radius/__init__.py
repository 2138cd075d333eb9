"""A steady circle of 100 m with rising speed: roll gradient and understeer of a HMMWV."""
