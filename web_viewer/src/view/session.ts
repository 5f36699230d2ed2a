/** The state of the page: the live graph, the connection and the user's choices. */

import { computed, inject, type InjectionKey, reactive, type Ref, ref, shallowRef, watch } from "vue";
import { GraphStore } from "../graph/store";
import { neverHeld } from "../graph/facts";
import { thingTypes } from "../graph/groups";
import { EMPTY_STATE, type GraphState, type Touched } from "../graph/reduce";
import { Words } from "../i18n/words";
import { ALONE, type PresenceState, withFrame, Pointer } from "../live/presence";
import { Connection, type LinkState } from "../live/connection";
import { foldRest, foldScenes, restOf } from "../map/foldScenes";
import { type PlaceBook, Places } from "../map/places";
import { SharedPlaces, type View } from "../map/sharedPlaces";
import { withTimes } from "../map/sceneTimes";
import { SCREEN } from "../map/radial";
import { CopySync } from "../offline/copySync";
import { BrowserCopyStorage } from "../offline/copyStorage";
import { Fallback } from "../offline/fallback";
import type { HelloAck, NowFrame, PlaceNodes, ServiceError, ServiceStatus } from "../protocol/frames";
import { readAddress, tenantOf } from "./address";
import { browserStorage } from "./browserStorage";
import { type Chosen, firstChoice, NARROW, sameChoice, viewChoice } from "./chosen";
import { Communities, WHOLE_MAX } from "./communities";
import { Conflicts } from "./conflicts";
import { Explore } from "./explore";
import { AGREEING, countBy, countTotals, type Filter, type Hiding, revealing, shownPart, withinBudget } from "./filters";
import { searchNodes } from "./search";
import { Totals } from "./totals";
import { onTrail } from "./trail";
import { isNow } from "./moments";
import { type CanUndo, Undo } from "./undo";
import { Unread } from "./unread";

const BUDGET = 800;
/** Height of the bars above and below the map on a phone, in CSS pixels. */
const PHONE_BARS = 200;
const NOTHING_HIDDEN: ReadonlySet<string> = new Set();

/** A message that was chosen in the search, whose words its quotation marks. */
export interface Sought {
  id: string;
  /** Null until it is read. */
  scene: string | null;
  query: string;
}

export type Session = ReturnType<typeof openSession>;
export const SESSION: InjectionKey<Session> = Symbol("session");

export function useSession(): Session {
  const session = inject(SESSION);
  if (!session) throw new Error("the session is provided by main.ts");
  return session;
}

