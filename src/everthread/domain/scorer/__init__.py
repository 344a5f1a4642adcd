"""Learning which memories help: labels, traits, the model, how sure a difference is."""
