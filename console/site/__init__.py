"""The documentation as a small site: plain files, nothing from another host."""
