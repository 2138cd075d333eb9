"""Like expressions as four lanes of a vector: scalar equations in, C with the same bytes out."""
