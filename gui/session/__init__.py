"""The session and its state: the one mutable object, undo, answers, lesson player, playback."""
