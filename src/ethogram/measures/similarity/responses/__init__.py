"""Response Pattern Similarity: what a judge says of what agents say (Yang et al. 2026)."""