export function openSession() {
  const tenant = tenantOf(location.search);
  const store = new GraphStore();
  const chosen = reactive(firstChoice());
  const say = (frame: PlaceNodes): boolean => connection.say(frame);
  const shared = { map: new SharedPlaces("map", say), graph: new SharedPlaces("graph", say), communities: new SharedPlaces("communities", say) };
  const places = new Places(browserStorage, tenant, canvasShape, shared.map);
  const expectPlaces = (user: string | null): void => {
    for (const one of [shared.graph, shared.communities]) one.open(user);
    places.expect(user);
  };
  expectPlaces(chosen.user);
  /** The positions in the network, once it has been shown. */
  const netPlaces = shallowRef<PlaceBook | null>(null);
  /** The positions in the view that is shown; those in the map where a view has none. */
  const book = computed<PlaceBook>(() => (chosen.tab === "net" && netPlaces.value) || places);
  const live = liveRefs();
  const arrivals = new Set<(touched: Touched, opened: boolean) => void>();
  const nowListeners = new Set<(frame: NowFrame) => void>();
  /** What a question recalled: the ranks of the hits that each element shows; null if no question is shown. */
  const recalled = shallowRef<ReadonlyMap<string, readonly number[]> | null>(null);
  const sought = shallowRef<Sought | null>(null);
  /** The panel that lies over the map. */
  const overlay = shallowRef<HTMLElement | null>(null);
  const opening = ref(true);
  const owners = shallowRef<ReadonlyMap<string, string>>(new Map());
  const explore = new Explore({ tenant, store, user: () => chosen.user, people: () => [...owners.value.keys()] });
  const conflicts = new Conflicts({ tenant, people: () => (chosen.user === null ? [...owners.value.keys()] : [chosen.user]) });
  const unread = new Unread({ tenant, user: () => chosen.user, isBlank: () => live.link.value.name === "live" && isBlank(live.graph.value) });
  const totals = new Totals({ tenant, user: () => chosen.user });
  const communities = new Communities(tenant, explore, () => chosen.user, () => Date.now());
  /** Increases when pins change; they are stored with the positions. */
  const pinned = ref(0);
  /** What another viewer moved last, and in which view. */
  const placedByOthers = shallowRef<{ places: PlaceBook; ids: readonly string[]; whole: boolean }>({ places, ids: [], whole: false });
  places.onMoved = (ids, whole) => {
    placedByOthers.value = { places, ids, whole };
    pinned.value += 1;
  };
  const can = shallowRef<CanUndo>({ undo: false, redo: false, text: null });
  const undo = new Undo((now) => (can.value = now));

  /** Drop the name of a user who was forgotten while the page is open. */
  const forgetOwner = (user: string | null): void => {
    const { hello } = live;
    if (hello.value) hello.value = { ...hello.value, users: hello.value.users.filter((one) => one.user_id !== user) };
    owners.value = new Map([...owners.value].filter(([id]) => id !== user));
  };
  store.listen((state, touched) => {
    const opened = opening.value && touched.whole;
    const isLarge = state.total.nodes + state.total.edges > WHOLE_MAX;
    if (opened) {
      places.open(chosen.user, state);
      opening.value = false;
      void fetchLinked();
      // Computing the communities of a large memory takes a while: start before they are needed, and compare its facts afterwards.
      if (isLarge) void communities.loadWhenIdle(state.seq, state.epoch).then(() => conflicts.askLater());
    } else {
      places.extend(state);
      if (touched.whole) void explore.fetchAgain();
    }
    for (const id of touched.whole ? [] : touched.removed) {
      const node = live.graph.value.nodes.get(id);
      if (node?.kind === "User") forgetOwner(node.user_id);
    }
    owners.value = withOwners(owners.value, state);
    live.graph.value = state;
    // What was fetched from the same memory changes no fact.
    const isChange = touched.whole ? !(opened && isLarge) : touched.added.length + touched.changed.length + touched.removed.length > 0;
    if (isChange && !state.stale) conflicts.ask();
    unread.ask();
    if (isPart(state)) totals.ask();
    live.fresh.value = new Set(store.newIds);
    live.heardAt.value = state.stale && state.asOf !== null ? Date.parse(state.asOf) : Date.now();
    fallback.copySync.note();
    for (const listener of arrivals) listener(touched, opened);
  });

  const fallback = new Fallback({
    copySync: new CopySync(new BrowserCopyStorage(), () => ({ graph: store.state, tenant, user: chosen.user, places: { map: places.rows, graph: shared.graph.rows, communities: shared.communities.rows } }), () => Date.now(), (ms) => (live.savedAt.value = ms)),
    store,
    tenant,
    user: () => chosen.user,
    opening: () => opening.value,
    linked: () => live.link.value.name === "live",
    onSettled: () => (live.graph.value = store.state),
    onPlaces: (frame) => Object.values(shared).forEach((one) => one.receive(frame)),
    onMissing: (missing) => (live.nothingKept.value = missing),
    onCleared() {
      chosen.sel = chosen.cursor = chosen.ego = null;
      opening.value = true;
      expectPlaces(chosen.user);
      live.graph.value = store.state;
      live.fresh.value = new Set();
      live.savedAt.value = null;
      owners.value = new Map();
      undo.clear();
      explore.clear();
      communities.clear();
      conflicts.clear();
      totals.clear();
      unread.clear();
    },
  });
  const connection = connect(tenant, store, chosen, live, fallback, shared, nowListeners, () => opening.value);
  nowListeners.add((frame) => frame.t === "said" && unread.ask());
  const pointer = new Pointer((frame) => connection.say(frame));
  watch(() => chosen.sel, (id) => pointer.point(id));
  watch(live.link, ({ name }) => {
    unread.ask();
    if (name === "live") pointer.begin();
    else live.company.value = ALONE;
  });
  /** Follow the selection of the other viewers. */
  const follow = ref(false);
  const words = computed(() => new Words(chosen.lang));
  const types = computed(() => thingTypes(live.graph.value));
  const filter = (): Filter => ({
    hidden: chosen.hidden,
    confidence: chosen.confidence,
    moments: chosen.moments,
    veiled: chosen.veiled,
    ego: chosen.ego,
    ...(chosen.hidden.has(AGREEING) ? { conflicts: conflicts.ids.value } : {}),
  });
  const shown = computed(() => shownPart(live.graph.value, filter()));
  /** Without a path nothing is highlighted, and nothing is dimmed. */
  const trail = computed(() => (explore.trail.value === null ? null : onTrail(explore.trail.value, live.graph.value.edges.values())));
  /** What had to be changed to show a search hit. */
  const revealed = shallowRef<{ id: string; dropped: readonly Hiding[] } | null>(null);
  /** Of the whole memory: what a filter leaves without its facts is not what nobody told a fact about. */
  const rest = computed(() => restOf(dated.value));
  /** What stays on the map although it is folded, as one string, so that other selections cause no update. */
  const keptOnMap = computed(() => {
    const { nodes, edges } = live.graph.value;
    const fact = edges.get(chosen.sel ?? "");
    const ids = [chosen.sel, fact?.source, fact?.target, chosen.cursor, ...(trail.value ?? []), ...(recalled.value?.keys() ?? []), ...hits.value.map((node) => node.id)];
    return JSON.stringify([...new Set(ids)].filter((id) => id && (nodes.get(id)?.kind === "Scene" || rest.value.has(id))));
  });
  /** The mind map with folded scenes; a focus shows those around it. */
  const folded = computed(() => {
    if (chosen.ego !== null) return withTimes(shown.value, words.value);
    const name = (user: string, n: number, isOpen: boolean): string => words.value.t(isOpen ? "map.scenes.fold" : "sum.scenes", { n: wholes.value?.nodes[user]?.Scene ?? n });
    const kept = new Set(JSON.parse(keptOnMap.value) as string[]);
    const things = foldRest(shown.value, rest.value, chosen.unfolded, kept, (which, n, isOpen) => words.value.t(isOpen ? "map.rest.fold" : which === "past" ? "map.rest.past" : "map.rest.mentioned", { n }));
    return withTimes(foldScenes(things, chosen.unfolded, kept, name), words.value);
  });
  /** The part of the graph that the mind map draws. */
  const drawn = computed(() => withinBudget(folded.value, new Set([chosen.sel, chosen.cursor, chosen.ego, ...(trail.value ?? []), ...(recalled.value?.keys() ?? [])].filter((id) => id !== null))));
  /** The whole memory at the chosen time, before the filters. */
  const dated = computed(() => shownPart(live.graph.value, { hidden: NOTHING_HIDDEN, moments: chosen.moments }));
  const counts = computed(() => countBy(dated.value, conflicts.ids.value));
  /** The totals of a memory of which a part is loaded; null if the page has all, or shows another time. */
  const wholes = computed(() => (isPart(live.graph.value) && isNow(chosen.moments) ? totals.value.value : null));
  const wholeCounts = computed(() => (wholes.value === null ? null : countTotals(wholes.value)));
  /** Return how many there are of a name in `counts`: a number, or a text that says that there may be more. */
  const amount = (name: string): number | string => {
    const [loaded, whole] = [counts.value.get(name) ?? 0, wholeCounts.value?.get(name)];
    if (whole !== undefined) return Math.max(whole, loaded);
    return isPart(live.graph.value) ? `${words.value.number(loaded)}+` : loaded;
  };
  /** How much of the memory is shown, in words. */
  const size = computed(() => {
    const { nodes, edges } = shown.value;
    const { total } = live.graph.value;
    // Facts that were never true are hidden on purpose.
    if (nodes.size >= total.nodes && edges.size >= total.edges - neverHeldIn(live.graph.value)) {
      // Things as the summary counts them.
      const kinds = [...nodes.values()].map((node) => node.kind);
      const [n, s] = [kinds.filter((kind) => kind === "Entity").length, kinds.filter((kind) => kind === "Scene").length];
      return words.value.t(s === 0 ? "state.all" : "state.scenes", { n, s, m: edges.size });
    }
    return words.value.t("state.some", { n: nodes.size, nodes: total.nodes, m: edges.size, edges: total.edges });
  });
  const news = computed(() => newsCount(live.fresh.value, live.graph.value));
  const hits = computed(() => searchNodes(live.graph.value.nodes.values(), chosen.query, words.value));
  watch(() => chosen.query, (query) => explore.search(query));

  /** Fetch the elements named in the URL that the snapshot does not contain. */
  const fetchLinked = async (): Promise<void> => {
    const { ego, path } = readAddress(location.hash);
    if (ego !== null && chosen.ego === ego) await explore.around(ego);
    // The link may be older than the memory.
    if (ego !== null && chosen.ego === ego && !live.graph.value.nodes.has(ego)) chosen.ego = null;
    if (path !== null) await explore.findPath(...path);
  };

  /** Change the view so that it can be undone. */
  const change = (action: () => void): void => {
    const before = viewChoice(chosen);
    action();
    const after = viewChoice(chosen);
    if (sameChoice(before, after)) return;
    undo.note({ undo: () => Object.assign(chosen, viewChoice(before)), redo: () => Object.assign(chosen, viewChoice(after)) });
  };

  const look = (ids: string[]): void => {
    if (store.look(ids)) live.fresh.value = new Set(store.newIds);
  };

  return {
    tenant,
    store,
    places,
    netPlaces,
    book,
    shared,
    chosen,
    connection,
    fallback,
    follow,
    words,
    shown,
    dated,
    drawn,
    counts,
    amount,
    wholes,
    hits,
    news,
    size,
    /** Another memory was requested and has not arrived. */
    opening,
    overlay,
    owners,
    types,
    explore,
    communities,
    conflicts: conflicts.ids,
    unread,
    pinned,
    placedByOthers,
    trail,
    undo,
    can,
    change,
    ...live,
    look,
    /** Call back on every change of the graph; `opened` marks the first state of a lens. */
    onArrival(listener: (touched: Touched, opened: boolean) => void): () => void {
      arrivals.add(listener);
      return () => arrivals.delete(listener);
    },
    recalled,
    sought,
    /** Call back when something is asked or said. */
    onNow(listener: (frame: NowFrame) => void): () => void {
      nowListeners.add(listener);
      return () => nowListeners.delete(listener);
    },
    revealed,
    /** Drop the filters that hide an element, so that it is never selected on an empty canvas; undo restores them. */
    reveal(id: string): void {
      const found = revealing(live.graph.value, filter(), id);
      if (found === null) return;
      const { ego = null, veiled, moments = chosen.moments, confidence = 0, hidden } = found.filter;
      change(() => Object.assign(chosen, { ego, veiled: new Set(veiled), confidence, hidden: new Set(hidden) }));
      chosen.moments = moments;
      revealed.value = { id, dropped: found.dropped };
    },
    select(id: string | null): void {
      chosen.sel = id;
      if (id !== revealed.value?.id) revealed.value = null;
      if (id !== sought.value?.scene) sought.value = null;
      if (id === null) return;
      if (live.graph.value.nodes.has(id)) chosen.cursor = id;
      look(shownBy(id, live.graph.value));
    },
    changeLens(user: string | null): void {
      if (user === chosen.user) return;
      chosen.user = user;
      expectPlaces(user);
      chosen.sel = chosen.cursor = null;
      opening.value = true;
      chosen.ego = null;
      chosen.veiled = new Set();
      recalled.value = null;
      undo.clear();
      explore.clear();
      communities.clear();
      conflicts.clear();
      totals.clear();
      unread.clear();
      store.changeScope();
      live.fresh.value = new Set();
      connection.changeScope(user);
    },
    toggle(name: string): void {
      change(() => chosen.hidden.delete(name) || chosen.hidden.add(name));
    },
    /** Show the scenes of these users on the map, or fold them if all are shown. */
    foldOrOpen(users: readonly string[]): void {
      const open = users.every((user) => chosen.unfolded.has(user));
      change(() => (chosen.unfolded = new Set(open ? [...chosen.unfolded].filter((user) => !users.includes(user)) : [...chosen.unfolded, ...users])));
    },
    /** Hide the others of a group of the legend; again, show the whole group. */
    showOnly(name: string, group: readonly string[]): void {
      const others = group.filter((one) => one !== name);
      const already = others.every((one) => chosen.hidden.has(one)) && !chosen.hidden.has(name);
      change(() => (chosen.hidden = new Set([...[...chosen.hidden].filter((one) => !group.includes(one)), ...(already ? [] : others)])));
    },
    showAll(): void {
      change(() => Object.assign(chosen, { hidden: new Set(), veiled: new Set(), confidence: 0, ego: null }));
    },
    /** Centre an ego view on a node and fetch its neighbours; null ends the ego view. */
    async lookAround(id: string | null): Promise<void> {
      if (id !== null) await explore.around(id);
      if (id === null || live.graph.value.nodes.has(id)) change(() => (chosen.ego = id));
    },
    /** Fetch the neighbours of a node; undo hides them again. */
    async expand(id: string): Promise<number> {
      const came = await explore.around(id);
      const ids = (came ?? []).filter((one) => live.graph.value.nodes.has(one));
      if (ids.length > 0) {
        const without = (set: Set<string>): Set<string> => new Set([...set].filter((one) => !ids.includes(one)));
        undo.note({ undo: () => (chosen.veiled = new Set([...chosen.veiled, ...ids])), redo: () => (chosen.veiled = without(chosen.veiled)) });
      }
      return ids.length;
    },
    veil(id: string): void {
      change(() => chosen.veiled.add(id));
    },
    /** Set the first end of a path, or the second if the first is set. */
    async pathTo(id: string): Promise<void> {
      const from = explore.pathFrom.value;
      if (from === null || from === id) explore.pathFrom.value = from === id ? null : id;
      else await explore.findPath(from, id);
    },
  };
}

