"""Courses, path following and speed control; later planners."""
