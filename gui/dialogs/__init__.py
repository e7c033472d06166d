"""The dialogs of the window: new, import, export, preferences, help."""
