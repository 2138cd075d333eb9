"""The language of blocks: variables, kinds of block, and the trace of their equations."""
