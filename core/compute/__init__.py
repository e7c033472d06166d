"""Run a document into a trace, and walk the trace backward for gradients."""
