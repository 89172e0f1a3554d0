// The state of the stand-in, in memory and optionally in a file.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export type LifeCycle = 'created' | 'ready' | 'testStarting' | 'testing' | 'liveStarting' | 'live' | 'complete';

/** Parts of a resource as clients sent them. */
export type Fields = Readonly<Record<string, unknown>>;

/** Times are milliseconds since the epoch. */
export interface KeptBroadcast {
  readonly id: string;
  readonly channelID: string;
  readonly insertedAt: number;
  snippet: Fields;
  status: Fields;
  contentDetails: Fields;
  monetizationDetails: Fields;
  lifeCycle: LifeCycle;
  boundStreamID: string | null;
  boundAt: number;
  /** Time when `testStarting` or `liveStarting` ends; null: never. */
  startingUntil: number | null;
  actualStartAt: number | null;
  actualEndAt: number | null;
  tags: readonly string[];
  hasThumbnail: boolean;
}

export interface KeptStream {
  readonly id: string;
  readonly channelID: string;
  readonly insertedAt: number;
  readonly key: string;
  readonly cdn: Fields;
  readonly isReusable: boolean;
  snippet: Fields;
  /** Time when it last had media; null before the first. */
  lastActiveAt: number | null;
}

export interface KeptChannel {
  liveEnabled: boolean;
  /** Number of the owner's other live broadcasts, which requests do not return. */
  othersLive: number;
  /** The current generation. Grants of earlier generations were revoked. */
  grantGeneration: number;
}

/** @property method `liveBroadcasts.insert`, or `*` for all */
export interface Fault {
  readonly method: string;
  /**
   * `lost_answer`: the request is performed, and the connection breaks. `stuck`: the next transition never ends.
   * Otherwise a reason, which refuses the request: `backendError` is a 503.
   */
  readonly kind: string;
  times: number;
}

export interface State {
  broadcasts: KeptBroadcast[];
  streams: KeptStream[];
  channels: Record<string, KeptChannel>;
  quota: { day: string; used: number };
  faults: Fault[];
}

const empty = (): State => ({
  broadcasts: [],
  streams: [],
  channels: {},
  quota: { day: '', used: 0 },
  faults: [],
});

/** The most broadcasts. Beyond that, ended ones are deleted, the oldest first. */
const mostBroadcasts = 500;

/**
 * @param file null: nothing is stored. It is read at the first use, because some processes never use their stand-in.
 */
export function createState(file: string | null) {
  let state: State | null = null;
  const load = (): State => {
    if (file === null || !existsSync(file)) return empty();
    return { ...empty(), ...(JSON.parse(readFileSync(file, 'utf8')) as State) };
  };
  return {
    get: () => (state ??= load()),
    channel: (id: string) =>
      ((state ??= load()).channels[id] ??= { liveEnabled: true, othersLive: 0, grantGeneration: 0 }),
    save(): void {
      if (!state) return;
      while (state.broadcasts.length > mostBroadcasts) {
        const ended = state.broadcasts.findIndex(({ lifeCycle }) => lifeCycle === 'complete');
        if (ended === -1) break;
        state.broadcasts.splice(ended, 1);
      }
      if (file === null) return;
      // The file contains stream keys.
      writeFileSync(`${file}.part`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${file}.part`, file);
    },
    /** Deletes everything but the grants, so that connected channels stay connected. */
    reset(): void {
      const { channels } = (state ??= load());
      for (const channel of Object.values(channels)) Object.assign(channel, { liveEnabled: true, othersLive: 0 });
      state = { ...empty(), channels };
    },
  };
}

export type StateStore = ReturnType<typeof createState>;
