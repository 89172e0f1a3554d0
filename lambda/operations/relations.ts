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
    load: async (ctx, ids) => (await ctx.data.destinations.findMany([ctx.caller.userID], ids)).map(presentDestination),
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

type Named = Omit<Relation, 'from' | 'field'>;

function one(to: Named['to'], ids: string, description: string): Named {
  return { to, ids, description, usually: null };
}

function some(to: Named['to'], ids: string, description: string): Named {
  return { to, ids, description, usually: 2 };
}

/** The additional fields by the `id` of the schema of the answer. */
const fields: Readonly<Record<Relation['from'], Readonly<Record<Relation['field'], Named>>>> = {
  Stream: {
    destination: one('Destination', 'destinationID', "Destination of the stream's first output. null: none."),
    playlists: some('Playlist', 'playlistIDs', 'Playlists that the stream plays.'),
    preparedPlaylists: some('Playlist', 'preparedPlaylistIDs', 'Playlists that are kept prepared for the stream.'),
    videoUpload: one('Upload', 'videoUploadObjectID', 'Upload that the stream loops if it has no video playlist.'),
    audioUpload: one('Upload', 'audioUploadObjectID', 'Upload whose sound replaces the sound of the video.'),
  },
  Playlist: {
    stream: one(
      'Stream',
      'streamID',
      'Stream that the playlist belongs to. null: it is deleted, or there is none yet.',
    ),
  },
  PlaylistItem: {
    upload: one('Upload', 'uploadID', 'Upload of the item. null: it was deleted.'),
  },
  Output: {
    destination: one('Destination', 'destinationID', 'Destination that the output sends to.'),
  },
  LiveInput: {
    stream: one('Stream', 'streamID', 'Stream that the input can take over.'),
  },
  CurrentItem: {
    playlist: one('Playlist', 'playlistID', 'Playlist that contains the item.'),
    upload: one('Upload', 'uploadID', 'Upload that is playing.'),
  },
};

export const relations: readonly Relation[] = Object.entries(fields).flatMap(([from, named]) =>
  Object.entries(named).map(([field, relation]) => ({ from, field, ...relation })),
);
