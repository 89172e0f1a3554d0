// The wire form of a playlist.
import * as z from 'zod';
import { playlistKinds, publishStatuses } from '../../data/playlists.ts';
import type { Playlist } from '../../data/playlists.ts';
import { playlistModes } from '../../domain/play-out.ts';
import type { PlaylistSpec } from '../../domain/playlist-edits.ts';
import type { Context } from '../context.ts';
import { failure, timestamp } from '../fields.ts';

const spec = z.object({
  mode: z.enum(playlistModes),
  items: z.array(z.object({ id: z.string(), uploadID: z.string(), durationSeconds: z.number().nullable() })),
  durationSeconds: z.number().describe('Sum of the items whose duration is known.'),
});

export const playlistSchema = z
  .object({
    id: z.string(),
    streamID: z.string(),
    name: z.string().nullable(),
    kind: z.enum(playlistKinds),
    mode: z.enum(playlistModes).describe('Mode of the draft.'),
    version: z.int().describe('Grows by one with every batch of operations applied.'),
    publishStatus: z.enum(publishStatuses),
    publishFailure: failure.nullable(),
    draft: spec.describe('What operations edit.'),
    live: spec
      .extend({ version: z.int(), publishedAt: z.iso.datetime() })
      .nullable()
      .describe('What streams play; null until the first publish.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Playlist' });

/** Presents playlists with the durations of their items, which one statement reads for all of them. */
export async function presentPlaylists(ctx: Context, playlists: readonly Playlist[]): Promise<z.input<typeof playlistSchema>[]> {
  const uploadIDs = new Set(playlists.flatMap(({ draft, live }) => [...draft.items, ...(live?.items ?? [])].map((item) => item.uploadID)));
  const durations = uploadIDs.size > 0 ? await ctx.data.uploads.durations([...uploadIDs]) : new Map<string, number>();
  const present = ({ mode, items }: PlaylistSpec) => ({
    mode,
    items: items.map(({ id, uploadID }) => ({ id, uploadID, durationSeconds: durations.get(uploadID) ?? null })),
    durationSeconds: items.reduce((sum, item) => sum + (durations.get(item.uploadID) ?? 0), 0),
  });
  return playlists.map((playlist) => ({
    id: playlist.id,
    streamID: playlist.stream_id,
    name: playlist.name,
    kind: playlist.kind,
    mode: playlist.draft.mode,
    version: playlist.version,
    publishStatus: playlist.publish_status,
    publishFailure: playlist.publish_failure,
    draft: present(playlist.draft),
    live: playlist.live && { ...present(playlist.live), version: playlist.live.version, publishedAt: playlist.live.publishedAt },
    createdAt: playlist.created_at,
  }));
}

export async function presentPlaylist(ctx: Context, playlist: Playlist): Promise<z.input<typeof playlistSchema>> {
  return (await presentPlaylists(ctx, [playlist]))[0]!;
}
