// Opens the credentials of a source, for its listing and for the links of its files.
import * as z from 'zod';
import type { Database } from '../../data/database.ts';
import type { ClaimedImport } from '../../data/sources/imports.ts';
import type { Source } from '../../data/sources/sources.ts';
import { sourceCredentialsPlace } from '../../domain/shared/sealed-places.ts';
import { s3Place } from '../../domain/sources/source-url.ts';
import type { SourceCredentials } from '../../domain/sources/source-url.ts';
import type { RoleSessions } from '../../ports/role-sessions/role-sessions.ts';
import type { Sealer } from '../../ports/sealer/sealer.ts';
import { ImportError } from '../import-error.ts';
import type { Link } from '../open-source.ts';
import { presignedURL } from './s3-client.ts';
import { ScanError } from './scan-error.ts';
import { keysOf } from './source-keys.ts';

const sealedCredentials: z.ZodType<SourceCredentials> = z.union([
  z.object({ roleARN: z.string() }),
  z.object({ accessKeyID: z.string(), secretAccessKey: z.string() }),
  z.object({ username: z.string(), password: z.string() }),
]);

/** The credentials of a source; null if it needs none. Decision D142. @throws if they were sealed with other keys */
export function openCredentials(sealer: Sealer, { id, sealed_credentials: sealed }: Source): SourceCredentials | null {
  return sealed && sealedCredentials.parse(JSON.parse(sealer.open(sealed, sourceCredentialsPlace(id))));
}

/** The authorization headers, which only the source's own server may get. */
export function authorizationOf(credentials: SourceCredentials | null): Readonly<Record<string, string>> {
  if (!credentials || !('password' in credentials)) return {};
  const { username, password } = credentials;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

export interface SourceAccess {
  readonly data: Database;
  readonly sealer: Sealer;
  /** Null if roles cannot be assumed. */
  readonly roles: RoleSessions | null;
}

/**
 * The link of an import, with the credentials of the source that lists it.
 * @throws {ImportError} if the role of a source refuses us
 */
export async function linkOf(
  { data, sealer, roles }: SourceAccess,
  { url, source_id: id }: ClaimedImport,
  signal: AbortSignal,
): Promise<Link> {
  const source = id === null ? null : await data.sources.findAny(id);
  if (!source) return { url };
  const credentials = openCredentials(sealer, source);
  const place = source.kind === 's3' ? s3Place(url) : null;
  const keys = place && (await keysOf(credentials, { source, place, roles }, signal).catch(asImportError));
  if (keys) return { url: await presignedURL(place, keys) };
  // A feed may list files of other servers, which must not get its password.
  const isItsOwn = URL.parse(url)?.origin === URL.parse(source.url)?.origin;
  return { url, headers: isItsOwn ? authorizationOf(credentials) : {} };
}

function asImportError(error: unknown): never {
  throw error instanceof ScanError ? new ImportError('access_refused', { seen: error.detail, cause: error }) : error;
}
