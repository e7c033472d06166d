"""The panel “Lesson”: the list of scenes, what is said at each, and the way to record and play
them.
"""
