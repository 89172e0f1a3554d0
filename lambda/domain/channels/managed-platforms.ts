// Managed video platforms, and the demands on a connection to one of their channels.

/** Platforms whose channels can be connected. */
export const platformNames = ['youtube', 'twitch', 'kick'] as const;
export type PlatformName = (typeof platformNames)[number];

/** Name and limits of a platform. */
export interface PlatformTraits {
  /** Name as the platform writes it. */
  readonly title: string;
  /** Whether the platform takes a second, redundant feed. */
  readonly hasBackupIngest: boolean;
  /** In UTF-16 units. */
  readonly maxTitleLength: number;
}

/** Twitch's title length is from memory; Kick documents none. */
export const platformTraits: Readonly<Record<PlatformName, PlatformTraits>> = {
  youtube: { title: 'YouTube', hasBackupIngest: true, maxTitleLength: 100 },
  twitch: { title: 'Twitch', hasBackupIngest: false, maxTitleLength: 140 },
  kick: { title: 'Kick', hasBackupIngest: false, maxTitleLength: 100 },
};

export const connectionStates = ['pending', 'ok', 'grant_revoked', 'scope_missing', 'live_not_enabled'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** Days before a grant's own end at which its user is notified. */
export const grantExpiringDays = 2;

/** State of a grant: it is useless if it lacks a requested scope. */
export function stateOfGrant(asked: readonly string[], granted: readonly string[]): 'ok' | 'scope_missing' {
  return asked.every((scope) => granted.includes(scope)) ? 'ok' : 'scope_missing';
}
