"""The door for agents: tools, a resource and a prompt over the Model Context Protocol."""
