"""The commands of the research house; pyproject.toml names them."""
