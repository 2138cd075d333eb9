"""Rovers and skid-steered vehicles."""
