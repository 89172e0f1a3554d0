// Makes a channel file from the state of the platform. Applying it changes nothing.
import { isDeepStrictEqual } from 'node:util';
import { rulesInput } from '../../../lambda/operations/programmes/programme-schema.ts';
import type { Stream } from '../../../lambda/web/app/types.ts';
import { only } from './change.ts';
import { streamSettings } from './document.ts';
import { namesOf, referenceOf } from './platform-state.ts';
import type { PlatformState } from './platform-state.ts';
import { mapped, nameInFile, renamed, resolved } from './references.ts';
import type { Plain } from './references.ts';
import { someOf, usualLook, usualSound } from './shown-settings.ts';

/** @param streams those to write; the destinations and collections that they may use are written as well */
export function exportedDocument(state: PlatformState, streams: readonly Stream[]): object {
  const names = namesOf(state);
  const inFile = (entry: object): unknown =>
    renamed(
      resolved(withoutNothing(entry), (kind, id) => referenceOf(names[kind], id)),
      nameInFile,
    );
  const section = <Thing extends { readonly id: string }>(
    kind: keyof typeof names,
    things: readonly Thing[],
    entryOf: (thing: Thing) => object,
  ) => Object.fromEntries(things.map((thing) => [referenceOf(names[kind], thing.id), inFile(entryOf(thing))]));
  const ownDestinations = state.destinations.filter(({ url }) => url !== undefined);
  return {
    version: 1,
    destinations: section('destination', ownDestinations, ({ url, backupURL, srt }) => ({
      url,
      backupURL,
      srt: srt && { latencyMs: srt.latencyMs, streamID: srt.streamID },
    })),
    collections: section('collection', state.collections, (collection) =>
      only({ ...collection }, ['kind', 'source', 'order', 'groupBy']),
    ),
    streams: section('stream', streams, (stream) => streamEntry(stream, state)),
    alerts: section('alert', state.alerts, (alert) =>
      only({ ...alert }, ['kind', 'events', 'afterSeconds', 'quietHours', 'enabled']),
    ),
  };
}

function streamEntry(stream: Stream, state: PlatformState): object {
  const playlists = state.playlists.filter(({ id }) => stream.playlistIDs.includes(id));
  const programmes = state.programmes.filter(({ streamID }) => streamID === stream.id);
  const outputs = stream.outputs.filter(({ isFirst }) => !isFirst);
  const { scheduleStartAt: startAt, scheduleEndAt: endAt, recurrence } = stream;
  return {
    ...only({ ...stream }, streamSettings),
    sound: unlike(stream.sound, usualSound),
    look: unlike(stream.look, usualLook),
    playlists: byKind(playlists, ({ mode, draft }) => ({ mode, items: draft.items.map(itemEntry) })),
    programmes: byKind(programmes, (programme) => only({ ...programme }, Object.keys(rulesInput))),
    outputs:
      outputs.length > 0 ? outputs.map(({ destinationID, name, enabled }) => ({ destinationID, name, enabled })) : null,
    schedule: startAt === null ? null : { startAt, endAt, recurrence },
    running: stream.status === 'ACTIVE',
  };
}

function byKind<Thing extends { readonly kind: string }>(things: readonly Thing[], entryOf: (thing: Thing) => object) {
  return things.length === 0 ? null : Object.fromEntries(things.map((thing) => [thing.kind, entryOf(thing)]));
}

function itemEntry({ uploadID, sound, look }: PlatformState['playlists'][number]['draft']['items'][number]): object {
  return { uploadID, sound: someOf(sound), look: someOf(look) };
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
