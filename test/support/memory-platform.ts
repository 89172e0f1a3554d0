// A managed platform in memory, which refuses the requests that YouTube refuses. Tests break it on purpose.
import type {
  BroadcastDraft,
  BroadcastPhase,
  Broadcasts,
  PlatformCall,
} from '../../lambda/ports/managed-platforms/broadcasts.ts';
import { PlatformRefusal } from '../../lambda/ports/managed-platforms/managed-platform.ts';
import type { ManagedPlatform } from '../../lambda/ports/managed-platforms/managed-platform.ts';
import { youtubeUnits } from '../../lambda/ports/managed-platforms/youtube-platform.ts';
import type { RefusalCode } from '../../lambda/domain/channels/mirror-retries.ts';

export interface MemoryBroadcast {
  readonly id: string;
  draft: BroadcastDraft;
  phase: BroadcastPhase | 'deleted';
  boundTo: string | null;
  hasThumbnail: boolean;
  /** Start time of the transition to live, in milliseconds; null unless one is in progress. */
  startingAt: number | null;
  readonly madeAt: number;
}

export interface MemoryPlatform extends ManagedPlatform {
  readonly broadcasts: Broadcasts;
  /** All broadcasts ever created. */
  readonly made: MemoryBroadcast[];
  readonly calls: PlatformCall[];
  /** Ids of ingests that receive media. */
  readonly fed: Set<string>;
  /** Valid access tokens and refresh tokens. */
  readonly tokens: Set<string>;
  /** Refusal of all calls; null: calls are accepted. */
  refuses: { readonly code: RefusalCode; readonly reason: string } | null;
  /** Limit of broadcasts that are live at once. */
  mostLive: number;
  /** Time for which a new broadcast cannot be found. */
  invisibleMs: number;
  /** Called before and after each call takes effect; an error that it throws is the answer. */
  around: (call: PlatformCall, when: 'before' | 'after') => void | Promise<void>;
  /** Broadcasts that have not ended, and broadcasts that are live or starting. */
  open(): MemoryBroadcast[];
  live(): MemoryBroadcast[];
  /** Ends a broadcast, as its owner can on the platform. */
  endThere(id: string): void;
}

/** Duration of a broadcast's transition to live. */
const startingMs = 6000;

const refuse = (code: RefusalCode, reason: string) => {
  throw new PlatformRefusal(code, reason);
};

