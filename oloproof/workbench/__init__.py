"""The local workbench: an empty room until it is built."""
