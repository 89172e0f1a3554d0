// All that the stand-in remembers, in memory and, where it has one, in a file.
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
  /** When `testStarting` or `liveStarting` ends; null where it never does. */
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
  /** When it was seen to have media the last time; null before the first. */
  lastActiveAt: number | null;
}

export interface KeptChannel {
  liveEnabled: boolean;
  /** Live broadcasts of the owner's own, which no request tells of. */
  othersLive: number;
  /** Grants of earlier generations were revoked. */
  grantGeneration: number;
}

/** @property method `liveBroadcasts.insert`, or `*` for all */
export interface Fault {
  readonly method: string;
  /**
   * `lost_answer`: what was asked for is done, and the connection breaks. `stuck`: the next transition never ends.
   * Else a reason, which refuses without doing anything: `backendError` is a 503.
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

/** Broadcasts that ended are forgotten, the oldest first, where there are more. */
const mostBroadcasts = 500;

/** @param file null to keep nothing. It is read at the first use: other processes make a stand-in that nobody asks. */
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
      // Stream keys are in it.
      writeFileSync(`${file}.part`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${file}.part`, file);
    },
    /** Forgets all but the grants, so that what is connected stays so. */
    reset(): void {
      const { channels } = (state ??= load());
      for (const channel of Object.values(channels)) Object.assign(channel, { liveEnabled: true, othersLive: 0 });
      state = { ...empty(), channels };
    },
  };
}

export type StateStore = ReturnType<typeof createState>;
