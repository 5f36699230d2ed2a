"""Reading human language: text in, proposals out. Nothing here touches the database."""
