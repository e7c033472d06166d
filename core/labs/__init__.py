"""Labs: claims about self-attention that can be tried out. Pure functions of the control values.

lab = find_lab("softmax")
setting = lab.start()                                 # or lab.start(document)
setting = lab.with_value(setting, "temperature", 0.5)
result = lab.compute(setting)                        # frozen: every number of the picture
"""
