"""Reflection: from an analysis to one question that is worth asking, or to silence."""
