// What a picture of a stream, as it would look, is made of.
import type { Database } from '../data/database.ts';
import { formatOfStart } from '../data/streams.ts';
import { contentFacts } from '../data/uploads.ts';
import type { Upload } from '../data/uploads.ts';
import { captionsOver, textsOf, variantAt } from '../domain/drawings.ts';
import type { DrawnItem, Variant } from '../domain/drawings.ts';
import { variantWith } from '../domain/drawing-names.ts';
import { ofAspect } from '../domain/look.ts';
import type { StreamLook } from '../domain/look.ts';
import type { TimelineOverlays } from '../domain/play-out.ts';
import { isPlayable } from '../domain/readiness.ts';
import { formatOfItem } from '../domain/rendition.ts';
import type { PictureFormat } from '../domain/rendition.ts';
import { playsSoundTrack, uploadFacts } from './stream-parts.ts';
import type { StreamParts } from './stream-parts.ts';
import { noteDrawings } from './take-up-looks.ts';
import { captionsOf, overlaysOf, shownAs } from './timeline-snapshots.ts';

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
  const own = { name: upload.name, titles: upload.titles, ...captionsOf(upload), ...facts };
  const item = { ...own, ...(next && { next: { name: next.name, titles: next.titles } }) };
  const shown = shownAs({ look }, overlays, upload, item);
  if (overlays) await noteDrawings(data, overlays, [item]);
  const told = overlays?.ofSound ? toldOver(overlays, item, heardFirst(parts), atSeconds) : null;
  if (told) await data.looks.noteDrawings([told]);
  const variant = told?.name ?? variantAt({ ...shown, ...facts }, atSeconds);
  return { ...formatOfItem(format, shown), ...(variant && { variant }) };
}

/** What is told of a sound track at a time of its first item; null: nothing. */
function toldOver(
  overlays: TimelineOverlays,
  pictures: DrawnItem,
  items: readonly Upload[],
  atSeconds: number,
): Variant | null {
  const [first, next] = items;
  if (!first) return null;
  const { name, titles, duration_seconds: seconds } = first;
  const item = {
    name,
    titles,
    durationSeconds: seconds ?? 0,
    ...(next && { next: { name: next.name, titles: next.titles } }),
  };
  const texts = textsOf(overlays, { ...item, kind: 'audio' }).filter(
    ({ fromSeconds, toSeconds }) => atSeconds >= fromSeconds && atSeconds < (toSeconds ?? Infinity),
  );
  const shown = texts.map((text) => ({ ...text, fromSeconds: 0, toSeconds: null }));
  const captions = captionsOver(overlays, pictures);
  return shown.length === 0 ? null : variantWith({ logo: overlays.logo, texts: shown, captions });
}

/** The first two items of a stream's sound track, as far as there are so many. */
function heardFirst({ stream, playlists, uploads }: StreamParts): Upload[] {
  const items = playlists.flatMap((each) => (each?.kind === 'audio' ? each.draft.items : []));
  const ids = stream.audio_upload_id === null ? items.map(({ uploadID }) => uploadID) : [stream.audio_upload_id];
  return ids.flatMap((id) => uploads.get(id) ?? []).slice(0, 2);
}
