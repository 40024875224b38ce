"""How alike runs are in what makes them succeed, from task to task (Banerjee and Raichura 2026)."""
