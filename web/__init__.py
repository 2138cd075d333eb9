"""What people see in a browser: the page of a run, the page of ``drawbar view``, and the reference of all blocks."""
