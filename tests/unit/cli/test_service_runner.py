"""The socket that the service listens on."""

import socket

from graph_service.cli.service_runner import listening_socket


def test_what_is_accepted_sends_each_piece_at_once() -> None:
    """The body of an answer is written after its head; held back until that is acknowledged, it comes 40 ms later."""
    with listening_socket("127.0.0.1", 0) as door, socket.create_connection(door.getsockname()):
        accepted, _ = door.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
