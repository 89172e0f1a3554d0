// The settings of a stream in the API: one row per setting, which defines requests, changes and answers.
import * as z from 'zod';
import { streamKeyPlace } from '../../domain/shared/sealed-places.ts';
import { unsetStream } from '../../domain/streams/stream-settings.ts';
import type { StreamSetting, StreamSettings } from '../../domain/streams/stream-settings.ts';
import { streamBackends } from '../../domain/streams/stream-words.ts';
import type { Context } from '../context.ts';
import { framerate, id, quality, text, timestamp, timestampInput, videoCodec } from '../fields.ts';
import { presentLook, streamLook, streamLookInput, streamLookSettings } from '../look-fields.ts';
import { presentSound, sound, soundInput, soundSettings } from '../sound-fields.ts';
import { inputsOf, setting, shownOf } from './setting-field.ts';
import type { SettingField, Shown } from './setting-field.ts';

const naming = {
  name: setting('name', {
    input: text(0, 255).nullish().describe('Name for people.'),
    shown: z.string().nullable(),
    changesLive: true,
  }),
};

const redundancy = {
  agent_mode_enabled: setting('agentModeEnabled', {
    input: z.boolean().nullish().describe('true: the replicas of the stream run in different availability zones.'),
    shown: z.boolean().nullable(),
  }),
  run_backup_stream: setting('runBackupStream', {
    input: z
      .boolean()
      .nullish()
      .describe("true, in agent mode: a second replica publishes to the destination's backup address."),
    shown: z.boolean().nullable(),
  }),
};

const playlistRow = {
  shown: z.array(z.string()),
  stored: (ids: readonly string[]) => ids,
  presented: (ids: readonly string[]) => [...ids],
  changesLive: false,
};

/** The media that a stream plays, and the destination of its first output. */
const parts = {
  playlist_ids: {
    ...playlistRow,
    field: 'playlistIDs' as const,
    input: z
      .array(id)
      .max(2)
      .optional()
      .describe(
        'Playlists that the stream plays: at most one of kind video and one of kind audio. They move to it from ' +
          'the streams that they belonged to, which may be deleted.',
      ),
  },
  prepared_playlist_ids: {
    ...playlistRow,
    field: 'preparedPlaylistIDs' as const,
    input: z
      .array(id)
      .max(100)
      .optional()
      .describe(
        "Playlists that are kept prepared in this stream's quality, framerate and codec, including their drafts, " +
          'so that a start does not have to wait. For streamBackend manifest, within the limit preparedSeconds (see ' +
          'get_me).',
      ),
  },
  video_upload_id: setting('videoUploadObjectID', {
    input: id
      .nullish()
      .describe('Upload that the stream loops if it has no video playlist. An image is shown as a still picture.'),
    shown: z.string().nullable(),
  }),
  audio_upload_id: setting('audioUploadObjectID', {
    input: id.nullish().describe('Upload whose sound replaces the sound of the video.'),
    shown: z.string().nullable(),
  }),
  destination_id: setting('destinationID', {
    input: id.nullish().describe("Destination of the stream's first output."),
    shown: z.string().nullable(),
  }),
};

const format = {
  quality: setting('quality', {
    input: quality.nullish().describe("null: the user's default at the time of the start."),
    shown: quality.nullable(),
  }),
  framerate: setting('framerate', {
    input: framerate.nullish().describe("null: the user's default at the time of the start."),
    shown: framerate.nullable(),
  }),
  video_codec: setting('videoCodec', {
    input: videoCodec
      .nullish()
      .describe(
        'null: h264, which every destination accepts. hevc and av1 need about 60 % of the bytes of h264. They ' +
          'need streamBackend manifest and a destination that accepts Enhanced RTMP, such as YouTube.',
      ),
    shown: videoCodec.nullable(),
  }),
};

const rendering = {
  stream_backend: setting('streamBackend', {
    input: z
      .enum(streamBackends)
      .nullish()
      .describe(
        'ffmpeg: encodes while it sends. The stream is on the air about one second after the start, with any ' +
          'content. manifest: sends media that was prepared once. It needs about a hundredth of the computing power ' +
          'and never falls behind, but a first start waits for the preparation. Choose manifest for streams that ' +
          'loop for a long time. null: ffmpeg; when a stream is created, the default of this service.',
      ),
    shown: z.enum(streamBackends).nullable(),
  }),
  sound: {
    field: 'sound' as const,
    input: soundInput
      .nullish()
      .describe(
        'Sound of the stream. loudness: each item is normalized to targetLUFS (default: −14), unless enabled is ' +
          'false. join: the items of an audio playlist are joined by a cut, a fade through silence or a crossfade, ' +
          'which lasts at most half of both items, in shuffle of the shortest item. Items of playlists can override ' +
          'loudness, join and under.',
      ),
    shown: sound,
    stored: soundSettings,
    presented: presentSound,
    changesLive: true,
  },
  look: {
    field: 'look' as const,
    input: streamLookInput
      .nullish()
      .describe(
        'Look of the stream. Default: aspect 16:9, with black bars. The aspect changes the picture size: 9:16 at ' +
          'q_1080p is 1080 × 1920 pixels.',
      ),
    shown: streamLook,
    stored: streamLookSettings,
    presented: presentLook,
    changesLive: true,
  },
};