/** Return whether the page has loaded only a part of the memory. */
function isPart({ nodes, edges, total }: GraphState): boolean {
  return nodes.size < total.nodes || edges.size < total.edges;
}

function neverHeldIn({ edges }: GraphState): number {
  return [...edges.values()].filter(neverHeld).length;
}

/** Return whether a memory has arrived in which there is nothing but people and conversations. */
function isBlank({ epoch, nodes }: GraphState): boolean {
  if (epoch === null) return false;
  for (const node of nodes.values()) if (node.kind === "Entity") return false;
  return true;
}

/** Users that appeared after the hello can be selected too. */
function withOwners(known: ReadonlyMap<string, string>, graph: GraphState): ReadonlyMap<string, string> {
  const users = [...graph.nodes.values()].filter((node) => node.kind === "User" && node.user_id !== null);
  if (users.every((node) => known.get(node.user_id as string) === node.label)) return known;
  return new Map([...known, ...users.map((node): [string, string] => [node.user_id as string, node.label])]);
}

/** Return the ids that count as seen once one is selected: a node with its facts, or a fact with both ends. */
function shownBy(id: string, graph: GraphState): string[] {
  const edge = graph.edges.get(id);
  if (edge) return [id, edge.source, edge.target];
  const facts = [...graph.edges.values()].filter((one) => one.source === id || one.target === id);
  return [id, ...facts.map((one) => one.id)];
}

