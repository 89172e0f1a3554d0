// A channel as a file: its schema, from the schemas of the API with names in place of ids, and its faults by line.
// Decision D242.
import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import * as z from 'zod';
import { alertChannelFields } from '../../../lambda/operations/alerts/alert-channel-schema.ts';
import { groupByInput, orderInput, sourceInput } from '../../../lambda/operations/collections/collection-schema.ts';
import { destinationFields } from '../../../lambda/operations/destinations/destination-schema.ts';
import { id, text } from '../../../lambda/operations/fields.ts';
import { itemLookInput } from '../../../lambda/operations/look-fields.ts';
import { rulesInput } from '../../../lambda/operations/programmes/programme-schema.ts';
import { soundInput } from '../../../lambda/operations/sound-fields.ts';
import { recurrence } from '../../../lambda/operations/streams/recurrence-fields.ts';
import { streamFields } from '../../../lambda/operations/streams/stream-fields.ts';
import { LoopFailure } from '../failure.ts';
import { isObject, mapped, nameInAPI, nameInFile, renamed } from './references.ts';

/** A file has the name, the playlists and the schedule of a stream in other forms, and no other settings of these. */
const settings = z.strictObject(streamFields).omit({
  name: true,
  playlistIDs: true,
  scheduleStartAt: true,
  scheduleEndAt: true,
  preparedPlaylistIDs: true,
  streamKey: true,
  streamStateID: true,
});
/** The fields of a stream that a file holds beside its parts. */
export const streamSettings = settings.keyof().options;

const secret = z
  .union([z.strictObject({ env: text(1, 255) }), z.strictObject({ file: text(1, 4096) })])
  .describe('A secret: the name of a variable (env), or of a file. It is sent when the thing is made or moves.');
export type SecretReference = z.output<typeof secret>;

/** Whether a field, of a file or of a request before it is sent, refers to a secret. */
export function isSecret(field: string, value: unknown): value is SecretReference {
  return ['streamKey', 'passphrase', 'target'].includes(field) && isObject(value);
}

const { url, backupURL, srt } = destinationFields;
const destination = z.strictObject({
  url: url.unwrap(),
  backupURL,
  streamKey: secret.optional(),
  srt: srt.unwrap().extend({ passphrase: secret.optional() }).optional(),
});
const collection = z.strictObject({
  kind: z.enum(['video', 'audio']),
  source: sourceInput,
  order: orderInput.optional(),
  groupBy: groupByInput.optional(),
});
const { kind, events, afterSeconds, quietHours, enabled } = alertChannelFields;
const alert = z
  .strictObject({ events, afterSeconds, quietHours, enabled })
  .partial()
  .extend({ kind, target: secret.optional() });

const item = z.union([
  id.describe('A file beside this one (./NAME), or the name of an upload.'),
  z.strictObject({ uploadID: id, sound: soundInput.nullish(), look: itemLookInput.nullish() }),
]);
const playlist = z.strictObject({
  mode: z.enum(['sequential', 'shuffle']).optional(),
  items: z.array(item).max(1000),
});
const programme = z.strictObject(rulesInput).partial();
const tracks = <Entry extends z.ZodType>(entry: Entry) =>
  z.strictObject({ video: entry.nullable(), audio: entry.nullable() }).partial().optional();

const stream = settings.extend({
  playlists: tracks(playlist).describe('null: the stream plays none of this kind.'),
  programmes: tracks(programme).describe('null: the programme is deleted.'),
  outputs: z
    .array(z.strictObject({ destinationID: id, name: text(0, 255).nullish(), enabled: z.boolean().optional() }))
    .max(29)
    .optional()
    .describe('All further outputs: others are removed.'),
  schedule: z
    .strictObject({
      startAt: z.iso.datetime({ offset: true }).describe('First start.'),
      endAt: z.iso.datetime({ offset: true }).nullish().describe('End of the first run.'),
      recurrence: recurrence.nullish(),
    })
    .nullish()
    .describe('null: there is no schedule.'),
  running: z.boolean().optional().describe('true: it is started. false: it is stopped. Absent: it is left as it is.'),
});

