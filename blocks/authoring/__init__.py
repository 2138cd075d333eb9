"""The words a block is written with, and the errors all of Drawbar raises."""
