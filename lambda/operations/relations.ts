// The fields of answers that name other resources by ID.
// GraphQL turns each of them into a field with the resource itself.
import type * as z from 'zod';
import type { Context } from './context.ts';
import { destinationSchema, presentDestination } from './destinations/destination-schema.ts';
import { areItemsWanted, playlistSchema, presentPlaylists } from './playlists/playlist-schema.ts';
import type { Scope } from './scopes.ts';
import { presentStreams, streamSchema } from './streams/stream-schema.ts';
import { presentUploads, uploadSchema } from './uploads/upload-schema.ts';

/** An additional field of an answer: the resource, or the resources, that another field names by ID. */
export interface Relation {
  /** The `id` of the schema of that answer. */
  readonly from: string;
  readonly field: string;
  readonly description: string;
  /** The field of the answer with the id or ids. */
  readonly ids: string;
  readonly to: keyof typeof related;
  /**
   * The usual number of resources, to estimate the cost of a query. Null if the field holds one resource, which is null
   * once that is deleted.
   */
  readonly usually: number | null;
}

export interface Related {
  readonly schema: z.ZodType;
  /** The scopes of the operation that returns one of these resources. */
  readonly scopes: readonly [Scope, ...Scope[]];
  /**
   * Reads the caller's resources with these IDs, in any order. The number of statements does not depend on the number
   * of IDs.
   * @param charge called before the read with the number of nested resources that will be read
   */
  readonly load: (
    ctx: Context,
    ids: readonly string[],
    charge: (resources: number) => void,
  ) => Promise<readonly unknown[]>;
}

/** The resources that answers name by ID, by the `id` of their schema. */
export const related = {
  Stream: {
    schema: streamSchema,
    scopes: ['service:read'],
    load: async (ctx, ids) => presentStreams(ctx, await ctx.data.streams.findMany(ctx.caller.userID, ids)),
  },
  Destination: {
    schema: destinationSchema,
    scopes: ['service:read'],
    load: async (ctx, ids) => (await ctx.data.destinations.findMany(ctx.caller.userID, ids)).map(presentDestination),
  },
  Playlist: {
    schema: playlistSchema,
    scopes: ['service:read'],
    load: async (ctx, ids, charge) => {
      if (areItemsWanted(ctx)) charge(await ctx.data.playlists.countItems(ctx.caller.userID, ids));
      return presentPlaylists(ctx, await ctx.data.playlists.findMany(ctx.caller.userID, ids));
    },
  },
  Upload: {
    schema: uploadSchema,
    scopes: ['service:read'],
    load: async (ctx, ids) => presentUploads(ctx, await ctx.data.uploads.ofUser(ctx.caller.userID, ids)),
  },
} as const satisfies Record<string, Related>;

export const relations: readonly Relation[] = [
  {
    from: 'Stream',
    field: 'destination',
    description: "Destination of the stream's first output. null: none.",
    ids: 'destinationID',
    to: 'Destination',
    usually: null,
  },
  {
    from: 'Stream',
    field: 'playlists',
    description: 'Playlists that the stream plays.',
    ids: 'playlistIDs',
    to: 'Playlist',
    usually: 2,
  },
  {
    from: 'Stream',
    field: 'preparedPlaylists',
    description: 'Playlists that are kept prepared for the stream.',
    ids: 'preparedPlaylistIDs',
    to: 'Playlist',
    usually: 2,
  },
  {
    from: 'Stream',
    field: 'videoUpload',
    description: 'Upload that the stream loops if it has no video playlist.',
    ids: 'videoUploadObjectID',
    to: 'Upload',
    usually: null,
  },
  {
    from: 'Stream',
    field: 'audioUpload',
    description: 'Upload whose sound replaces the sound of the video.',
    ids: 'audioUploadObjectID',
    to: 'Upload',
    usually: null,
  },
  {
    from: 'Playlist',
    field: 'stream',
    description: 'Stream that the playlist belongs to.',
    ids: 'streamID',
    to: 'Stream',
    usually: null,
  },
  {
    from: 'PlaylistItem',
    field: 'upload',
    description: 'Upload of the item. null: it was deleted.',
    ids: 'uploadID',
    to: 'Upload',
    usually: null,
  },
  {
    from: 'Output',
    field: 'destination',
    description: 'Destination that the output sends to.',
    ids: 'destinationID',
    to: 'Destination',
    usually: null,
  },
  {
    from: 'CurrentItem',
    field: 'playlist',
    description: 'Playlist that contains the item.',
    ids: 'playlistID',
    to: 'Playlist',
    usually: null,
  },
  {
    from: 'CurrentItem',
    field: 'upload',
    description: 'Upload that is playing.',
    ids: 'uploadID',
    to: 'Upload',
    usually: null,
  },
];
