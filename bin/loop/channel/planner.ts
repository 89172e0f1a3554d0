// Compares a channel file with the platform: plans the changes, in their order. It writes nothing.
// Decision D242.
import { LoopFailure } from '../failure.ts';
import type { MediaFile } from '../media-folder.ts';
import { changeOf, remove, symbolOf } from './change.ts';
import type { Change, ChangeKind, Plan } from './change.ts';
import { costsOf } from './costs.ts';
import type { ChannelDocument } from './document.ts';
import { partChanges, parts } from './part-changes.ts';
import type { Section } from './part-changes.ts';
import { find, namesOf, ownDestinations } from './platform-state.ts';
import type { Named, PlatformState } from './platform-state.ts';
import { resolved } from './references.ts';
import type { ReferenceKind } from './references.ts';
import { stopSteps, streamChanges } from './stream-changes.ts';

export interface PlanOptions {
  readonly now: Date;
  /** The media files that the document names by paths, by these paths. */
  readonly files: ReadonlyMap<string, MediaFile>;
  /** Whether things that the document does not name are deleted, in the sections that it has. */
  readonly prune: boolean;
  /** Whether secrets are sent again. */
  readonly renewSecrets: boolean;
  /** Makes the id of a new playlist item. */
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
  const wanted = resolved(document, resolverOf(document, state, options.files)) as ChannelDocument;
  /** The files that the platform does not have, by their symbols. */
  const sending = new Map(
    [...options.files].flatMap(([name, file]) =>
      sameUpload(state, file) ? [] : [[symbolOf('upload', file.path), { name, file }]],
    ),
  );
  const uploads = [...sending].map(([makes, { name, file }]) =>
    changeOf({ action: 'create', kind: 'upload', name, steps: [{ file, makes }] }),
  );
  const changesOf = (section: Section) =>
    Object.entries(wanted[section] ?? {}).flatMap(([name, entry]) =>
      partChanges(section, name, entry, find<Named>(state[section], name, section), options.renewSecrets),
    );
  const streams = [];
  for (const [name, entry] of Object.entries(wanted.streams ?? {}))
    streams.push(...(await streamChanges(name, entry, find(state.streams, name, 'stream'), { ...options, state })));
  const changes = [
    ...uploads,
    ...changesOf('destinations'),
    ...changesOf('collections'),
    ...streams,
    ...changesOf('alerts'),
    ...(options.prune ? deletions(wanted, state) : []),
  ];
  const uploadBytes = [...sending.values()].reduce((sum, { file }) => sum + file.bytes, 0);
  return { changes, costs: costsOf(wanted, state), uploadBytes };
}

function sameUpload({ uploads }: PlatformState, { name, bytes }: MediaFile): Named | undefined {
  return uploads.find((each) => each.uploaded && each.name === name && each.fileSize === bytes);
}

/** Finds the ids of names: on the platform, of files to send, or of things that the document makes. */
function resolverOf(document: ChannelDocument, state: PlatformState, files: PlanOptions['files']) {
  const names = namesOf(state);
  const playlists = Object.entries(document.streams ?? {}).flatMap(([name, { playlists: tracks = {} }]) =>
    Object.entries(tracks).flatMap(([kind, playlist]) => (playlist ? [`${name}/${kind}`] : [])),
  );
  const madeHere: Partial<Record<ReferenceKind, readonly string[]>> = {
    destination: Object.keys(document.destinations ?? {}),
    collection: Object.keys(document.collections ?? {}),
    playlist: playlists,
  };
  return (kind: ReferenceKind, reference: string): string => {
    const file = kind === 'upload' && isPath(reference) ? files.get(reference)! : null;
    if (file) return sameUpload(state, file)?.id ?? symbolOf('upload', file.path);
    const found = find(names[kind], reference, kind);
    if (found) return found.id;
    if (madeHere[kind]?.includes(reference)) return symbolOf(kind as ChangeKind, reference);
    throw new LoopFailure('not_found', `The file names the ${kind} ${reference}, which does not exist.`);
  };
}

/** Streams go first, as they use the others. */
function deletions(document: ChannelDocument, state: PlatformState): Change[] {
  const things = { ...state, destinations: ownDestinations(state) };
  const sections = { streams: { kind: 'stream', path: '/streams' }, ...parts } as const;
  return (['streams', 'collections', 'destinations', 'alerts'] as const).flatMap((section) => {
    const { kind, path } = sections[section];
    const named = document[section];
    const isExtra = ({ id, name }: Named) => named && !Object.hasOwn(named, id) && !Object.hasOwn(named, name ?? id);
    const extra = (things[section] as readonly Named[]).filter(isExtra);
    return extra.map(({ id, name }) => {
      const isOnAir = state.streams.some((stream) => stream.id === id && stream.status === 'ACTIVE');
      const viewers = isOnAir ? 'The stream ends.' : '';
      const steps = [...(isOnAir ? stopSteps(id) : []), remove(`${path}/${id}`)];
      return changeOf({ action: 'delete', kind, name: name ?? id, viewers, steps });
    });
  });
}