const managed = {
  stream_destination: setting('streamDestination', {
    input: z
      .enum(['managed'])
      .nullish()
      .describe(
        'managed: streams to a connected channel, with the settings of managedSettingsID. null: streams to ' +
          'destinationID.',
      ),
    shown: z.enum(['managed']).nullable(),
  }),
  managed_settings_id: setting('managedSettingsID', {
    input: id.nullish().describe('Managed settings for streamDestination managed.'),
    shown: z.string().nullable(),
  }),
};

const duration = {
  stream_duration_seconds: setting('streamDuration', {
    input: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .nullish()
      .describe(
        "Longest time that the stream stays live, in seconds. 0: no limit. null at creation: the user's default.",
      ),
    shown: z.int32().nullable(),
    changesLive: true,
  }),
};

const ownKey = {
  sealed_stream_key: {
    field: 'streamKey' as const,
    input: text(1, 512)
      .nullish()
      .meta({ deprecated: true, writeOnly: true })
      .describe('Deprecated: use destinationID.'),
    stored: (key: string, { sealer }: Context, streamID: string) => sealer.seal(key, streamKeyPlace(streamID)),
    presented: () => null,
    changesLive: false,
  },
};

const schedule = {
  schedule_start_at: setting('scheduleStartAt', {
    input: timestampInput.nullish().describe('Start of the schedule: ISO 8601 with a time zone, in the future.'),
    shown: timestamp.nullable(),
  }),
  schedule_end_at: setting('scheduleEndAt', {
    input: timestampInput.nullish().describe('End of the schedule, after scheduleStartAt.'),
    shown: timestamp.nullable(),
    changesLive: true,
  }),
};

/** All settings, by their columns. The compiler names a column that has no row. */
const settingFields = {
  ...naming,
  ...redundancy,
  ...parts,
  ...format,
  ...rendering,
  ...managed,
  ...duration,
  ...ownKey,
  ...schedule,
} satisfies { readonly [Column in StreamSetting]: SettingField<StreamSettings[Column]> };

const rows = Object.entries(settingFields) as [StreamSetting, SettingField<never, unknown>][];

/** The fields of requests that create or update a stream. */
export const streamFields = {
  ...inputsOf(naming),
  ...inputsOf(redundancy),
  ...inputsOf(parts),
  ...inputsOf(format),
  ...inputsOf(rendering),
  ...inputsOf(managed),
  ...inputsOf(duration),
  ...inputsOf(ownKey),
  streamStateID: id
    .nullish()
    .describe(
      'For updates: ID of the last transition that the client has seen. If the stream has a newer one, the update ' +
        'is refused with version_conflict.',
    ),
  ...inputsOf(schedule),
};

/** The validated fields of a request. An absent field leaves the setting unchanged; null clears it. */
export type StreamInput = {
  readonly [Field in keyof typeof streamFields]?: z.output<(typeof streamFields)[Field]> | undefined;
};

/** The schemas of answers by groups, because fields that are not settings stand between the groups. */
export const shownSettings = {
  naming: shownOf(naming),
  parts: shownOf(parts),
  managed: shownOf(managed),
  format: shownOf(format),
  rendering: shownOf(rendering),
  duration: shownOf(duration),
  redundancy: shownOf(redundancy),
  schedule: shownOf(schedule),
};

/** The names of the fields that a request may change while the stream is live. */
export const liveFields = rows.filter(([, { changesLive }]) => changesLive).map(([, { field }]) => field);

/** The settings of `stream`, or empty settings for a new stream, changed by the fields of a request. */
export function mergeSettings(
  ctx: Context,
  streamID: string,
  stream: StreamSettings | null,
  input: StreamInput,
): StreamSettings {
  const given: Readonly<Record<string, unknown>> = input;
  const changed = rows.map(([column, { field, stored }]) => {
    const value = given[field];
    if (value === undefined) return [column, (stream ?? unsetStream)[column]] as const;
    return [column, value === null ? null : stored(value as never, ctx, streamID)] as const;
  });
  return Object.fromEntries(changed) as unknown as StreamSettings;
}

/** The settings of a stream as answers show them. */
export function presentSettings(stream: StreamSettings) {
  const shown = rows
    .filter(([, row]) => row.shown !== undefined)
    .map(([column, { field, presented }]) => [field, presented(stream[column] as never)] as const);
  return Object.fromEntries(shown) as z.input<z.ZodObject<Shown<typeof settingFields>>>;
}
