/** Keep one WebSocket to `/live` open: hello, resume, acknowledge, reconnect. */

import { PROTOCOL_MAJOR, readFrame, SUB_PROTOCOL } from "../protocol/frames";
import type { ClientFrame, GraphFrame, HelloAck, NowFrame, Places, Presence, ResumePoint, Scope, SelectionSync, ServerFrame, ServiceError, ServiceStatus } from "../protocol/frames";
import { waitMs } from "./backoff";

export type LinkState =
  | { name: "connecting" }
  | { name: "live" }
  | { name: "reconnecting"; retryAt: number }
  | { name: "refused"; code: number };

export interface LinkEvents {
  onState(state: LinkState): void;
  onHello(hello: HelloAck): void;
  /** @returns why a snapshot must be requested, or null. */
  onGraph(frame: GraphFrame): string | null;
  onStatus(status: ServiceStatus): void;
  onPlaces(frame: Places): void;
  /** Another viewer joined, left, or selected something. */
  onOthers(frame: Presence | SelectionSync): void;
  /** Something was asked or said. */
  onNow(frame: NowFrame): void;
  onError(error: ServiceError): void;
}

/** The environment of the connection, replaced in tests. */
export interface LinkWorld {
  open(url: string, protocol: string): WebSocket;
  now(): number;
  random(): number;
  /** Call back once the current state is drawn. */
  shown(then: () => void): void;
}

/** Close codes after which reconnecting is useless until the user acts. */
const FINAL_CODES = new Set([4400, 4401, 4403, 4404, 4406, 4413]);
/** Close code while the memory is in quarantine; the connection looks from time to time whether that has ended. */
export const QUARANTINED = 4423;
const QUARANTINE_LOOK_MS = 5_000;
const SLOW_DOWN_MS = 5_000;
const SILENT_PINGS = 3;

export class Connection {
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private pingS = 15;
  private notBeforeMs = 0;
  private ackDue: number | null = null;
  private greetedUser: string | null = null;
  private state: LinkState = { name: "connecting" };

  constructor(
    private readonly url: string,
    private readonly client: string,
    private readonly scope: Scope,
    private readonly lang: () => string,
    private readonly resume: () => ResumePoint | null,
    private readonly events: LinkEvents,
    private readonly world: LinkWorld,
  ) {}

  start(): void {
    clearTimeout(this.timer);
    // The quarantine is shown until the service says otherwise, or does not answer.
    if (!this.inQuarantine()) this.setState({ name: "connecting" });
    const socket = this.world.open(this.url, SUB_PROTOCOL);
    this.socket = socket;
    socket.onopen = () => this.greet();
    socket.onmessage = (message: MessageEvent<string>) => this.receive(message.data);
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event.code);
    };
    this.watch();
  }

  stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    const socket = this.socket;
    this.socket = null;
    socket?.close(1000);
  }

  /** Reconnect at once, after the network came back or the tab became visible. */
  wake(): void {
    if (this.state.name === "reconnecting" && this.world.now() >= this.notBeforeMs) this.start();
  }

  changeScope(user: string | null): void {
    this.scope.user = user;
    if (this.state.name === "live") this.send({ t: "scope", user, budget: this.scope.budget });
    else if (this.state.name === "reconnecting") this.start();
  }

  private greet(): void {
    const { scope, client } = this;
    this.greetedUser = scope.user;
    this.ackDue = null;
    this.send({ t: "hello", v: PROTOCOL_MAJOR, client, lang: this.lang(), scope: { ...scope }, resume: this.resume() });
  }

  private receive(text: string): void {
    this.watch();
    let frame: ServerFrame | null;
    try {
      frame = readFrame(text);
    } catch {
      this.send({ t: "resync", reason: "unreadable" });
      return;
    }
    if (frame !== null) this.dispatch(frame);
  }

  private dispatch(frame: ServerFrame): void {
    switch (frame.t) {
      case "hello_ack":
        this.attempt = 0;
        this.pingS = frame.limits?.ping_s ?? this.pingS;
        this.events.onHello(frame);
        this.setState({ name: "live" });
        if (this.greetedUser !== this.scope.user) this.changeScope(this.scope.user);
        return;
      case "status":
        this.events.onStatus(frame);
        return;
      case "places":
        this.events.onPlaces(frame);
        return;
      case "presence":
      case "selection_sync":
        this.events.onOthers(frame);
        return;
      case "question":
      case "questions_removed":
      case "said":
        this.events.onNow(frame);
        return;
      case "error":
        if (frame.retry_s !== null) this.notBeforeMs = this.world.now() + frame.retry_s * 1000;
        this.events.onError(frame);
        return;
      default:
        this.takeGraph(frame);
    }
  }

  private takeGraph(frame: GraphFrame): void {
    const why = this.events.onGraph(frame);
    if (why !== null) this.send({ t: "resync", reason: why });
    else if (frame.t === "graph_patch") this.acknowledge(frame.to);
    else if (frame.t === "graph_snapshot" && frame.part + 1 === frame.parts) this.acknowledge(frame.seq);
  }

  /** Acknowledge frames that were drawn together with one `ack` of the latest. */
  private acknowledge(seq: number): void {
    const scheduled = this.ackDue !== null;
    this.ackDue = seq;
    if (scheduled) return;
    this.world.shown(() => {
      if (this.ackDue !== null) this.send({ t: "ack", seq: this.ackDue });
      this.ackDue = null;
    });
  }

  private lost(code: number): void {
    clearTimeout(this.watchdog);
    this.socket = null;
    if (FINAL_CODES.has(code)) {
      this.setState({ name: "refused", code });
      return;
    }
    if (code === QUARANTINED) {
      if (!this.inQuarantine()) this.setState({ name: "refused", code: QUARANTINED });
      this.attempt = 0;
      this.timer = setTimeout(() => this.start(), QUARANTINE_LOOK_MS);
      return;
    }
    const slow = code === 4429 || code === 1013 ? SLOW_DOWN_MS : 0;
    const pause = Math.max(slow, this.notBeforeMs - this.world.now(), 0) + waitMs(this.attempt, this.world.random());
    this.attempt += 1;
    this.setState({ name: "reconnecting", retryAt: this.world.now() + pause });
    this.timer = setTimeout(() => this.start(), pause);
  }

  private inQuarantine(): boolean {
    return this.state.name === "refused" && this.state.code === QUARANTINED;
  }

  /** Reconnect if neither patches nor bookmarks arrive: the service is gone, even if TCP has not noticed. */
  private watch(): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => {
      const socket = this.socket;
      this.socket = null;
      socket?.close(4408);
      this.lost(1006);
    }, this.pingS * SILENT_PINGS * 1000);
  }

  /** @returns whether the socket was open. */
  say(frame: ClientFrame): boolean {
    if (this.state.name !== "live") return false;
    this.send(frame);
    return true;
  }

  private send(frame: ClientFrame): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  }

  private setState(state: LinkState): void {
    this.state = state;
    this.events.onState(state);
  }
}
