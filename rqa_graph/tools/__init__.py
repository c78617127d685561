"""The tools that a person can enable, and how they are opened.

Nothing of a tool is imported before it is called: settings that enable one cost a turn that does not use it nothing.
"""
