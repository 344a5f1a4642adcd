"""A distillation from its trigger to its receipt, and back."""
