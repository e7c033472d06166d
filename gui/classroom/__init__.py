"""The window Class, its full-screen presentation and its reports."""
