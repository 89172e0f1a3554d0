// Port of sessions of roles in other accounts.

export interface RoleRequest {
  readonly roleARN: string;
  /** External ID of the user for whom the role is assumed. */
  readonly externalID: string;
  /** The only bucket that the session may list and read, whatever the role allows. */
  readonly bucket: string;
}

/** Keys that expire. They are kept in memory only, while they are used. */
export interface SessionKeys {
  readonly accessKeyID: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export interface RoleSessions {
  /** ARN that the trust policy of a role has to name as its principal. */
  readonly principal: string;
  /** @throws {RoleRefused} if the role does not admit us */
  open(request: RoleRequest, signal: AbortSignal): Promise<SessionKeys>;
}

export class RoleRefused extends Error {
  override readonly name = 'RoleRefused';
}
