// SQL of slates: the uploads that streams show after the loss of a contributor.
import type { Rendition } from '../../domain/playout/rendition.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import { isComplete } from '../media/format-names.ts';
import type { Upload } from '../media/uploads.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A slate with a rendition. */
export type PreparedSlate = Pick<
  Upload,
  'id' | 'name' | 'object_key' | 'duration_seconds' | 'video_codec' | 'audio_codec' | 'dynamic_range'
> & { readonly content_hash: string };

export function slates(db: Queryable) {
  return {
    /** The uploads among these that belong to the user of a stream, and are prepared in a format. */
    prepared: (streamID: string, uploadIDs: readonly string[], format: Rendition['format']) =>
      all<PreparedSlate>(
        db,
        `select u.id, u.name, u.object_key, u.duration_seconds, u.video_codec, u.audio_codec, u.dynamic_range,
           u.content_hash
         from uploads u join renditions r on r.content_hash = u.content_hash and r.format = $2
         where u.id = any ($1) and u.user_id = (select user_id from streams where id = $3) and ${isComplete}`,
        [uploadIDs, formatName(format), streamID],
      ),

    /** The slates of the inputs of streams, each once for a stream. */
    ofStreams: (streamIDs: readonly string[]) =>
      all<{ stream_id: string; user_id: string; upload_id: string; content_hash: string | null }>(
        db,
        `select distinct i.stream_id, i.user_id, u.id as upload_id, u.content_hash
         from live_inputs i join uploads u on u.id = i.slate_upload_id where i.stream_id = any ($1)`,
        [streamIDs],
      ),
  };
}
