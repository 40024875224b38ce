"""Whom a system behaves like in how it uses tools (Yang et al. 2026)."""
