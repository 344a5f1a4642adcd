"""The SQL texts that both engines understand, one module for each table or topic; each names its scope."""
