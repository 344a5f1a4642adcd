"""Installers: what each harness must be told so that it speaks to us, and how to take it back."""
