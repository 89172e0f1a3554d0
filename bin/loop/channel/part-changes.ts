// The sections of things that streams use: destinations, collections and alert channels, in one table; their changes.
import { LoopFailure } from '../failure.ts';
import { changesTo, patch, post, symbolOf } from './change.ts';
import type { Change } from './change.ts';
import { isSecret } from './document.ts';
import { isObject, only } from './references.ts';
import type { Plain } from './references.ts';
import { shownSource } from './shown-settings.ts';

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
const usualSrt = { latencyMs: 1000, streamID: null };

/** A thing of the API, or of a file, in the fields that a file shows: without secrets. */
export function partEntry(section: Section, thing: object): Plain {
  const entry = only(thing, parts[section].fields);
  const { srt } = entry;
  return isObject(srt) ? { ...entry, srt: only(srt, Object.keys(usualSrt)) } : entry;
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
export function partChanges(
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
