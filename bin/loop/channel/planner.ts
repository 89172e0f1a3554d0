// Compares a channel file with the platform: plans the changes, in their order. It writes nothing.
// Decision D242.
import type { MediaFile } from '../media-folder.ts';
import { changeOf, stopSteps, symbolOf } from './change.ts';
import type { Change, ChangeKind, Plan } from './change.ts';
import { costsOf } from './costs.ts';
import type { ChannelDocument } from './document.ts';
import { alertChanges, collectionChanges, destinationChanges } from './part-changes.ts';
import { find, namesOf } from './platform-state.ts';
import type { PlatformState } from './platform-state.ts';
import { resolved } from './references.ts';
import type { ReferenceKind } from './references.ts';
import { streamChanges } from './stream-changes.ts';
import { LoopFailure } from '../failure.ts';

export interface PlanOptions {
  readonly now: Date;
  /** The media files that the document names by paths, by these paths. */
  readonly files: ReadonlyMap<string, MediaFile>;
  /** Whether things that the document does not name are deleted, in the sections that it has. */
  readonly prune: boolean;
  /** Whether secrets are sent again. */
  readonly renewSecrets: boolean;
  /** Ids of new playlist items. */
  readonly newID: () => string;
}

/** Whether a reference to an upload is the path of a file. */
export const isPath = (reference: string): boolean => /^\.{0,2}\//.test(reference);

/** @throws {LoopFailure} if the document names things that do not exist */
export async function planChannel(
  document: ChannelDocument,
  state: PlatformState,
  options: PlanOptions,
): Promise<Plan> {
  const sending = new Map<string, Change>();
  const resolve = resolverOf(document, state, options, sending);
  const wanted = resolved(document, resolve) as ChannelDocument;
  const made = (
    section: keyof ChannelDocument,
    changes: PartChanges,
    known: readonly { id: string; name: string | null }[],
  ) =>
    Object.entries((wanted[section] ?? {}) as object).flatMap(([name, entry]) =>
      changes(name, entry as never, find(known, name, section) as never, options),
    );
  const streams = [];
  for (const [name, entry] of Object.entries(wanted.streams ?? {}))
    streams.push(...(await streamChanges(name, entry, find(state.streams, name, 'stream'), { ...options, state })));
  const changes = [
    ...made('destinations', destinationChanges, state.destinations),
    ...made('collections', collectionChanges, state.collections),
    ...streams,
    ...made('alerts', alertChanges, state.alerts),
    ...(options.prune ? deletions(wanted, state) : []),
  ];
  return {
    changes: [...sending.values(), ...changes],
    costs: costsOf(wanted, state),
    uploadBytes: [...sending.values()].reduce((sum, { steps: [step] }) => sum + bytesOf(step), 0),
  };
}

type PartChanges = (name: string, entry: never, before: never, options: PlanOptions) => Change[];

const bytesOf = (step: Change['steps'][number] | undefined): number => (step && 'file' in step ? step.file.bytes : 0);

/** Finds the ids of names: on the platform, of files to send, or of things that the document makes. */
function resolverOf(
  document: ChannelDocument,
  state: PlatformState,
  { files }: PlanOptions,
  sending: Map<string, Change>,
): (kind: ReferenceKind, reference: string) => string {
  const names = namesOf(state);
  const madeHere: Partial<Record<ReferenceKind, object>> = {
    destination: document.destinations ?? {},
    collection: document.collections ?? {},
  };
  return (kind, reference) => {
    if (kind === 'upload' && isPath(reference)) {
      const file = files.get(reference)!;
      const same = state.uploads.find(
        ({ name, fileSize, uploaded }) => uploaded && name === file.name && fileSize === file.bytes,
      );
      if (same) return same.id;
      const symbol = symbolOf('upload', file.path);
      sending.set(
        symbol,
        changeOf({ action: 'create', kind: 'upload', name: reference, steps: [{ file, makes: symbol }] }),
      );
      return symbol;
    }
    const found = find(names[kind], reference, kind);
    if (found) return found.id;
    if (Object.hasOwn(madeHere[kind] ?? {}, reference)) return symbolOf(kind as ChangeKind, reference);
    if (kind === 'playlist' && isPlaylistOf(document, reference)) return symbolOf('playlist', reference);
    throw new LoopFailure('not_found', `The file names the ${kind} ${reference}, which does not exist.`);
  };
}

function isPlaylistOf({ streams = {} }: ChannelDocument, reference: string): boolean {
  const [, name = '', kind = ''] = /^(.*)\/(video|audio)$/.exec(reference) ?? [];
  return streams[name]?.playlists?.[kind as 'video' | 'audio'] != null;
}

/** Streams go first, as they use the others. */
function deletions(document: ChannelDocument, state: PlatformState): Change[] {
  const sections = [
    ['streams', 'stream', '/streams', state.streams],
    ['collections', 'collection', '/collections', state.collections],
    ['destinations', 'destination', '/destinations', state.destinations.filter(({ url }) => url !== undefined)],
    ['alerts', 'alert', '/alert-channels', state.alerts],
  ] as const;
  return sections.flatMap(([section, kind, path, things]) => {
    const named = document[section];
    if (named === undefined) return [];
    const extra = (things as readonly { id: string; name: string | null }[]).filter(
      ({ id, name }) => !Object.hasOwn(named, id) && !(name !== null && Object.hasOwn(named, name)),
    );
    return extra.map(({ id, name }) => {
      const stream = state.streams.find((each) => kind === 'stream' && each.id === id);
      const isOnAir = stream?.status === 'ACTIVE';
      const stop = isOnAir ? stopSteps(id) : [];
      const viewers = isOnAir ? 'The stream ends.' : '';
      return changeOf({
        action: 'delete',
        kind,
        name: name ?? id,
        viewers,
        steps: [...stop, { method: 'DELETE', path: `${path}/${id}` }],
      });
    });
  });
}
