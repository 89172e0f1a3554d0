// Gets the keys for signing requests to a user's bucket: the user's own, or those of a role in the user's account.
import { randomUUID } from 'node:crypto';
import type { Source } from '../../data/sources/sources.ts';
import { externalIDOf } from '../../domain/sources/source-role.ts';
import type { S3Place, SourceCredentials } from '../../domain/sources/source-url.ts';
import { RoleRefused } from '../../ports/role-sessions/role-sessions.ts';
import type { RoleSessions, SessionKeys } from '../../ports/role-sessions/role-sessions.ts';
import { ScanError } from './scan-error.ts';

export type Keys = Extract<SourceCredentials, { readonly secretAccessKey: string }> | SessionKeys;

/** The owner and the bucket of a source, and the sessions of roles; null if roles cannot be assumed. */
export interface RoleUse {
  readonly source: Pick<Source, 'user_id'>;
  readonly place: Pick<S3Place, 'bucket'>;
  readonly roles: RoleSessions | null;
}

/** @returns null for unsigned requests @throws {ScanError} if a role refuses us */
export async function keysOf(
  credentials: SourceCredentials | null,
  { source, place: { bucket }, roles }: RoleUse,
  signal: AbortSignal,
): Promise<Keys | null> {
  if (credentials && 'secretAccessKey' in credentials) return credentials;
  if (!credentials || !('roleARN' in credentials)) return null;
  if (!roles) throw new ScanError('roles_unavailable');
  const externalID = externalIDOf(source);
  const { roleARN } = credentials;
  try {
    return await roles.open({ roleARN, externalID, bucket }, signal);
  } catch (error) {
    if (!(error instanceof RoleRefused)) throw error;
    throw new ScanError('role_refused', { seen: trustOf(roles, externalID), cause: error });
  }
}

/**
 * Refuses a role that does not require the external id: any user of ours who knows its name could read its bucket.
 * @throws {ScanError}
 */
export async function assertExternalIDRequired(
  credentials: SourceCredentials | null,
  { source, place: { bucket }, roles }: RoleUse,
  signal: AbortSignal,
): Promise<void> {
  if (!credentials || !('roleARN' in credentials) || !roles) return;
  const unknownUser = { roleARN: credentials.roleARN, externalID: randomUUID(), bucket };
  const isOpen = await roles.open(unknownUser, signal).then(
    () => true,
    (error: unknown) => (error instanceof RoleRefused ? false : Promise.reject(error)),
  );
  if (isOpen) throw new ScanError('role_open', { seen: trustOf(roles, externalIDOf(source)) });
}

function trustOf({ principal }: RoleSessions, externalID: string): string {
  return (
    `The trust policy of the role must allow sts:AssumeRole for the principal ${principal} with the condition ` +
    `StringEquals "sts:ExternalId": "${externalID}".`
  );
}
