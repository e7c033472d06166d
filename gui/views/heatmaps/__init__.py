"""Live heatmaps: any stage and head, all heads side by side, the difference to a pinned run."""
