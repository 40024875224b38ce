"""What actions do: kinds, heads and errors, from published tables and a shell parser."""
