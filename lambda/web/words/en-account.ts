// The words of the account page, and of the permissions of keys and applications. They load with their pages.
import type { SecurityEventKind } from '../../data/accounts/security-events.ts';
import { scopes } from '../../operations/scopes.ts';
import type { Scope } from '../../operations/scopes.ts';

export const accountWords = {
  title: 'Account',
  defaults: {
    title: 'You, and what new streams take',
    name: 'Name',
    minutes: 'Duration in minutes',
    minutesHint: '0: until you stop it.',
    quality: 'Quality',
    framerate: 'Framerate',
    fps: ' fps',
  },
  keys: {
    title: 'API keys',
    text: 'A key is as good as your password. Send it in the header X-API-Key.',
    none: 'No keys yet.',
    fullAccess: 'Full access',
    made: 'made',
    lastUsed: 'last used',
    neverUsed: 'never used',
    expires: 'expires',
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke the key ${name}`,
    revokeAsk: (name: string) => `Revoke the key ${name}?`,
    revokeText: 'Programs that use it are refused at once.',
    /** The name stands between both. */
    once: { before: 'This is the key', after: '. It is shown this once: copy it now.' },
    makeTitle: 'Make a key',
    make: 'Make the key',
    name: 'Name of the key',
    expiry: 'Expires',
    expiries: { '': 'Never', '7': 'In 7 days', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' },
    limits: 'Limited to (nothing chosen: full access)',
  },
  applications: {
    title: 'Connected applications',
    none: 'No application acts for you.',
    since: 'since',
    disconnect: 'Disconnect',
    disconnectOf: (name: string) => `Disconnect ${name}`,
  },
  sessions: {
    title: 'Signed in',
    none: 'Nowhere.',
    here: '(here)',
    since: 'since',
    end: 'End',
    endOf: (device: string, since: string) => `End the session of ${device} since ${since}`,
    device: (browser: string, system: string) => `${browser} on ${system}`,
    unknownDevice: 'An unknown program',
  },
  password: {
    title: 'Password',
    change: 'Change the password',
    now: 'Password now',
    next: 'New password',
    hint: '10 characters or more. You are signed out everywhere else.',
    changed: 'Changed.',
  },
  history: {
    title: 'Latest events',
    none: 'Nothing.',
    kinds: {
      signed_up: 'Signed up',
      email_verified: 'Confirmed the address',
      signed_in: 'Signed in',
      sign_in_refused: 'Sign-in refused',
      session_ended: 'Signed out',
      password_reset_requested: 'Asked for a new password',
      password_changed: 'Changed the password',
      api_key_created: 'Made an API key',
      api_key_revoked: 'Revoked an API key',
      application_connected: 'Connected an application',
      application_denied: 'Refused an application',
      application_disconnected: 'Disconnected an application',
      refresh_refused: 'An application used a token again, and lost its access',
      token_revoked: 'An application gave back its access',
      user_disabled: 'Account disabled',
    } satisfies Record<SecurityEventKind, string>,
  },
} as const;

export const scopesWords = {
  ofService: scopes satisfies Record<Scope, string>,
  ofIdentity: {
    openid: 'Know which user you are',
    profile: 'See your name',
    email: 'See your e-mail address',
    offline_access: 'Stay connected until you disconnect it',
  },
} as const;
