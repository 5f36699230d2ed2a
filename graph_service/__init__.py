"""The service: doors (cli, api, live) over one `Memory`, over one graph."""
