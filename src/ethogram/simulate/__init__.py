"""Runs whose truth is known: built by hand (`build`) or drawn from stated policies."""
