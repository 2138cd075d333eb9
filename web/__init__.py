"""What people see in a browser: the page of a run, and pictures of it."""
