// The context of the API methods of the stand-in.
import { randomBytes } from 'node:crypto';
import { factsOf } from './ingest.ts';
import type { IngestFacts, IngestServer } from './ingest.ts';
import { advance, isOnAir } from './life-cycle.ts';
import type { StandInSettings, Surroundings } from './life-cycle.ts';
import { Refused } from './refused.ts';
import type { Fields, KeptBroadcast, KeptStream, StateStore } from './state.ts';

/** An authorized request that the discovery document has validated. */
export interface ApiCall {
  readonly channelID: string;
  readonly query: URLSearchParams;
  readonly parts: readonly string[];
  readonly body: Readonly<Record<string, Fields | undefined>> & { readonly id?: string };
  readonly media: { readonly mimeType: string; readonly bytes: Uint8Array };
  readonly world: World;
  /** Whether the next transition never ends. */
  readonly isStuck: boolean;
}

/** The whole state at one time. */
export class World {
  readonly now: number;
  readonly settings: StandInSettings;
  readonly store: StateStore;
  readonly server: IngestServer | null;

  constructor(now: Date, { settings, store, server }: Pick<World, 'settings' | 'store' | 'server'>) {
    this.now = now.getTime();
    this.settings = settings;
    this.store = store;
    this.server = server;
    for (const stream of this.streams) if (this.factsOf(stream).activeSince !== null) stream.lastActiveAt = this.now;
    for (const broadcast of this.broadcasts) advance(broadcast, this.around());
  }

  get broadcasts(): KeptBroadcast[] {
    return this.store.get().broadcasts;
  }

  get streams(): KeptStream[] {
    return this.store.get().streams;
  }

  factsOf({ key }: KeptStream): IngestFacts {
    return factsOf(this.server, key);
  }

  /** @throws {Refused} */
  broadcast(channelID: string, id: string | null): KeptBroadcast {
    const found = this.broadcasts.find((broadcast) => broadcast.id === id && broadcast.channelID === channelID);
    if (!found) throw new Refused('liveBroadcastNotFound');
    return found;
  }

  /** @throws {Refused} */
  stream(channelID: string, id: string | null): KeptStream {
    const found = this.streams.find((stream) => stream.id === id && stream.channelID === channelID);
    if (!found) throw new Refused('liveStreamNotFound');
    return found;
  }

  around(): Surroundings {
    const streamOf = (id: string) => this.streams.find((stream) => stream.id === id);
    const others = (broadcast: KeptBroadcast) =>
      this.broadcasts.filter((other) => other !== broadcast && isOnAir(other));
    return {
      now: this.now,
      settings: this.settings,
      activeSince: (id) => {
        const stream = streamOf(id);
        return (stream && this.factsOf(stream).activeSince?.getTime()) ?? null;
      },
      lastActiveAt: (id) => streamOf(id)?.lastActiveAt ?? null,
      liveOnChannel: (broadcast) =>
        others(broadcast).filter(({ channelID }) => channelID === broadcast.channelID).length +
        this.store.channel(broadcast.channelID).othersLive,
      liveOnIngest: (broadcast) =>
        others(broadcast).filter(({ boundStreamID }) => boundStreamID === broadcast.boundStreamID).length,
    };
  }
}

export function newID(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** The requested parts of a resource. `kind` and `etag` are always included. */
export function partsOf(kind: string, resource: Readonly<Record<string, unknown>>, parts: readonly string[]): Fields {
  const asked = Object.entries(resource).filter(([name, value]) => parts.includes(name) && value !== undefined);
  return { kind, etag: newID(20), ...Object.fromEntries(asked) };
}

/** One page of a list. @throws {Refused} */
export function pageOf<Item>(
  kind: string,
  items: readonly Item[],
  query: URLSearchParams,
  present: (item: Item) => Fields,
): Fields {
  // A list of ids is as long as the list.
  const size = query.has('id') ? items.length : Number(query.get('maxResults') ?? 5);
  const from = Number(Buffer.from(query.get('pageToken') ?? '', 'base64url').toString() || '0');
  if (!Number.isSafeInteger(from)) throw new Refused('invalidPageToken');
  const next = from + size < items.length ? Buffer.from(String(from + size)).toString('base64url') : undefined;
  return {
    kind,
    etag: newID(20),
    ...(next !== undefined && { nextPageToken: next }),
    pageInfo: { totalResults: items.length, resultsPerPage: size },
    items: items.slice(from, from + size).map(present),
  };
}

export function idsOf(query: URLSearchParams): string[] {
  return query.getAll('id').flatMap((ids) => ids.split(','));
}
