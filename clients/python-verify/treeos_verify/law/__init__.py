"""The law by a statement of its own: what the call of a moment comes to, over the facts of a bundle."""
