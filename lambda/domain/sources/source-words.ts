// Words about watched sources that the database stores and the API shows.

export const sourceStates = ['ok', 'failing'] as const;
