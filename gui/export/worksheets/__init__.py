"""Papers: worksheets with their keys, and reports. One content, written as PDF, LaTeX or HTML."""
