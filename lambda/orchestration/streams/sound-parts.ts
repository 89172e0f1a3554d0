// The sound of videos under a sound track, as readiness checks need it.
import type { Stream } from '../../data/streams/streams.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import { canBeMixed } from '../../domain/playout/mixed-sound.ts';
import type { PlaylistItem } from '../../domain/playout/playlist-edits.ts';
import type { StreamFacts } from '../../domain/readiness/readiness.ts';
import { usualSound } from '../../domain/playout/sound.ts';

/** Whether a stream mixes the sound of videos, and whether it cannot for some. @param items of its playlists */
export function soundUnderFacts(
  {
    sound,
    stream_backend: backend,
    video_upload_id: uploadID,
  }: Pick<Stream, 'sound' | 'stream_backend' | 'video_upload_id'>,
  items: readonly PlaylistItem[],
  uploads: ReadonlyMap<string, PartUpload>,
): Pick<StreamFacts, 'wantsSoundUnder' | 'missesSoundUnder'> {
  const ofStream = sound?.under?.enabled ?? usualSound.under.enabled;
  const single = uploadID !== null && items.length === 0 ? [{ uploadID, under: undefined }] : [];
  const heard = [...items, ...single].filter(({ under }) => under?.enabled ?? ofStream);
  const isMissed = ({ uploadID: id }: Pick<PlaylistItem, 'uploadID'>) => {
    const upload = uploads.get(id);
    const facts = upload && contentFacts(upload);
    return facts !== undefined && facts.hasAudio && !canBeMixed(facts);
  };
  return {
    // For a stream without items, its own setting counts.
    wantsSoundUnder: heard.length > 0 || (items.length === 0 && ofStream),
    missesSoundUnder: backend === 'manifest' && heard.some(isMissed),
  };
}
