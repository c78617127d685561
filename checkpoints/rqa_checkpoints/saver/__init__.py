"""Where does a LangGraph thread stand? Checkpoints in Qdrant, embedded or on a server."""

from rqa_checkpoints.saver.saver import QdrantSaver

__all__ = ["QdrantSaver"]