const named = <Entry extends z.ZodType>(entry: Entry) => z.record(text(1, 255), entry).optional();

/** The document in the names of the API. */
export const channelDocument = z
  .strictObject({
    version: z.literal(1),
    destinations: named(destination),
    collections: named(collection),
    streams: named(stream),
    alerts: named(alert),
  })
  .describe('A channel: its streams, and all that they need. Things that are not in it are left as they are.');

export type ChannelDocument = z.input<typeof channelDocument>;
export type StreamEntry = NonNullable<ChannelDocument['streams']>[string];

/** The schema for editors. */
export function channelJSONSchema(): object {
  return withNamesInFile(z.toJSONSchema(channelDocument, { io: 'input', unrepresentable: 'any' }));
}

function withNamesInFile(schema: object): object {
  return mapped(schema, (name, value) => {
    if (name === 'examples') return null;
    return [nameInFile(name), name === 'required' ? (value as string[]).map(nameInFile) : value];
  }) as object;
}

const mostBytes = 4 * 1024 ** 2;
const mostFaults = 20;

/** @throws {LoopFailure} with every fault at its place */
export async function readDocument(path: string): Promise<ChannelDocument> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new LoopFailure('not_found', `There is no file ${path}.`);
  return parseChannel(text, path);
}

/** @param path for the messages @throws {LoopFailure} with every fault at its place */
export function parseChannel(text: string, path: string): ChannelDocument {
  if (text.length > mostBytes) throw new LoopFailure('usage', `${path} is larger than ${mostBytes} bytes.`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const broken = document.errors.map(({ message, pos }) => `${at(pos[0])}: ${message}`);
  if (broken.length > 0) throw faultsOf(path, broken);
  const given = inNamesOfAPI(document.toJS() as unknown);
  const parsed = channelDocument.safeParse(given);
  if (parsed.success) return withWholeItems(given) as ChannelDocument;
  const lines = parsed.error.issues.flatMap(leavesOf).map(({ path: place, message }) => {
    const inFile = place.map((step) => (typeof step === 'string' ? nameInFile(step) : Number(step)));
    return `${at(offsetOf(document, inFile))}: ${inFile.join('.')}: ${message}`;
  });
  throw faultsOf(path, [...new Set(lines)]);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/** The faults of a union are those of its form whose faults lie deepest, as it is the nearest to the given value. */
function leavesOf({ path, message, errors = [] }: Issue): Issue[] {
  const depthOf = (issues: readonly Issue[]) => Math.max(...issues.map((issue) => issue.path.length));
  const [nearest = []] = errors.toSorted((one, other) => depthOf(other) - depthOf(one));
  if (nearest.length === 0) return [{ path, message }];
  return nearest.flatMap((issue) => leavesOf({ ...issue, path: [...path, ...issue.path] }));
}

/** The place of a field; of a missing one, that of the thing which lacks it. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** The names of things are kept; the fields of each thing get the names of the API. */
function inNamesOfAPI(given: unknown): unknown {
  const each = (of: unknown, change: (value: unknown) => unknown) =>
    isObject(of) ? Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)])) : of;
  return each(given, (things) => each(things, (thing) => renamed(thing, nameInAPI)));
}

/** Items of playlists that are only a name become objects, so that all references have a field. */
function withWholeItems(value: unknown): unknown {
  const whole = (item: unknown) => (typeof item === 'string' ? { uploadID: item } : item);
  return mapped(value, (name, each) => [name, name === 'items' && Array.isArray(each) ? each.map(whole) : each]);
}

function faultsOf(path: string, lines: readonly string[]): LoopFailure {
  const more = lines.length > mostFaults ? [`  … and ${lines.length - mostFaults} more`] : [];
  return new LoopFailure('usage', `${path} is not a channel:`, {
    lines: [...lines.slice(0, mostFaults).map((line) => `  ${line}`), ...more],
  });
}
