// Things of the platform as entries of a channel file, and entries as the API shows them, with all defaults.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { sourceInput } from '../../../lambda/operations/collections/collection-schema.ts';
import * as looks from '../../../lambda/operations/look-fields.ts';
import { noRules, presentProgramme, rulesInput } from '../../../lambda/operations/programmes/programme-schema.ts';
import * as sounds from '../../../lambda/operations/sound-fields.ts';
import type { Stream } from '../../../lambda/web/app/types.ts';
import type { Named } from '../session.ts';
import { streamSettings } from './document.ts';
import { namesOf, ownDestinations, referenceOf } from './platform-state.ts';
import type { PlatformState } from './platform-state.ts';
import { asJSON, isObject, mapped, nameInFile, only, renamed, resolved } from './references.ts';
import type { Plain } from './references.ts';

/** The sections of things that streams use. */
export const parts = {
  destinations: {
    kind: 'destination',
    path: '/destinations',
    fields: ['url', 'backupURL', 'srt'],
    viewers: 'Live streams keep their connection, and use this from the next one.',
  },
  collections: {
    kind: 'collection',
    path: '/collections',
    fields: ['kind', 'source', 'order', 'groupBy'],
    viewers: 'Programmes that draw from it are planned again from the next item on.',
  },
  alerts: {
    kind: 'alert',
    path: '/alert-channels',
    fields: ['kind', 'events', 'afterSeconds', 'quietHours', 'enabled'],
    viewers: '',
  },
} as const;
export type Section = keyof typeof parts;

/** The settings of an address over SRT that names none. */
export const usualSrt = { latencyMs: 1000, streamID: null };

/** A thing of the API, or of a file, in the fields that a file shows: without secrets. */
export function partEntry(section: Section, thing: object): Plain {
  const entry = only(thing, parts[section].fields);
  const { srt } = entry;
  return isObject(srt) ? { ...entry, srt: only(srt, Object.keys(usualSrt)) } : entry;
}

/** How the API shows settings of a file; null has all defaults. */
const asShown =
  <Input extends z.ZodType, Stored>(
    input: Input,
    stored: (given: z.output<Input>) => Stored,
    present: (settings: Stored) => object,
  ) =>
  (given: unknown): Plain =>
    asJSON(present(stored(input.parse(given ?? {})))) as Plain;

export const shownSound = asShown(sounds.soundInput, sounds.soundSettings, sounds.presentSound);
export const shownLook = asShown(looks.streamLookInput, looks.streamLookSettings, looks.presentLook);
const shownItemSound = asShown(sounds.soundInput, sounds.itemSoundSettings, sounds.presentItemSound);
const shownItemLook = asShown(looks.itemLookInput, looks.itemLookSettings, looks.presentItemLook);

export interface ItemEntry {
  readonly uploadID: string;
  readonly sound?: unknown;
  readonly look?: unknown;
}

/** An item of a file as the API would show it. */
export function shownItem({ uploadID, sound, look }: ItemEntry): ItemEntry {
  return itemEntry({ uploadID, sound: shownItemSound(sound), look: shownItemLook(look) });
}

/** An item of the API in the fields of a file. Settings without any value are null: the item follows its stream. */
export function itemEntry({ uploadID, sound, look }: ItemEntry): ItemEntry {
  const some = (settings: unknown) => (Object.values(settings ?? {}).some((value) => value !== null) ? settings : null);
  return { uploadID, sound: some(sound), look: some(look) };
}

export function shownSource(given: unknown): Plain {
  return asJSON(sourceInput.parse(given) as Plain);
}

/** The fields of rules that are given, as the API shows them. */
export function shownRules(given: Plain): Plain {
  const draft = { ...noRules, timeZone: 'UTC', ...z.strictObject(rulesInput).partial().parse(given) };
  const programme = { draft, live: null } as Parameters<typeof presentProgramme>[0];
  return only(asJSON(presentProgramme(programme)), Object.keys(given));
}

/**
 * A channel file of the state of the platform. Applying it changes nothing.
 * @param streams those to write; the destinations and collections that they may use are written as well
 */
export function exportedDocument(state: PlatformState, streams: readonly Stream[]): object {
  const names = namesOf(state);
  const inFile = (entry: object) => {
    const withNames = resolved(withoutNothing(entry), (kind, id) => referenceOf(names[kind], id));
    return renamed(withNames, nameInFile);
  };
  const section = <Thing extends Named>(
    all: readonly Named[],
    things: readonly Thing[],
    entryOf: (thing: Thing) => object,
  ) => Object.fromEntries(things.map((thing) => [referenceOf(all, thing.id), inFile(entryOf(thing))]));
  const part = (name: Section, things: readonly Named[] = state[name]) =>
    section(state[name], things, (thing) => partEntry(name, thing));
  return {
    version: 1,
    destinations: part('destinations', ownDestinations(state)),
    collections: part('collections'),
    streams: section(state.streams, streams, (stream) => streamEntry(stream, state)),
    alerts: part('alerts'),
  };
}

function streamEntry(stream: Stream, { playlists, programmes }: PlatformState): object {
  const outputs = stream.outputs.filter(({ isFirst }) => !isFirst);
  const { scheduleStartAt: startAt, scheduleEndAt: endAt, recurrence } = stream;
  return {
    ...only(stream, streamSettings),
    sound: unlike(stream.sound, shownSound(null)),
    look: unlike(stream.look, shownLook(null)),
    playlists: byKind(
      playlists.filter(({ id }) => stream.playlistIDs.includes(id)),
      ({ mode, draft }) => ({ mode, items: draft.items.map(itemEntry) }),
    ),
    programmes: byKind(
      programmes.filter(({ streamID }) => streamID === stream.id),
      (programme) => only(programme, Object.keys(rulesInput)),
    ),
    outputs: outputs.length === 0 ? null : outputs.map((output) => only(output, ['destinationID', 'name', 'enabled'])),
    schedule: startAt === null ? null : { startAt, endAt, recurrence },
    running: stream.status === 'ACTIVE',
  };
}

function byKind<Thing extends { readonly kind: string }>(things: readonly Thing[], entryOf: (thing: Thing) => object) {
  return things.length === 0 ? null : Object.fromEntries(things.map((thing) => [thing.kind, entryOf(thing)]));
}

/** The fields of settings that differ from the usual ones; null if none does. */
function unlike(settings: object, usual: Plain): object | null {
  const some = Object.entries(settings).filter(([name, value]) => !isDeepStrictEqual(value, usual[name]));
  return some.length === 0 ? null : Object.fromEntries(some);
}

/** Leaves out null, which is the default everywhere but in the block of a mid-roll. */
function withoutNothing(value: unknown): unknown {
  return mapped(value, (field, each) => (each != null || field === 'blockID' ? [field, each] : null));
}
