"""Exports of what the window shows: pictures, animations, slides, web page, worksheets, reports."""
