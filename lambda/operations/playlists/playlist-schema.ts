// A playlist in answers.
import * as z from 'zod';
import type { Playlist, ShownPlaylist } from '../../data/playout/playlists.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { playlistModes } from '../../domain/playout/play-out.ts';
import type { PlaylistSpec } from '../../domain/playout/playlist-edits.ts';
import { failureOfItem } from '../../domain/readiness/readiness.ts';
import { uploadFacts } from '../../orchestration/shared/upload-facts.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { itemLook, presentItemLook } from '../look-fields.ts';
import { itemSound, presentItemSound } from '../sound-fields.ts';
import { shownColumns } from '../shown-columns.ts';
import { maxPlaylistName, playlistKinds, publishStatuses } from '../../domain/playout/playlist-words.ts';

const item = z
  .object({
    id: z.string(),
    uploadID: z.string(),
    name: z.string().nullable(),
    title: z.string().nullable().describe('Title of the upload for viewers. null: it has none.'),
    durationSeconds: z.number().nullable().describe('Duration of the upload. null: not known, or an image.'),
    sound: itemSound.nullable(),
    look: itemLook.nullable(),
    failure: failure.nullable().describe('Reason why streams do not play the item. null: they can play it.'),
  })
  .meta({ id: 'PlaylistItem' });

const spec = z.object({
  mode: z.enum(playlistModes),
  items: z.array(item),
  durationSeconds: z.number().describe('Total duration of all items with a known duration, in seconds.'),
});

/** The name of a playlist in requests. */
export const playlistName = text(1, maxPlaylistName);

export const playlistSchema = z
  .object({
    id: z.string(),
    streamID: z
      .string()
      .nullable()
      .describe('ID of the stream that it was made for or moved to last. That stream may be deleted. null: none yet.'),
    name: z.string().nullable(),
    kind: z.enum(playlistKinds),
    mode: z.enum(playlistModes).describe('Mode of the draft.'),
    version: z.int32().describe('Version of the draft. It increases by one with every applied batch of operations.'),
    publishStatus: z.enum(publishStatuses),
    publishFailure: failure.nullable().describe('Reason of publishStatus FAILED. null otherwise.'),
    publishProgress: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('While PREPARING: share of the media that is prepared, 0 to 1. null otherwise.'),
    takesOverAt: timestamp
      .nullable()
      .describe('Time when the live stream switches to the version published last. null: no switch is pending.'),
    draft: spec.describe('Version that operations edit.'),
    live: spec
      .extend({ version: z.int32(), publishedAt: z.iso.datetime() })
      .nullable()
      .describe('Version that the stream plays. null: the playlist has not been published.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Playlist' });

/**
 * The number of items that a new draft adds to a playlist. A playlist counts as many items as its draft or its live
 * version, whichever has more, so publishing never adds any.
 */
export function itemsMore({ draft, live }: Pick<Playlist, 'draft' | 'live'>, next: PlaylistSpec): number {
  const kept = live?.items.length ?? 0;
  return Math.max(next.items.length, kept) - Math.max(draft.items.length, kept);
}

/** Whether the caller selected the items of playlists. If so, the uploads of all items are read. */
export function areItemsWanted(ctx: Context): boolean {
  return ctx.isWanted('Playlist.draft') || ctx.isWanted('Playlist.live');
}

/** Presents playlists. One statement reads the uploads of all items, or none if the caller did not select items. */
export async function presentPlaylists(
  ctx: Context,
  playlists: readonly ShownPlaylist[],
): Promise<z.input<typeof playlistSchema>[]> {
  const shown = areItemsWanted(ctx) ? playlists : [];
  const shownItems = shown.flatMap(({ draft, live }) => [...draft.items, ...(live?.items ?? [])]);
  const uploadIDs = new Set(shownItems.map((item) => item.uploadID));
  const uploads = uploadIDs.size > 0 ? await ctx.data.uploads.byID([...uploadIDs]) : new Map<string, Upload>();
  const present = (kind: Playlist['kind'], { mode, items }: PlaylistSpec) => ({
    mode,
    items: items.map(({ id, uploadID, sound: own, join, under, look = null }) => {
      const upload = uploads.get(uploadID);
      const facts = upload ? { ...uploadFacts(upload)!, failure: upload.failure } : null;
      const durationSeconds = upload?.duration_seconds ?? null;
      const sound = own || join || under ? presentItemSound({ loudness: own?.loudness, join, under }) : null;
      const name = upload?.name ?? null;
      const title = upload?.titles.title ?? null;
      const shown = { look: look && presentItemLook(look), failure: failureOfItem(facts, kind) };
      return { id, uploadID, name, title, durationSeconds, sound, ...shown };
    }),
    durationSeconds: items.reduce((sum, item) => sum + (uploads.get(item.uploadID)?.duration_seconds ?? 0), 0),
  });
  const progress = await progressOf(ctx, playlists);
  const takeOvers = await takeOversOf(ctx, playlists);
  return playlists.map((playlist) => ({
    ...shownColumns(playlistSchema, playlist),
    mode: playlist.draft.mode,
    version: playlist.version,
    publishProgress: progress.get(playlist.id) ?? null,
    takesOverAt: takeOvers.get(playlist.id) ?? null,
    draft: present(playlist.kind, playlist.draft),
    live: playlist.live && {
      ...present(playlist.kind, playlist.live),
      version: playlist.live.version,
      publishedAt: playlist.live.publishedAt,
    },
  }));
}

async function progressOf(ctx: Context, playlists: readonly ShownPlaylist[]): Promise<ReadonlyMap<string, number>> {
  const ids = playlists.filter((playlist) => playlist.publish_status === 'PREPARING').map(({ id }) => id);
  const isWanted = ids.length > 0 && ctx.isWanted('Playlist.publishProgress');
  return isWanted ? ctx.data.preparedShares.ofPlaylists(ids) : new Map();
}

async function takeOversOf(ctx: Context, playlists: readonly ShownPlaylist[]): Promise<ReadonlyMap<string, Date>> {
  const ids = playlists.filter(({ live }) => live !== null).map(({ id }) => id);
  return ids.length > 0 && ctx.isWanted('Playlist.takesOverAt') ? ctx.data.timelines.takeOvers(ids) : new Map();
}

export async function presentPlaylist(ctx: Context, playlist: Playlist): Promise<z.input<typeof playlistSchema>> {
  return (await presentPlaylists(ctx, [playlist]))[0]!;
}
