// Words about playlists that the database stores and the API shows.

export const playlistKinds = ['video', 'audio'] as const;
export type PlaylistKind = (typeof playlistKinds)[number];

/** The longest name of a playlist, in UTF-16 units. */
export const maxPlaylistName = 255;

const usualNames: Readonly<Record<PlaylistKind, string>> = { video: 'Playlist', audio: 'Music' };

/** The name of a playlist that its user does not name. */
export function usualPlaylistName(kind: PlaylistKind, streamName: string | null): string {
  const name = streamName ? `${usualNames[kind]} of ${streamName}` : usualNames[kind];
  // Not between the two units of one character.
  return name.slice(0, maxPlaylistName).replace(/[\uD800-\uDBFF]$/, '');
}

export const publishStatuses = ['IDLE', 'PREPARING', 'FAILED'] as const;
