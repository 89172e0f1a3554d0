// Examples of bodies and parameters, generated from their JSON Schema, so that operations need not write their own.
import type { Json, Schema } from './schemas.ts';

/** Example values by field name, for schemas without an example. */
const usual: Readonly<Record<string, unknown>> = {
  name: 'Evening loop',
  email: 'ada@example.org',
  mimeType: 'video/mp4',
  fileSize: 52_428_800,
  durationSeconds: 212.4,
  width: 1920,
  height: 1080,
  framerate: 30,
  targetLUFS: -16,
  videoCodec: 'h264',
  audioCodec: 'aac',
  rtmpURL: 'rtmps://live.example.org/app',
  backupRtmpURL: 'rtmps://backup.example.org/app',
  streamKey: 'abcd-efgh-ijkl',
  url: 'https://files.example.org/video.mp4',
  checkoutURL: 'https://checkout.example.org/pay/0mb3kq5z',
  rule: 'FREQ=DAILY',
  timeZone: 'Europe/Paris',
  language: 'en-GB',
  version: 3,
  streamStateID: '42',
  nextCursor: '',
  hasMore: false,
  headers: { 'content-type': 'video/mp4', 'if-none-match': '*' },
  scheduleEndAt: '2030-01-31T20:00:00.000Z',
  expiresAt: '2030-01-31T19:00:00.000Z',
  latencyMs: 1.5,
  uptimeSeconds: 3600,
  bitrateKbps: 4500,
  framesPerSecond: 30,
  secondsInHand: 1.7,
  positionSeconds: 12.5,
  code: 'example_code',
  openapi: '3.1.0',
  sequence: 4711,
  attempts: 2,
  responseStatus: 500,
  responseExcerpt: 'Internal Server Error',
};

/** Prefixes of IDs, by a word in the name of the field or resource. */
const prefixes: Readonly<Record<string, string>> = {
  programme: 'prg',
  queued: 'que',
  upload: 'upl',
  playlist: 'ply',
  collection: 'col',
  destination: 'dst',
  stream: 'str',
  item: 'itm',
  delivery: 'dlv',
  event: 'evt',
  webhook: 'whk',
  invoice: 'inv',
  me: 'usr',
};

/**
 * Generates an example.
 * @param name the name of the field, or of the resource for an `id`
 * @param schemas the components that references lead to
 */
export function exampleOf(schema: Json, name: string, schemas: Json): unknown {
  const {
    $ref,
    const: constant,
    enum: values,
    examples,
    anyOf,
    oneOf,
    type: types,
    properties,
    items,
    ...rest
  } = schema as Schema;
  const type = [types].flat()[0];
  if ($ref !== undefined) {
    const component = $ref.slice('#/components/schemas/'.length);
    return exampleOf(schemas[component] as Json, component, schemas);
  }
  if (examples) return examples[0];
  if (constant !== undefined) return constant;
  if (values) return values[0];
  const options = anyOf ?? oneOf;
  if (options) {
    const option = options.find((candidate) => candidate.type !== 'null') ?? options[0]!;
    return exampleOf(option as Json, name, schemas);
  }
  if (properties) return objectExample(properties, rest.required ?? [], name, schemas);
  if (items) return [exampleOf(items as Json, name, schemas)];
  if (type === 'boolean') return rest.default ?? true;
  const known = usual[name];
  if (type === 'string' && rest.format === 'date-time') return known ?? '2030-01-31T18:00:00.000Z';
  if (type === 'string') return textExample(name, known);
  if (type === 'object') return known ?? {};
  return typeof known === 'number' ? known : (rest.default ?? Math.max(1, rest.minimum ?? 1));
}

/**
 * An example of an object: its required members, or all members if none is required. Requests require little, answers
 * almost everything.
 */
function objectExample(
  properties: NonNullable<Schema['properties']>,
  required: readonly string[],
  owner: string,
  schemas: Json,
): Json {
  const shown = Object.entries(properties).filter(
    ([name, { deprecated }]) => !deprecated && (required.length === 0 || required.includes(name)),
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [name, exampleOf(property as Json, name === 'id' ? owner : name, schemas)]),
  );
}

function textExample(name: string, known: unknown): string {
  if (typeof known === 'string') return known;
  if (!/^[A-Z]|IDs?$|^id$/.test(name)) return 'Text';
  const word = Object.keys(prefixes).find((candidate) => name.toLowerCase().includes(candidate));
  return `${word === undefined ? 'id' : prefixes[word]}_0mb3kq5zj4h8s2n7t1w9x6c0p`;
}
