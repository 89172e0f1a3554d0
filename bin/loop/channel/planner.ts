// Compares a channel file with the platform: plans the changes, in their order. It writes nothing.
// Decision D242.
import { streamPriceOf } from '../../../lambda/domain/billing/credits.ts';
import type { PriceTable } from '../../../lambda/domain/billing/credits.ts';
import type { Stream } from '../../../lambda/web/app/types.ts';
import { LoopFailure } from '../failure.ts';
import type { MediaFile } from '../send-files.ts';
import type { Named } from '../session.ts';
import { changeOf, changesTo, patch, post, remove, symbolOf } from './change.ts';
import type { Change, ChangeKind, CostChange, Plan } from './change.ts';
import { isSecret } from './document.ts';
import type { ChannelDocument, StreamEntry } from './document.ts';
import { partEntry, parts, shownSource, usualSrt } from './entries.ts';
import type { Section } from './entries.ts';
import { find, namesOf, ownDestinations } from './platform-state.ts';
import type { PlatformState } from './platform-state.ts';
import { isObject, only, resolved } from './references.ts';
import type { Plain, ReferenceKind } from './references.ts';
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

/** The order of events has no meaning. */
function comparable(entry: Plain): Plain {
  const { events } = entry;
  return Array.isArray(events) ? { ...entry, events: events.toSorted() } : entry;
}

function hasSecret(entry: Plain): boolean {
  return Object.entries(entry).some(
    ([field, value]) => isSecret(field, value) || (isObject(value) && hasSecret(value)),
  );
}

/** @param thing the thing on the platform; null: there is none @throws {LoopFailure} if it is of another kind */
function partChanges(
  section: Section,
  name: string,
  entry: Plain,
  thing: { readonly id: string } | null,
  renewSecrets: boolean,
): Change[] {
  const { kind, path, viewers } = parts[section];
  const before = thing && comparable(partEntry(section, thing));
  const { kind: ownKind, ...given } = comparable(partEntry(section, entry));
  if (before && before['kind'] !== ownKind)
    throw new LoopFailure(
      'refused',
      `${name} is of kind ${String(before['kind'])}, which cannot change to ${String(ownKind)}. Use a new name.`,
    );
  const { source, srt } = given;
  const after = {
    ...given,
    ...(source !== undefined && { source: shownSource(source) }),
    ...(isObject(srt) && { srt: { ...usualSrt, ...(before?.['srt'] as object), ...srt } }),
  };
  const secrets = only(entry, ['streamKey', 'srt', 'target']);
  const isRenewed = thing !== null && renewSecrets && hasSecret(entry);
  const further = isRenewed ? [{ field: 'secrets', from: '(as stored)', to: '(sent again)' }] : [];
  return changesTo({ kind, name, before, after, further }, (names) => {
    if (!thing) return { steps: [post(path, { name, ...entry }, symbolOf(kind, name))] };
    const isMoved = names.includes('url') || names.includes('backupURL');
    const body = { ...only(after, names), ...((isMoved || renewSecrets) && secrets) };
    return { viewers, steps: [patch(`${path}/${thing.id}`, body)] };
  });
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

/** The streams of the document whose price for an hour on air changes, by the prices of the platform. */
function costsOf(document: ChannelDocument, state: PlatformState): CostChange[] {
  return Object.entries(document.streams ?? {}).flatMap(([name, entry]) => {
    const before = find(state.streams, name, 'stream');
    const toPerHour = round(priceAfter(entry, before, state));
    const fromPerHour = before && round(before.creditsPerHour);
    return fromPerHour === toPerHour ? [] : [{ stream: name, fromPerHour, toPerHour }];
  });
}

const round = (credits: number): number => Math.round(credits * 1000) / 1000;

function priceAfter(entry: StreamEntry, before: Stream | null, { prices, defaults }: PlatformState): number {
  /** An absent field keeps its value; null clears it. */
  const setting = <Name extends keyof StreamEntry & keyof Stream>(name: Name) =>
    entry[name] === undefined ? before?.[name] : entry[name];
  const isBackedUp = setting('runBackupStream') === true && setting('agentModeEnabled') === true;
  const outputs = entry.outputs ?? before?.outputs.filter(({ isFirst }) => !isFirst) ?? [];
  const stream = {
    quality: setting('quality') ?? defaults.quality,
    framerate: setting('framerate') ?? defaults.framerate,
    isBackedUp,
    further: outputs.filter(({ enabled }) => enabled !== false).map(() => ({ isBackedUp })),
  };
  const creditsPerHour = Object.fromEntries(prices.creditsPerHour.map((price) => [price.quality, price]));
  const table = { ...prices, version: '', creditsPerHour: creditsPerHour as unknown as PriceTable['creditsPerHour'] };
  return streamPriceOf(stream, new Date(prices.effectiveFrom), [table]);
}
