// Words about playlists that the database stores and the API shows.

export const playlistKinds = ['video', 'audio'] as const;
export type PlaylistKind = (typeof playlistKinds)[number];
export const publishStatuses = ['IDLE', 'PREPARING', 'FAILED'] as const;
