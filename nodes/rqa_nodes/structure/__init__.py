"""The pure rules of the built-in engine: what a text claims, takes for granted and leaves open, found without a model.

Text in, plain values out; the patterns and the wording are the YAML files beside the modules, one pair a language.
"""
