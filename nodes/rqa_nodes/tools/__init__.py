"""What the generator may ask for, and what the controller makes of it."""
