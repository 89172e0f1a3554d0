// A watched source as clients see it, and the fields that requests to create and to update one take.
// Nobody sees its credentials again.
import * as z from 'zod';
import { sourceStates } from '../../data/sources/sources.ts';
import type { Source } from '../../data/sources/sources.ts';
import { sourceCredentialsPlace } from '../../domain/shared/sealed-places.ts';
import { isAWSEndpoint, isSourceRole, sourceRolePrefix } from '../../domain/sources/source-role.ts';
import { s3Place, sourceKinds } from '../../domain/sources/source-url.ts';
import type { SourceCredentials } from '../../domain/sources/source-url.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { folderPath } from '../uploads/upload-order.ts';

const kind = z.enum(sourceKinds).meta({ id: 'SourceKind' });

/** What opens a source. Which fields it needs follows from its kind. */
const credentials = z
  .strictObject({
    roleARN: text(1, 128)
      .optional()
      .describe(`Of a role named ${sourceRolePrefix}…; reason says whom it has to trust.`),
    accessKeyID: text(1, 128).optional(),
    secretAccessKey: text(1, 256).optional(),
    username: text(1, 255).optional(),
    password: text(1, 1024).optional(),
  })
  .meta({ id: 'SourceCredentials' })
  .nullable()
  .describe(
    's3: roleARN, or accessKeyID and secretAccessKey; else username, password. null: none. No answer has them.',
  );

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
  source: Pick<Source, 'id' | 'kind' | 'url'>,
  given: z.output<typeof credentials>,
): Buffer | null {
  if (given === null) return null;
  const sealed = source.kind === 's3' ? credentialsOfS3(ctx, source, given) : credentialsOfServer(source, given);
  return ctx.sourceSealer.seal(JSON.stringify(sealed), sourceCredentialsPlace(source.id));
}

type Given = NonNullable<z.output<typeof credentials>>;

function credentialsOfS3(ctx: Context, { url }: Pick<Source, 'url'>, given: Given): SourceCredentials {
  const { roleARN, accessKeyID, secretAccessKey, ...others } = given;
  const isForS3 = Object.keys(others).length === 0;
  if (isForS3 && roleARN === undefined && accessKeyID !== undefined && secretAccessKey !== undefined)
    return { accessKeyID, secretAccessKey };
  if (!isForS3 || roleARN === undefined || accessKeyID !== undefined || secretAccessKey !== undefined)
    throw fieldProblem(
      'credentials',
      'A source of the kind s3 has roleARN, or accessKeyID and secretAccessKey, or null.',
    );
  if (!isSourceRole(roleARN))
    throw fieldProblem(
      'credentials/roleARN',
      `Must be the ARN of a role without a path whose name begins with ${sourceRolePrefix}, such as ` +
        `arn:aws:iam::123456789012:role/${sourceRolePrefix}-videos.`,
    );
  // What a role has signed is nobody's business but AWS'. On one machine an emulator may stand for it.
  if (!isAWSEndpoint(s3Place(url)!.endpoint) && !ctx.settings.allowPrivateAddresses)
    throw fieldProblem('credentials/roleARN', 'A role opens a bucket of AWS only. Use the keys of this store.');
  return { roleARN };
}

function credentialsOfServer({ kind }: Pick<Source, 'kind'>, given: Given): SourceCredentials {
  const { username, password, ...others } = given;
  if (username !== undefined && password !== undefined && Object.keys(others).length === 0)
    return { username, password };
  throw fieldProblem('credentials', `A source of the kind ${kind} has username and password, or null.`);
}
