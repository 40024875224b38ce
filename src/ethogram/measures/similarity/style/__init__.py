"""How alike what agents say is in style, without a model."""
