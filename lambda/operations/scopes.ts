// The OAuth scopes, and what each grants.

export const scopes = {
  'service:read': 'Read streams, destinations, playlists and billing status',
  'service:write': 'Create and control streams, destinations and playlists',
  'service:destructive': 'Delete streams and destinations',
  'service:billing': 'Read billing and usage; create top-up links',
} as const;

export type Scope = keyof typeof scopes;
/** The scopes of an API key without scopes of its own, which acts as its user. */
export const allScopes = Object.keys(scopes) as Scope[];
