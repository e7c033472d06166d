"""The words on the web page. Those that the program uses elsewhere, too, share their translation."""

from __future__ import annotations

from gui.texts.translation import mark

STEP_WORDS = {
    "first": mark("First step"),
    "back": mark("Step back"),
    "play": mark("Play"),
    "pause": mark("Pause"),
    "forward": mark("Step forward"),
    "last": mark("Last step"),
    "grain": mark("Step by"),
    "scene": mark("Scene"),
    "stage": mark("Stage"),
    "row": mark("Row"),
    "cell": mark("Cell"),
    "timeline": mark("Timeline"),
    "step_of": mark("Step {step} of {steps}"),
    "stage_of": mark("stage {stage} of {stages}"),
    "scene_count": mark("Scene {scene} of {scenes}"),
    "answer": mark("Answer"),
    "diagram": mark("Diagram"),
    "heatmap": mark("Heatmap"),
    "next": mark("next: {text}"),
    "last_step": mark("this is the last step"),
}
NAME_WORDS = {
    "layer": mark("Layer {number}"),
    "attention": mark("Attention"),
    "mlp": mark("MLP"),
    "in_layer": mark("Layer {number}: {name}"),
    "head": mark("Head {number}"),
    "head_named": mark("Head {number}: {name}"),
    "at_pair": mark("query {row}, key {column}"),
    "at_row": mark("{row}, column {column}"),
    "at_numbers": mark("row {row}, column {column}"),
    "at_lead": mark("{stage}, query {row}"),
    "max": mark("max"),
    "sum_of_row": mark("sum"),
    "ghost": mark("not reached yet"),
    "ahead": mark("Not reached yet: step forward to see the numbers."),
    "masked_row": mark(
        "{token} may not attend to any key: its weights are 0, and so is its output."
    ),
}
SUM_WORDS = {
    "more_terms": mark("{n} more terms"),
    "more_digits": mark("With more digits: "),
    "few_terms": mark("the {few} largest of {n} terms"),
    "pinned_to": mark(", pinned to "),
    "at_limit": mark(
        "beyond the largest number that can be stored, about 1.8×10³⁰⁸; it stays at that limit"
    ),
    "products_overflow": mark(
        "some products exceed the largest number that can be stored; their sum does not"
    ),
}
EDIT_WORDS = {
    "was": mark("was {value}"),
    "holding": mark("computed: {value}. Your number replaces it."),
    "held": mark("pinned to {value}"),
    "hold": mark("Pin another number here"),
    "change_held": mark("Change the pinned number"),
    "let_go": mark("Unpin"),
    "put_back": mark("Put back"),
    "done": mark("Done"),
    "close": mark("Close"),
    "undo": mark("Undo"),
    "no_number": mark("This is not a number. Write it like 0.5, −2 or 1/8."),
    "changes": mark("What changes in {stage}"),
    "one_change": mark("1 number changed"),
    "changes_count": mark("{count} numbers changed"),
    "work_out": mark("Work it out"),
    "your_turn": mark("Your turn: tap a cell and type its number."),
    "next_blank": mark("Next cell"),
    "check": mark("Check"),
    "marked": mark("right: {right}, follows from earlier: {follows}, wrong: {wrong}"),
}
MENU_WORDS = {
    "menu": mark("Menu"),
    "experiment": mark("Experiment"),
    "positions": mark("Positions"),
    "mask": mark("Mask"),
    "scaling": mark("Scale"),
    "left": mark("Keys to the left"),
    "right": mark("Keys to the right"),
    "factor": mark("Factor"),
    "base": mark("Base"),
    "heads": mark("Heads"),
    "reset": mark("Restore the original experiment"),
    "page": mark("Page"),
    "language": mark("Language"),
    "look": mark("Colours"),
    "system": mark("Same as the system"),
    "light": mark("Light"),
    "dark": mark("Dark"),
    "text_size": mark("Text size"),
    "files": mark("Files"),
    "your_name": mark("Name or number (optional)"),
    "save_answers": mark("Save my answers…"),
    "save_work": mark("Save my work…"),
    "open_work": mark("Open saved work…"),
    "open_in_program": mark("Save for the program (.attn.json)…"),
    "print": mark("Print…"),
    "bad_file": mark("This file was not saved by this page and is not an experiment."),
    "bad_code": mark("This code is damaged or incomplete. The page shows its own experiment."),
}
NEXT_WORDS = {
    "next_word": mark("Next word"),
    "after": mark("After “{text}”"),
    "temperature": mark("Temperature"),
    "top_k": mark("top-k"),
    "top_p": mark("top-p"),
    "seed": mark("seed"),
    "cut": mark("cut"),
    "draw": mark("Draw"),
    "drawn": mark("Draw {draw}: {number} falls on “{word}”."),
}
WORDS = NEXT_WORDS | STEP_WORDS | NAME_WORDS | SUM_WORDS | EDIT_WORDS | MENU_WORDS