/** Count new facts, or new nodes if there is no new fact; mentions are not counted. */
function newsCount(fresh: ReadonlySet<string>, graph: GraphState): number {
  const facts = [...fresh].filter((id) => graph.edges.has(id) && graph.edges.get(id)?.predicate !== "MENTIONED").length;
  return facts || [...fresh].filter((id) => graph.nodes.has(id)).length || fresh.size;
}

/** Width of the map by its height: upright on a phone, otherwise that of a usual screen. */
function canvasShape(): number {
  return window.matchMedia(NARROW).matches ? Math.min(SCREEN, window.innerWidth / Math.max(window.innerHeight - PHONE_BARS, 200)) : SCREEN;
}

interface LiveRefs {
  graph: Ref<GraphState>;
  fresh: Ref<ReadonlySet<string>>;
  link: Ref<LinkState>;
  hello: Ref<HelloAck | null>;
  status: Ref<Pick<ServiceStatus, "db" | "as_of">>;
  trouble: Ref<ServiceError | null>;
  heardAt: Ref<number>;
  /** When this browser last stored a copy of the map. */
  savedAt: Ref<number | null>;
  company: Ref<PresenceState>;
  /** The service does not respond and there is no stored copy. */
  nothingKept: Ref<boolean>;
}

function liveRefs(): LiveRefs {
  return {
    graph: shallowRef(EMPTY_STATE),
    fresh: shallowRef<ReadonlySet<string>>(new Set()),
    link: shallowRef<LinkState>({ name: "connecting" }),
    hello: shallowRef<HelloAck | null>(null),
    status: shallowRef<Pick<ServiceStatus, "db" | "as_of">>({ db: "up", as_of: "" }),
    trouble: shallowRef<ServiceError | null>(null),
    heardAt: ref(0),
    savedAt: ref<number | null>(null),
    company: shallowRef(ALONE),
    nothingKept: ref(false),
  };
}

