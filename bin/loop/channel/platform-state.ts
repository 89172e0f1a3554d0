// The state of the platform that a channel file can describe, and the names of its things.
import type * as api from '../../../lambda/web/app/types.ts';
import type { Client } from '../client.ts';
import { LoopFailure } from '../failure.ts';
import type { Named } from '../session.ts';
import type { ReferenceKind } from './references.ts';

function list<Row>(path: string) {
  return (client: Client) => client.all<Row>(path);
}
const lists = {
  uploads: list<api.Upload>('/uploads'),
  destinations: list<api.Destination>('/destinations'),
  collections: list<api.Collection>('/collections'),
  streams: list<api.Stream>('/streams'),
  playlists: list<api.Playlist>('/playlists'),
  programmes: list<api.Programme>('/programmes'),
  alerts: list<api.AlertChannel>('/alert-channels'),
  sources: list<api.Source>('/sources'),
  managedSettings: list<api.ManagedSettings>('/managed-settings'),
};
type Lists = { readonly [Name in keyof typeof lists]: Awaited<ReturnType<(typeof lists)[Name]>> };

export interface PlatformState extends Lists {
  readonly prices: api.Prices;
  /** The format of streams that name none. */
  readonly defaults: Pick<api.Stream['effective'], 'quality' | 'framerate'>;
}

/** Reads everything; it writes nothing. @throws {LoopFailure} */
export async function readState(client: Client): Promise<PlatformState> {
  const read = Object.entries(lists).map(async ([name, readAll]) => [name, await readAll(client)] as const);
  const rows = Object.fromEntries(await Promise.all(read)) as unknown as Lists;
  const prices = await client.call<api.Prices>('GET', '/prices');
  const { defaults } = await client.call<Pick<PlatformState, 'defaults'>>('GET', '/me');
  return { ...rows, prices, defaults };
}

/** The names of things in files: uploads have their folder before it, and playlists are named after their stream. */
export function namesOf(state: PlatformState): Readonly<Record<ReferenceKind, readonly Named[]>> {
  const streamNames = new Map(state.streams.map(({ id, name }) => [id, name]));
  const playlistName = ({ kind, streamID }: api.Playlist) => `${streamNames.get(streamID ?? '')}/${kind}`;
  return {
    upload: state.uploads.map(({ id, name, folder }) => ({ id, name: folder === '' ? name : `${folder}/${name}` })),
    collection: state.collections,
    destination: state.destinations,
    playlist: state.playlists.map((playlist) => ({ id: playlist.id, name: playlistName(playlist) })),
    source: state.sources.map(({ id, url }) => ({ id, name: url })),
    managedSettings: state.managedSettings,
  };
}

/** The destinations that a file can describe: all but those of connected channels. */
export function ownDestinations({ destinations }: PlatformState): readonly api.Destination[] {
  return destinations.filter(({ url }) => url !== undefined);
}

/** The thing with a name or an id; null: none. @throws {LoopFailure} if several have the name */
export function find<Thing extends Named>(things: readonly Thing[], reference: string, noun: string): Thing | null {
  const found = things.filter(({ id, name }) => id === reference || name === reference);
  const lines = found.map(({ id }) => `  ${id}`);
  if (found.length > 1)
    throw new LoopFailure('usage', `Several things of kind ${noun} are named ${reference}. Use an id:`, { lines });
  return found[0] ?? null;
}

/** The reference of a thing in a file: its name if no other thing has it, else its id. */
export function referenceOf(things: readonly Named[], id: string): string {
  const name = things.find((thing) => thing.id === id)?.name;
  const isUnique = name != null && name !== '' && things.filter((thing) => thing.name === name).length === 1;
  return isUnique && !name.startsWith('.') && !name.startsWith('/') ? name : id;
}
