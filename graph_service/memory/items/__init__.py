"""Items: JSON values by namespace and key, for agent frameworks that store values of their own."""
