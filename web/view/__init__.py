"""The page of ``drawbar view``: runs, signals, plots and the diagram, served to the browser of this machine."""
