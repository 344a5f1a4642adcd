"""Agents among each other."""
