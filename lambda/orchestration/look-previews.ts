// What a picture of a stream, as it would look, is made of.
import type { Database } from '../data/database.ts';
import { formatOfStart } from '../data/streams.ts';
import { contentFacts } from '../data/uploads.ts';
import type { Upload } from '../data/uploads.ts';
import { variantAt } from '../domain/drawings.ts';
import { ofAspect } from '../domain/look.ts';
import type { StreamLook } from '../domain/look.ts';
import { isPlayable } from '../domain/readiness.ts';
import { formatOfItem } from '../domain/rendition.ts';
import type { PictureFormat } from '../domain/rendition.ts';
import { uploadFacts } from './stream-parts.ts';
import type { StreamParts } from './stream-parts.ts';
import { noteDrawings } from './take-up-looks.ts';
import { overlaysOf, playsSoundTrack, shownAs } from './timeline-snapshots.ts';

/** The first of a stream's items that has pictures. */
export function firstShown(parts: StreamParts): Upload | undefined {
  return allShown(parts)[0];
}

function allShown({ stream, playlists, uploads }: StreamParts): Upload[] {
  const items = playlists.flatMap((playlist) => {
    if (playlist?.kind !== 'video') return [];
    return [...playlist.draft.items, ...(playlist.live?.items ?? [])].map(({ uploadID }) => uploadID);
  });
  const ids = stream.video_upload_id === null ? items : [...items, stream.video_upload_id];
  return ids.flatMap((each) => uploads.get(each) ?? []).filter((upload) => isPlayable(uploadFacts(upload), 'video'));
}

/** The format in which an upload is shown at a time of it, in a stream that looks like that; its drawings are kept. */
export async function previewedFormat(
  data: Database,
  parts: StreamParts,
  look: StreamLook,
  upload: Upload,
  atSeconds: number,
): Promise<PictureFormat> {
  const user = (await data.users.find(parts.stream.user_id))!;
  const { aspect: _, ...plain } = formatOfStart(parts.stream, user);
  const format = { ...plain, ...ofAspect(look.aspect) };
  const overlays = overlaysOf({ look }, parts.uploads, playsSoundTrack(parts.stream, parts.playlists));
  const all = allShown(parts);
  const next = all[all.findIndex(({ id }) => id === upload.id) + 1] ?? all[0];
  const { kind, durationSeconds } = contentFacts(upload);
  const facts = { kind, durationSeconds: durationSeconds ?? 0 };
  const item = { name: upload.name, titles: upload.titles, ...facts, ...(next && { next }) };
  const shown = shownAs({ look }, overlays, upload, item);
  if (overlays) await noteDrawings(data, overlays, [item]);
  const variant = variantAt({ ...shown, ...facts }, atSeconds);
  return { ...formatOfItem(format, shown), ...(variant && { variant }) };
}
