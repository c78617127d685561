"""What one step of a turn does: pure rules and the node functions around them."""
