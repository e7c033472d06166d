"""Every sentence that people read. Free of Qt."""
