"""The product over HTTP and MCP: an OpenAI-compatible endpoint, the memory, the review queue, tools for other agents.

Needs the extra `server`. Whoever speaks is known by a bearer token alone; without tokens the server stays on the
loopback address and speaks for the person of the settings.
"""
