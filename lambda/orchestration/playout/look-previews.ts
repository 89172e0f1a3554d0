// The format and drawings of a preview picture of a stream with a look.
import type { Database } from '../../data/database.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import { captionsOver, placedLogo, textsOf, textsOver, variantAt } from '../../domain/playout/drawings.ts';
import type { DrawnItem, TextBlock, Variant } from '../../domain/playout/drawings.ts';
import { variantWith } from '../../domain/playout/drawing-names.ts';
import { ofAspect } from '../../domain/playout/look.ts';
import type { StreamLook } from '../../domain/playout/look.ts';
import type { TimelineOverlays } from '../../domain/playout/play-out.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { drawingIn, formatOfItem } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { clockTexts, tickerTexts } from '../../domain/playout/running-texts.ts';
import { playsSoundTrack } from '../streams/stream-parts.ts';
import { uploadFacts } from '../shared/upload-facts.ts';
import type { StreamParts } from '../streams/stream-parts.ts';
import { drawingOf } from './prepared-looks.ts';
import { captionsOf, overlaysOf, shownAs } from './timeline-snapshots.ts';

/** The first upload of a stream that has pictures; undefined: none. */
export function firstShown(parts: StreamParts): PartUpload | undefined {
  return allShown(parts)[0];
}

function allShown({ stream, playlists, uploads }: StreamParts): PartUpload[] {
  const items = playlists.flatMap((playlist) => {
    if (playlist?.kind !== 'video') return [];
    return [...playlist.draft.items, ...(playlist.live?.items ?? [])].map(({ uploadID }) => uploadID);
  });
  const ids = stream.video_upload_id === null ? items : [...items, stream.video_upload_id];
  return ids.flatMap((each) => uploads.get(each) ?? []).filter((upload) => isPlayable(uploadFacts(upload), 'video'));
}

/** The format of an upload at a time, in a stream with a look. The drawing in it is stored. */
export async function previewedFormat(
  data: Database,
  parts: StreamParts,
  look: StreamLook,
  upload: PartUpload,
  { atSeconds, now }: { readonly atSeconds: number; readonly now: Date },
): Promise<PictureFormat> {
  const user = (await data.users.find(parts.stream.user_id))!;
  const { aspect: _, ...plain } = formatOfStart(parts.stream, user);
  const format = { ...plain, ...ofAspect(look.aspect) };
  const overlays = overlaysOf({ look }, parts.uploads, playsSoundTrack(parts.stream, parts.playlists));
  const all = allShown(parts);
  const next = all[all.findIndex(({ id }) => id === upload.id) + 1] ?? all[0];
  const { kind, durationSeconds } = contentFacts(upload);
  const facts = { kind, durationSeconds: durationSeconds ?? 0 };
  const item = {
    name: upload.name,
    titles: upload.titles,
    ...captionsOf(upload),
    ...facts,
    ...(next && { next: { name: next.name, titles: next.titles } }),
  };
  const shown = shownAs({ look }, overlays, upload, item);
  const running = overlays && parts.stream.stream_backend !== 'manifest' ? runningNow(overlays, now) : [];
  const isOwn = overlays !== null && (overlays.ofSound || running.length > 0);
  const own = isOwn ? drawnAt(overlays, item, { heard: heardFirst(parts), running, atSeconds }) : null;
  const variant = own?.name ?? variantAt({ ...shown, ...facts }, atSeconds);
  const pictures = { ...formatOfItem(format, shown), ...(variant && { variant }) };
  const name = drawingIn(pictures);
  const drawing = own ?? (overlays && name !== undefined && drawingOf(overlays, [item], name));
  if (drawing) await data.looks.saveDrawings([drawing]);
  return pictures;
}

interface DrawnAt {
  /** The first items of the sound track. */
  readonly heard: readonly PartUpload[];
  readonly running: readonly TextBlock[];
  readonly atSeconds: number;
}

/** The drawing of running texts and titles of a sound track, which no variant of the item has; null: none. */
function drawnAt(overlays: TimelineOverlays, item: DrawnItem, { heard, running, atSeconds }: DrawnAt): Variant | null {
  const texts = (overlays.ofSound ? soundTitlesOf(overlays, heard) : textsOver(overlays, item)).filter(
    ({ fromSeconds, toSeconds }) => atSeconds >= fromSeconds && atSeconds < (toSeconds ?? Infinity),
  );
  const shown = [...running, ...texts].map((text) => ({ ...text, fromSeconds: 0, toSeconds: null }));
  const captions = captionsOver(overlays, item);
  return shown.length === 0 ? null : variantWith({ logo: placedLogo(overlays.logo), texts: shown, captions });
}

/** The titles of a sound track during its first item. */
function soundTitlesOf(overlays: TimelineOverlays, [first, next]: readonly PartUpload[]): TextBlock[] {
  if (!first) return [];
  const { name, titles, duration_seconds: seconds } = first;
  const following = next && { next: { name: next.name, titles: next.titles } };
  return textsOf(overlays, { name, titles, durationSeconds: seconds ?? 0, ...following, kind: 'audio' });
}

/** The running time of the ticker in a picture, so that some of its text is visible. */
const tickerSeconds = 8;

function runningNow(overlays: TimelineOverlays, now: Date): TextBlock[] {
  const clock = clockTexts(overlays, now.getTime(), { fromSeconds: 0, toSeconds: 0.001 });
  return [...tickerTexts(overlays, tickerSeconds), ...clock];
}

/** The first two items of a stream's sound track, or fewer. */
function heardFirst({ stream, playlists, uploads }: StreamParts): PartUpload[] {
  const items = playlists.flatMap((each) => (each?.kind === 'audio' ? each.draft.items : []));
  const ids = stream.audio_upload_id === null ? items.map(({ uploadID }) => uploadID) : [stream.audio_upload_id];
  return ids.flatMap((id) => uploads.get(id) ?? []).slice(0, 2);
}
