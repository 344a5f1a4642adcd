"""The plain distiller's ear: messages read into a digest, without a model."""
