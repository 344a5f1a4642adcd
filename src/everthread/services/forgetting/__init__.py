"""What goes, everywhere it left a trace: forgotten, unsaid, erased."""
