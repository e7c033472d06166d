"""The lab window: controls on the left, the picture on the right, texts below."""
