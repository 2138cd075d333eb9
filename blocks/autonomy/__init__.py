"""Courses, path following and speed control."""
