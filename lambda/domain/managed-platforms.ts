// The managed video platforms that we know, and what we ask of a connection to a channel there.

/** The platforms that a channel can be connected on. */
export const platformNames = ['youtube', 'twitch', 'kick'] as const;
export type PlatformName = (typeof platformNames)[number];

export const connectionStates = ['pending', 'ok', 'grant_revoked', 'scope_missing', 'live_not_enabled'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** Whether a grant is worth connecting: what it lacks of what was asked for makes it useless. */
export function stateOfGrant(asked: readonly string[], granted: readonly string[]): 'ok' | 'scope_missing' {
  return asked.every((scope) => granted.includes(scope)) ? 'ok' : 'scope_missing';
}
