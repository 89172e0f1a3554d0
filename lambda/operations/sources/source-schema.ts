// A watched source as clients see it, and the fields that requests to create and to update one take.
// Nobody sees its credentials again.
import * as z from 'zod';
import { sourceStates } from '../../data/sources.ts';
import type { Source } from '../../data/sources.ts';
import { sourceCredentialsPlace } from '../../domain/sealed-places.ts';
import { sourceKinds } from '../../domain/source-url.ts';
import type { SourceCredentials, SourceKind } from '../../domain/source-url.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { folderPath } from '../uploads/upload-order.ts';

const kind = z.enum(sourceKinds).meta({ id: 'SourceKind' });

/** What opens a source. Which fields it needs follows from its kind. */
const credentials = z
  .strictObject({
    accessKeyID: text(1, 128).optional(),
    secretAccessKey: text(1, 256).optional(),
    username: text(1, 255).optional(),
    password: text(1, 1024).optional(),
  })
  .meta({ id: 'SourceCredentials' })
  .nullable()
  .describe('s3: accessKeyID, secretAccessKey; else username, password. null: none. No answer has them.');

export const sourceFields = {
  kind,
  url: text(1, 2048).describe(
    'webdav: a folder. s3: ENDPOINT/BUCKET/PREFIX, such as https://s3.eu-central-1.amazonaws.com/my-bucket/shows/. ' +
      'rss: a podcast feed.',
  ),
  folder: folderPath.describe('Where its uploads appear; folders of the source become folders below.'),
  credentials,
  everyMinutes: z.int32().min(10).max(1440).describe('Minutes from one look to the next.'),
};

export const sourceSchema = z
  .object({
    id: z.string(),
    kind,
    url: z.string(),
    folder: z.string(),
    hasCredentials: z.boolean(),
    everyMinutes: z.int32(),
    state: z.enum(sourceStates).meta({ id: 'SourceState' }),
    reason: failure.nullable().describe('Why the last look failed, or what waits or is left out.'),
    lastScanAt: timestamp.nullable().describe('null: it has not been looked at yet.'),
    found: z.int32().describe('Media files there at the last look.'),
    imported: z.int32().describe('How many of these were made uploads; failed imports are begun again.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Source' });

export function presentSource(source: Source): z.input<typeof sourceSchema> {
  return {
    id: source.id,
    kind: source.kind,
    url: source.url,
    folder: source.folder,
    hasCredentials: source.sealed_credentials !== null,
    everyMinutes: source.every_minutes,
    state: source.state,
    reason: source.reason,
    lastScanAt: source.last_scan_at,
    found: source.found,
    imported: source.imported,
    createdAt: source.created_at,
  };
}

/**
 * Seals what opens a source; null for one that needs nothing.
 * @throws {ProblemError} validation_failed where they are not those of its kind
 */
export function sealCredentials(
  ctx: Context,
  source: { readonly id: string; readonly kind: SourceKind },
  given: z.output<typeof credentials>,
): Buffer | null {
  if (given === null) return null;
  const sealed = credentialsOf(source.kind, given);
  return ctx.sourceSealer.seal(JSON.stringify(sealed), sourceCredentialsPlace(source.id));
}

function credentialsOf(
  sourceKind: SourceKind,
  { accessKeyID, secretAccessKey, username, password }: NonNullable<z.output<typeof credentials>>,
): SourceCredentials {
  const hasKeys = accessKeyID !== undefined || secretAccessKey !== undefined;
  const hasPassword = username !== undefined || password !== undefined;
  if (sourceKind === 's3') {
    if (accessKeyID !== undefined && secretAccessKey !== undefined && !hasPassword)
      return { accessKeyID, secretAccessKey };
    throw fieldProblem('credentials', 'A source of the kind s3 has accessKeyID and secretAccessKey, or null.');
  }
  if (username !== undefined && password !== undefined && !hasKeys) return { username, password };
  throw fieldProblem('credentials', `A source of the kind ${sourceKind} has username and password, or null.`);
}
