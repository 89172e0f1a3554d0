// The settings of a stream: the name of each column, its type, and the value of a stream that sets nothing.
import type { StreamLook } from '../playout/look.ts';
import type { SoundSettings } from '../playout/sound.ts';
import type { Framerate, Quality, VideoCodec } from '../shared/video-format.ts';
import type { StreamBackend } from './stream-words.ts';

/**
 * The settings of a stream that sets nothing. A key is the name of a column, and the value has the type of the column.
 * The statements in `data`, the fields of the API in `operations/streams/stream-fields.ts` and the types follow from
 * this table.
 */
export const unsetStream = {
  name: null as string | null,
  agent_mode_enabled: null as boolean | null,
  run_backup_stream: null as boolean | null,
  video_upload_id: null as string | null,
  audio_upload_id: null as string | null,
  destination_id: null as string | null,
  playlist_ids: [] as readonly string[],
  prepared_playlist_ids: [] as readonly string[],
  /** Null: the default of the user at the start of a run. */
  quality: null as Quality | null,
  /** Null: the default of the user at the start of a run. */
  framerate: null as Framerate | null,
  /** Null: H.264. */
  video_codec: null as VideoCodec | null,
  /** Null: ffmpeg. */
  stream_backend: null as StreamBackend | null,
  stream_destination: null as 'managed' | null,
  /** 0: the stream never expires. */
  stream_duration_seconds: null as number | null,
  managed_settings_id: null as string | null,
  sealed_stream_key: null as Buffer | null,
  schedule_start_at: null as Date | null,
  schedule_end_at: null as Date | null,
  /** Null: `usualSound`. */
  sound: null as SoundSettings | null,
  /** Null: `usualLook`. */
  look: null as StreamLook | null,
};

export type StreamSettings = Readonly<typeof unsetStream>;

/** The column of a setting. */
export type StreamSetting = keyof StreamSettings;

/** The columns that statements write, always in this order. */
export const settingColumns = Object.keys(unsetStream) as readonly StreamSetting[];
