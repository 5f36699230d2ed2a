"""Test the listening socket of the service."""

import socket

from graph_service.cli.service_runner import listening_socket


def test_accepted_connections_have_nagle_disabled() -> None:
    """The body is written after the header; with Nagle's algorithm it waits 40 ms for the acknowledgement."""
    with listening_socket("127.0.0.1", 0) as door, socket.create_connection(door.getsockname()):
        accepted, _ = door.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
