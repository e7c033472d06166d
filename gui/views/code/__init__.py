"""The panel “Code”: the program of the experiment and its formulas, with the current line marked."""
