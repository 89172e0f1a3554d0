// Words about watched sources that the database stores and the API shows.

/** The reason why a source is held. Decision D255. */
export const sourceHeld = {
  code: 'application_disconnected',
  detail: 'The application that added the source was disconnected. Scan it to watch it again, or delete it.',
} as const;

export const sourceStates = ['ok', 'failing'] as const;