function connect(tenant: string, store: GraphStore, chosen: Chosen, live: LiveRefs, fallback: Fallback, shared: Record<View, SharedPlaces>, nowListeners: ReadonlySet<(frame: NowFrame) => void>, opening: () => boolean): Connection {
  const url = new URL("live", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = url.search = "";
  const client = `c-${Math.random().toString(36).slice(2, 10)}`;
  const scope = { tenant, user: chosen.user, budget: BUDGET };
  // Another memory was requested: drop what refers to the previous one.
  const resume = () => (store.state.epoch === null || opening() ? null : { epoch: store.state.epoch, seq: store.state.seq, places: shared.map.seq });
  const allow = (allowed: boolean): void => Object.values(shared).forEach((one) => one.allow(allowed));
  return new Connection(url.href, client, scope, () => chosen.lang, resume, {
    onState: (state) => {
      live.link.value = state;
      if (state.name === "live") live.trouble.value = null;
      fallback.linkIs(state);
    },
    onHello: (hello) => {
      live.hello.value = hello;
      live.status.value = { db: hello.db, as_of: live.status.value.as_of };
      fallback.greeted(hello);
      allow(hello.may_place && hello.db === "up");
    },
    onGraph: (frame) => {
      live.trouble.value = null;
      return store.take(frame);
    },
    onPlaces: (frame) => Object.values(shared).forEach((one) => one.receive(frame)),
    onStatus: (status) => {
      live.status.value = status;
      fallback.heard(status);
      allow(status.db === "up" && live.hello.value?.may_place === true);
    },
    onOthers: (frame) => (live.company.value = withFrame(live.company.value, frame)),
    onNow: (frame) => nowListeners.forEach((listener) => listener(frame)),
    onError: (error) => (live.trouble.value = error),
  }, {
    open: (address, protocol) => new WebSocket(address, protocol),
    now: () => Date.now(),
    random: Math.random,
    // A hidden tab draws no frames, but has applied the change.
    shown: (then) => (document.hidden ? queueMicrotask(then) : requestAnimationFrame(() => setTimeout(then))),
  });
}
