"""The reference of blocks: what each block declares, as data and as one page that opens offline."""
