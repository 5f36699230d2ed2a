"""Every bound of the live door, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLimits:
    """Bounds on viewers, frames and the shared ring of changes.

    Attributes:
        viewers: that watch at once, all together; taken only after `hello`.
        viewers_of_tenant: of one tenant.
        viewers_of_credential: of one key, or one subject of tokens.
        window: graph frames that may be out without an acknowledgement.
        quiet_s: after so much silence a bookmark proves life.
        skipped_max: changes of other users that may pass before a bookmark moves the resume point of a viewer.
        poll_s: how often the log is looked at for changes that other processes committed.
        answer_s: how long the database may take for one look at the log before it counts as away.
        wish_cost: how many ordinary frames one `resync` or `scope` counts for, since each costs a snapshot.
        pointing_cost: how many one `selection_sync` counts for, since all others are told.
        pointings_per_request: of a credential's rate, for which each `resync` and `scope` counts as one request.
        mingle_s: at most so often a viewer is told what the others do.
        mingle_words: of all viewers of a tenant together at a time; what a viewer is not told yet comes later.
    """

    viewers: int = 1_024
    viewers_of_tenant: int = 256
    viewers_of_credential: int = 64
    window: int = 3
    ack_s: float = 30.0
    hello_s: float = 3.0
    heartbeat_s: float = 15.0
    skipped_max: int = 200
    poll_s: float = 1.0
    answer_s: float = 10.0
    frame_in_bytes: int = 16_384
    frames_per_s: int = 20
    snapshot_cost: int = 4
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
