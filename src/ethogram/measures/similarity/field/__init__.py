"""What the scores of all pairs of systems answer: intervals, tests, orders, other pools."""
