"""Worksheets with answer keys, and reports: one content, written as PDF, LaTeX or HTML."""
