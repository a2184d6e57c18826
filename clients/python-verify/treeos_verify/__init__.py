"""Checks audit bundles and receipts of TreeOS. It follows docs/formats.md, shares no code with TreeOS and needs the standard library alone."""
