"""Export a tenant to a file and import it into another tenant."""
