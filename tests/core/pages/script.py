"""A tiny attention head."""
import numpy as np

inputs = np.array([
    [0.3, -0.3, -1.6],  # cats
    [-0.6, 0.5, -1.9],  # like
    [1.5, 1.4, -1.8],  # milk
])
class Head:
    def __init__(self):
        self.W_q = np.array([[1.2, -1.3],
 [0.8, -1.4],
 [0.8, 1.8]])
        self.W_k = np.array([[1.9, 0.7],
 [-1.3, -0.4],
 [-0.9, 1.8]])
        self.W_v = np.array([[-0.8, 0.2],
 [-0.4, -1.4],
 [-0.5, 1.1]])

# Expected result:
# [[1.2102 -2.9053]
#  [1.2265 -2.9091]
#  [1.1744 -2.9168]]
