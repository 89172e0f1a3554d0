// Which answers name other resources by their ids. Surfaces that can follow such ids, as GraphQL does, read this table.
import type * as z from 'zod';
import type { Context } from './context.ts';
import { destinationSchema, presentDestination } from './destinations/destination-schema.ts';
import { areItemsWanted, playlistSchema, presentPlaylists } from './playlists/playlist-schema.ts';
import type { Scope } from './scopes.ts';
import { presentStreams, streamSchema } from './streams/stream-schema.ts';
import { presentUploads, uploadSchema } from './uploads/upload-schema.ts';

/** A further field of an answer: the resource, or resources, that another field of the answer names by id. */
export interface Relation {
  /** The `id` of the schema of that answer. */
  readonly from: string;
  readonly field: string;
  readonly description: string;
  /** The field of the answer with the id or ids. */
  readonly ids: string;
  readonly to: keyof typeof related;
  /**
   * How many there usually are, for estimating costs. Null where the field is one resource, or null where that is gone.
   */
  readonly usually: number | null;
}

export interface Related {
  readonly schema: z.ZodType;
  /** The same scopes as of the operation that answers one of these resources. */
  readonly scopes: readonly [Scope, ...Scope[]];
  /**
   * Reads the resources with these ids that are the caller's, in any order. The number of
   * statements does not depend on the number of ids.
   * @param charge told, before they are read, how many further resources are read for what these have in them
   */
  readonly load: (
    ctx: Context,
    ids: readonly string[],
    charge: (resources: number) => void,
  ) => Promise<readonly unknown[]>;
}

/** The resources that answers name, by the `id` of their schema. */
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
    description: 'Where it streams to.',
    ids: 'destinationID',
    to: 'Destination',
    usually: null,
  },
  { from: 'Stream', field: 'playlists', description: 'What it plays.', ids: 'playlistIDs', to: 'Playlist', usually: 2 },
  {
    from: 'Stream',
    field: 'preparedPlaylists',
    description: 'What is kept prepared for it.',
    ids: 'preparedPlaylistIDs',
    to: 'Playlist',
    usually: 2,
  },
  {
    from: 'Stream',
    field: 'videoUpload',
    description: 'What it loops where it has no video playlist.',
    ids: 'videoUploadObjectID',
    to: 'Upload',
    usually: null,
  },
  {
    from: 'Stream',
    field: 'audioUpload',
    description: 'Whose sound it plays.',
    ids: 'audioUploadObjectID',
    to: 'Upload',
    usually: null,
  },
  {
    from: 'Playlist',
    field: 'stream',
    description: 'The stream that it belongs to.',
    ids: 'streamID',
    to: 'Stream',
    usually: null,
  },
  { from: 'PlaylistItem', field: 'upload', description: 'The file.', ids: 'uploadID', to: 'Upload', usually: null },
  {
    from: 'Output',
    field: 'destination',
    description: 'Where it sends to.',
    ids: 'destinationID',
    to: 'Destination',
    usually: null,
  },
  {
    from: 'CurrentItem',
    field: 'playlist',
    description: 'The playlist that it is in.',
    ids: 'playlistID',
    to: 'Playlist',
    usually: null,
  },
  {
    from: 'CurrentItem',
    field: 'upload',
    description: 'The file that plays.',
    ids: 'uploadID',
    to: 'Upload',
    usually: null,
  },
];
