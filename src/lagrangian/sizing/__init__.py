"""Motors and gears for a task: what each joint asks, and what in a catalogue can deliver it."""
