"""The dialogs: what is asked, chosen and told apart from the main window."""
