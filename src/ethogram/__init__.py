"""ethogram measures how LLM agents behave, from the trajectories that people already have."""
