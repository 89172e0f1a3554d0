// A watched source in answers, and the fields of requests that create or update one.
// Answers never contain its credentials.
import * as z from 'zod';
import type { Source } from '../../data/sources/sources.ts';
import { sourceCredentialsPlace } from '../../domain/shared/sealed-places.ts';
import { isAWSEndpoint, isSourceRole, sourceRolePrefix } from '../../domain/sources/source-role.ts';
import { s3Place, sourceKinds } from '../../domain/sources/source-url.ts';
import type { SourceCredentials } from '../../domain/sources/source-url.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { folderPath } from '../uploads/upload-order.ts';
import { shownColumns } from '../shown-columns.ts';
import { sourceStates } from '../../domain/sources/source-words.ts';

const kind = z.enum(sourceKinds).meta({ id: 'SourceKind' });

/** The credentials of a source. The required fields depend on its kind. */
const credentials = z
  .strictObject({
    roleARN: text(1, 128)
      .optional()
      .describe(
        `ARN of a role whose name begins with ${sourceRolePrefix}. reason of the source names the principal that ` +
          'the role must trust.',
      ),
    accessKeyID: text(1, 128).optional(),
    secretAccessKey: text(1, 256).optional(),
    username: text(1, 255).optional(),
    password: text(1, 1024).optional(),
  })
  .meta({ id: 'SourceCredentials' })
  .nullable()
  .describe(
    'Credentials. s3: roleARN, or accessKeyID and secretAccessKey. Other kinds: username and password. null: ' +
      'none are needed. Answers never contain them.',
  );

export const sourceFields = {
  kind,
  url: text(1, 2048).describe(
    'Address. webdav: URL of a folder. s3: ENDPOINT/BUCKET/PREFIX, such as ' +
      'https://s3.eu-central-1.amazonaws.com/my-bucket/shows/. rss: URL of a podcast feed.',
  ),
  folder: folderPath.describe(
    'Folder for the uploads of the source. Folders of the source become folders inside it. Empty: no folder.',
  ),
  credentials,
  everyMinutes: z.int32().min(10).max(1440).describe('Minutes between two scans.'),
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
    reason: failure
      .nullable()
      .describe('Reason why the last scan failed, or why files wait or are left out. null: all is well.'),
    lastScanAt: timestamp.nullable().describe('Time of the last scan. null: the source has not been scanned yet.'),
    found: z.int32().describe('Number of media files at the last scan.'),
    imported: z.int32().describe('Number of these files that became uploads. Failed imports are retried.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Source' });

export function presentSource(source: Source): z.input<typeof sourceSchema> {
  return {
    ...shownColumns(sourceSchema, source),
    hasCredentials: source.sealed_credentials !== null,
  };
}

/**
 * Seals the credentials of a source.
 * @returns null for a source without credentials
 * @throws {ProblemError} validation_failed if the credentials do not fit the kind of source
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
      'A source of kind s3 needs roleARN, or accessKeyID and secretAccessKey, or null.',
    );
  if (!isSourceRole(roleARN))
    throw fieldProblem(
      'credentials/roleARN',
      `Use the ARN of a role without a path whose name begins with ${sourceRolePrefix}, such as ` +
        `arn:aws:iam::123456789012:role/${sourceRolePrefix}-videos.`,
    );
  // Requests signed by a role may only be sent to AWS. In a local run, an emulator may replace AWS.
  if (!isAWSEndpoint(s3Place(url)!.endpoint) && !ctx.settings.allowPrivateAddresses)
    throw fieldProblem(
      'credentials/roleARN',
      'A role only gives access to a bucket of AWS. Use the access keys of this store.',
    );
  return { roleARN };
}

function credentialsOfServer({ kind }: Pick<Source, 'kind'>, given: Given): SourceCredentials {
  const { username, password, ...others } = given;
  if (username !== undefined && password !== undefined && Object.keys(others).length === 0)
    return { username, password };
  throw fieldProblem('credentials', `A source of kind ${kind} needs username and password, or null.`);
}