export function createMemoryPlatform(clock: () => Date): MemoryPlatform {
  const nowMs = () => clock().getTime();
  const ingests = new Map<string, string>();
  let tokens = 0;

  const ask = async <Result>(access: string, call: PlatformCall, effect: () => Result): Promise<Result> => {
    platform.calls.push(call);
    await platform.around(call, 'before');
    if (!platform.tokens.has(access)) refuse('grant_revoked', 'authError');
    if (platform.refuses) refuse(platform.refuses.code, platform.refuses.reason);
    settle();
    const result = effect();
    await platform.around(call, 'after');
    return result;
  };
  /** Applies the changes that the platform makes by itself. */
  const settle = () => {
    for (const broadcast of platform.made) {
      const { boundTo, phase, draft, startingAt } = broadcast;
      const isFed = boundTo !== null && platform.fed.has(boundTo);
      if (phase === 'prepared' && draft.autoStart && isFed && hasRoom()) begin(broadcast);
      if (phase === 'starting' && nowMs() - startingAt! >= startingMs) broadcast.phase = 'live';
    }
  };
  const begin = (broadcast: MemoryBroadcast) => {
    broadcast.phase = 'starting';
    broadcast.startingAt = nowMs();
  };
  const hasRoom = () => platform.live().length < platform.mostLive;
  const find = (id: string) => {
    const broadcast = platform.made.find((candidate) => candidate.id === id && candidate.phase !== 'deleted');
    if (!broadcast) throw new PlatformRefusal('rejected', 'liveBroadcastNotFound');
    return broadcast;
  };
  const assertDraft = ({ title, scheduledStartAt }: BroadcastDraft, isNew: boolean) => {
    if (title === '' || title.length > 100 || /[<>]/.test(title)) refuse('rejected', 'invalidTitle');
    if (isNew && scheduledStartAt.getTime() <= nowMs()) refuse('rejected', 'invalidScheduledStartTime');
  };
  const referenceTo = (id: string) => ({ externalID: id, watchURL: `https://watch.example/${id}` });

  const platform: MemoryPlatform = {
    name: 'youtube',
    title: 'YouTube',
    scopes: ['all'],
    units: youtubeUnits,
    made: [],
    calls: [],
    fed: new Set(),
    tokens: new Set(['access 0', 'refresh 0']),
    refuses: null,
    mostLive: 10,
    invisibleMs: 0,
    around: () => {},
    open: () => platform.made.filter(({ phase }) => phase !== 'ended' && phase !== 'deleted'),
    live: () => platform.made.filter(({ phase }) => phase === 'live' || phase === 'starting'),
    endThere: (id) => void (find(id).phase = 'ended'),
    authorizeURL: () => new URL('https://consent.example/'),
    exchange: () => Promise.reject(new Error('nobody consents in memory')),
    async refresh(grant) {
      if (!platform.tokens.has(grant.refreshToken!)) refuse('grant_revoked', 'invalid_grant');
      platform.tokens.delete(grant.refreshToken!);
      platform.tokens.delete(grant.accessToken);
      tokens += 1;
      const renewed = { accessToken: `access ${tokens}`, refreshToken: `refresh ${tokens}` };
      platform.tokens.add(renewed.accessToken).add(renewed.refreshToken);
      return { ...grant, ...renewed, expiresAt: new Date(nowMs() + 3_600_000) };
    },
    revoke: async () => true,
    channel: async () => ({ accountID: 'UC1', title: 'A channel', liveURL: 'https://watch.example/live' }),
    ensureIngest: (access, { label, heldID }) =>
      ask(access, 'ensureIngest', () => {
        const id = heldID ?? `ingest of ${label}`;
        ingests.set(id, `key of ${label}`);
        return { externalID: id, url: 'rtmps://ingest.example/live', backupURL: null, key: ingests.get(id)! };
      }),
    describe: null,
    audience: async () => new Map(),
    subscribe: null,
    readEvent: null,
    broadcasts: {
      insert: (access, draft) =>
        ask(access, 'insert', () => {
          assertDraft(draft, true);
          const id = `video ${platform.made.length + 1}`;
          const state = { phase: 'prepared', boundTo: null, hasThumbnail: false, startingAt: null } as const;
          platform.made.push({ id, draft, ...state, madeAt: nowMs() });
          return referenceTo(id);
        }),
      find: (access, { title, scheduledStartAt }) =>
        ask(access, 'find', () =>
          platform
            .open()
            .filter(({ madeAt }) => nowMs() - madeAt >= platform.invisibleMs)
            .filter(({ draft }) => draft.title === title && +draft.scheduledStartAt === +scheduledStartAt)
            .map(({ id }) => referenceTo(id)),
        ),
      bind: (access, id, ingestID) =>
        ask(access, 'bind', () => {
          const broadcast = find(id);
          if (!ingests.has(ingestID)) refuse('rejected', 'liveStreamNotFound');
          if (broadcast.phase !== 'prepared' && broadcast.boundTo !== ingestID)
            refuse('rejected', 'liveBroadcastBindingNotAllowed');
          broadcast.boundTo = ingestID;
        }),
      update: (access, id, draft) =>
        ask(access, 'update', () => {
          const broadcast = find(id);
          if (broadcast.phase === 'ended') refuse('rejected', 'invalidTransition');
          assertDraft(draft, false);
          broadcast.draft = draft;
        }),
      setThumbnail: (access, id) => ask(access, 'thumbnail', () => void (find(id).hasThumbnail = true)),
      goLive: (access, id) =>
        ask(access, 'goLive', () => {
          const broadcast = find(id);
          if (broadcast.phase === 'ended') refuse('rejected', 'invalidTransition');
          if (broadcast.phase === 'live' || broadcast.phase === 'starting') return broadcast.phase;
          if (broadcast.boundTo === null || !platform.fed.has(broadcast.boundTo)) return 'waiting';
          if (!hasRoom()) refuse('channel_busy', 'concurrentBroadcastsExceedLimit');
          begin(broadcast);
          return 'starting';
        }),
      end: (access, id) =>
        ask(access, 'end', () => {
          const broadcast = platform.made.find((candidate) => candidate.id === id)!;
          if (broadcast.phase === 'prepared') broadcast.phase = 'deleted';
          else if (broadcast.phase !== 'deleted') broadcast.phase = 'ended';
        }),
      observe: (access, ids) =>
        ask(access, 'observe', () =>
          platform.made
            .filter(({ id, phase }) => ids.includes(id) && phase !== 'deleted')
            .map(({ id, phase, boundTo }) => ({
              externalID: id,
              phase: phase as BroadcastPhase,
              ingest: boundTo !== null && platform.fed.has(boundTo) ? ('active' as const) : ('inactive' as const),
              health: { state: 'good' as const, issues: [] },
            })),
        ),
    },
  };
  return platform;
}
