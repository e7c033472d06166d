"""Labs: claims about self-attention as something one can do. Pure functions of what the controls are set to.

lab = find_lab("softmax")
setting = lab.start()                                 # or lab.start(document)
setting = lab.with_value(setting, "temperature", 0.5)
result = lab.work_out(setting)                        # frozen, all numbers of the picture
"""
