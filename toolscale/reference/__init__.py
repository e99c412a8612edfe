"""The reference domains, and the offline model that answers the factory's prompts from them."""
