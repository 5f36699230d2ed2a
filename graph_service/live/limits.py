"""Limits of the viewer's WebSocket."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLimits:
    """Limits of viewers, frames and the shared ring of changes.

    Attributes:
        viewers: concurrent viewers in total, counted after `hello`.
        viewers_of_tenant: concurrent viewers per tenant.
        viewers_of_credential: concurrent viewers per API key or token subject.
        window: graph frames that may be unacknowledged.
        heartbeat_s: a bookmark is sent after this time without frames.
        skipped_max: changes of other users after which a bookmark moves a viewer's resume position.
        poll_s: interval at which the log is read for changes of other processes.
        answer_s: timeout of one read of the log, after which the database counts as down.
        snapshot_cost: frames that one `resync` or `scope` counts for, since each costs a snapshot.
        place_cost: frames that one `place` counts for, since it is written and broadcast.
        pointing_cost: frames that one `selection_sync` counts for, since it is broadcast.
        pointings_per_request: `selection_sync` frames that count as one request of the credential.
        presence_interval_s: minimum interval between presence updates to a viewer.
        presence_frames: presence frames per interval for all viewers of a tenant; the others follow later.
    """

    viewers: int = 1_024
    viewers_of_tenant: int = 256
    viewers_of_credential: int = 64
    window: int = 3
    ack_s: float = 30.0
    hello_s: float = 3.0
    heartbeat_s: float = 15.0
    skipped_max: int = 200
    poll_s: float = 0.5
    answer_s: float = 10.0
    frame_in_bytes: int = 16_384
    frames_per_s: int = 20
    snapshot_cost: int = 4
    place_cost: int = 2
    pointing_cost: int = 2
    pointings_per_request: int = 5
    presence_interval_s: float = 0.1
    presence_frames: int = 500
    frame_out_bytes: int = 1_048_576
    ring_changes: int = 2_000
    ring_bytes: int = 8_388_608
    ring_s: float = 600.0
    retry_s: float = 5.0


LIVE_LIMITS = LiveLimits()
