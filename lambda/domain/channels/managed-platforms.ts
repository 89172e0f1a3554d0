// The managed video platforms that we know, and what we ask of a connection to a channel there.

/** The platforms that a channel can be connected on. */
export const platformNames = ['youtube', 'twitch', 'kick'] as const;
export type PlatformName = (typeof platformNames)[number];

/** What a platform is called, and what it takes. */
export interface PlatformTraits {
  /** As it writes itself. */
  readonly title: string;
  /** Whether it takes a second, redundant feed. */
  readonly hasBackupIngest: boolean;
  /** In UTF-16 units. */
  readonly maxTitleLength: number;
}

/** Twitch's length of titles is from memory, and Kick documents none. */
export const platformTraits: Readonly<Record<PlatformName, PlatformTraits>> = {
  youtube: { title: 'YouTube', hasBackupIngest: true, maxTitleLength: 100 },
  twitch: { title: 'Twitch', hasBackupIngest: false, maxTitleLength: 140 },
  kick: { title: 'Kick', hasBackupIngest: false, maxTitleLength: 100 },
};

export const connectionStates = ['pending', 'ok', 'grant_revoked', 'scope_missing', 'live_not_enabled'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** A grant that ends by itself is told of for so long before. */
export const grantExpiringDays = 2;

/** Whether a grant is worth connecting: what it lacks of what was asked for makes it useless. */
export function stateOfGrant(asked: readonly string[], granted: readonly string[]): 'ok' | 'scope_missing' {
  return asked.every((scope) => granted.includes(scope)) ? 'ok' : 'scope_missing';
}
