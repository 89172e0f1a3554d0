// Makes a channel file from the state of the platform. Applying it changes nothing.
import { isDeepStrictEqual } from 'node:util';
import { rulesInput } from '../../../lambda/operations/programmes/programme-schema.ts';
import type { Stream } from '../../../lambda/web/app/types.ts';
import { streamSettings } from './document.ts';
import { partEntry } from './part-changes.ts';
import type { Section } from './part-changes.ts';
import { namesOf, ownDestinations, referenceOf } from './platform-state.ts';
import type { Named, PlatformState } from './platform-state.ts';
import { mapped, nameInFile, only, renamed, resolved } from './references.ts';
import type { Plain } from './references.ts';
import { itemEntry, shownLook, shownSound } from './shown-settings.ts';

/** @param streams those to write; the destinations and collections that they may use are written as well */
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
