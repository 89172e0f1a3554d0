// The port by which roles in other accounts are taken on for a short time.

export interface RoleRequest {
  readonly roleARN: string;
  /** For whom it is taken on. */
  readonly externalID: string;
  /** The only bucket that the session may list and read, whatever the role may. */
  readonly bucket: string;
}

/** Keys that end by themselves. They are kept in memory only, for as long as they are used. */
export interface SessionKeys {
  readonly accessKeyID: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export interface RoleSessions {
  /** The ARN that the trust policy of a role has to name as its principal. */
  readonly principal: string;
  /** @throws {RoleRefused} where the role does not let us in */
  open(request: RoleRequest, signal: AbortSignal): Promise<SessionKeys>;
}

export class RoleRefused extends Error {
  override readonly name = 'RoleRefused';
}
