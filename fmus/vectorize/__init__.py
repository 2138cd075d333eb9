"""Vectorization of what equations compute four times alike: scalar equations in, C with the same results out.

The field calls it superword-level parallelism. `graph` holds the operations of a CasADi function. Four like operations,
such as those of the corners of a car, make a pack: one operation on vectors, in which each has a lane (`packs`, which
`search` finds). `code` writes graph and packs as C, by the `operations` on numbers and on vectors, and stores
the text in the cache. Each lane does what scalar code does, in the same order, so all results have the same bytes.
"""
