// GET /streams/{id}/frame: a picture of a stream at any time, past or future.
import * as z from 'zod';
import type { FrameState } from '../../data/playout/frames.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { frameKey } from '../../domain/media/content-pictures.ts';
import type { NamedDrawing } from '../../data/playout/looks.ts';
import { variantAt, withNext } from '../../domain/playout/drawings.ts';
import type { Variant } from '../../domain/playout/drawings.ts';
import { variantWith } from '../../domain/playout/drawing-names.ts';
import { compose, shifted } from '../../domain/playout/composition.ts';
import { drawingIn, formatName, formatOfItem } from '../../domain/playout/rendition.ts';
import { fromOrigin, itemsPlayed } from '../../domain/playout/play-out.ts';
import { overlaysAt } from '../../domain/playout/sound-titles.ts';
import { drawingOf } from '../../orchestration/playout/prepared-looks.ts';
import { onAirRows } from '../../orchestration/playout/on-air-rows.ts';
import type { OnAirRow } from '../../orchestration/playout/on-air-rows.ts';
import type { Context } from '../context.ts';
import { orNotFound, timestamp, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const urlSeconds = 900;
/** The most pictures that are made for a user at a time. */
const mostPending = 10;
/**
 * Waits at most 10 seconds for a picture: API Gateway ends a request after 29 seconds. A free worker makes a picture in
 * one or two seconds.
 */
const looks = { count: 40, everySeconds: 0.25 } as const;

export const getStreamFrame = operation(['service:read'], {
  summary: 'Get a picture of a stream at any time',
  description:
    'Returns a JPEG of the frame that is due at that time, made from the source file. The time may be now, a year ' +
    'ago or a year ahead.',
  tag: 'streams',
  route: 'GET /streams/{id}/frame',
  query: {
    at: timestampInput.optional().describe('Time of the picture. Default: now.'),
    width: z.int().min(64).max(1920).default(640).describe('Width in pixels.'),
  },
  output: {
    status: 302,
    body: z.object({ url: z.url(), at: timestamp, expiresAt: timestamp }).meta({ id: 'StreamFrame' }),
  },
  errors: ['preview_unavailable'],
  async handle(ctx, { params, query: { at: askedAt, width } }) {
    const now = await ctx.data.now();
    const at = askedAt ?? now;
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const to = new Date(at.getTime() + 1);
    const query = { from: at, to, count: 1, track: 'video', drafts: null, now } as const;
    const [row] = (await onAirRows(ctx.data, stream, query)).rows;
    if (!row) throw unavailable('No item is known to be on the air at that time.');
    const key = await readyKey(ctx, stream, row, at, width);
    const url = await ctx.objects.presignGet(key, { expiresInSeconds: urlSeconds });
    return { url, at, expiresAt: new Date(ctx.now.getTime() + urlSeconds * 1000) };
  },
});

/**
 * Requests the picture and waits for it. A request for a picture that is already being made returns immediately.
 * @returns the key of the object
 */
async function readyKey(ctx: Context, stream: Stream, row: OnAirRow, at: Date, width: number): Promise<string> {
  const { item } = row.occurrence;
  const { skippedFrames } = fromOrigin(row.occurrence);
  const upload = await ctx.data.uploads.find(stream.user_id, item.uploadID);
  if (!upload) throw unavailable('The upload that plays at that time was deleted.');
  const elapsedFrames = Math.floor(((at.getTime() - row.startAt.getTime()) / 1000) * row.framesPerSecond);
  const shownFrame = skippedFrames + Math.min(Math.max(0, elapsedFrames), row.occurrence.frameCount - 1);
  const frame = item.kind === 'image' ? 0 : shownFrame;
  const content = upload.content_hash ?? upload.id;
  const titled = soundTitlesOver(stream, row, content, shownFrame);
  const variant = titled?.name ?? variantAt(item, frame / row.framesPerSecond);
  const drawn = { ...formatOfItem(row.format, item), ...(variant && { variant }) };
  const name = drawingIn(drawn);
  const drawing = titled ?? listedDrawing(row, name);
  const isKnown = name === undefined || drawing !== undefined || (await ctx.data.looks.drawing(name)) !== null;
  const { drawn: _, variants: __, ...plain } = item;
  const format = formatName(isKnown ? drawn : formatOfItem(row.format, plain));
  const objectKey = frameKey(content, format, frame, width);
  const wanted = {
    object_key: objectKey,
    user_id: stream.user_id,
    upload_id: upload.id,
    frame,
    format,
    width,
    posters: null,
  };
  const asked = await ctx.data.frames.ask(wanted, mostPending, drawing ? [drawing] : []);
  if (asked === null) throw unavailable(`${mostPending} other pictures are being made. Try again in a moment.`);
  let state: FrameState | null = asked.state;
  for (let look = 0; asked.isBegun && state === 'pending' && look < looks.count; look++)
    state = await ctx.data.frames.stateAfter(objectKey, looks.everySeconds);
  if (state === 'pending' || state === null)
    throw new ProblemError('upstream_unavailable', 'The picture is being made. Try again in a moment.');
  if (state === 'failed') throw unavailable('No picture could be made of the upload that plays at that time.');
  return objectKey;
}

/**
 * The drawing in a format over an item of a list; undefined: there is none, or the list was changed since.
 * The title of the next item is that of its own list, or of the list behind it.
 */
function listedDrawing({ timelines, occurrence }: OnAirRow, name: string | undefined): NamedDrawing | undefined {
  const { video: entries } = timelines;
  const index = entries.findIndex(({ number }) => number === occurrence.entryNumber);
  const snapshot = entries[index]?.snapshot;
  if (name === undefined || !snapshot?.overlays) return undefined;
  const { item } = occurrence;
  const listed = withNext(itemsPlayed(snapshot), snapshot.mode).find(({ itemID }) => itemID === item.itemID);
  const behind = itemsPlayed(entries[index + 1]?.snapshot)[0];
  return drawingOf(
    snapshot.overlays,
    [...(listed ? [listed] : []), ...(behind ? [{ ...item, next: behind }] : [])],
    name,
  );
}

/** The drawing over a frame with titles of the audio track, as its run composes it; null: there are no such titles. */
function soundTitlesOver(stream: Stream, row: OnAirRow, content: string, frame: number): Variant | null {
  const { timelines, occurrence, framesPerSecond } = row;
  const { video: entries, audio: heard } = timelines;
  if (!overlaysAt(entries, occurrence)?.ofSound || heard.length === 0) return null;
  const track = { entries, heard, contentHashes: new Map([[occurrence.item.uploadID, content]]) };
  const range = { first: frame, end: frame + 1 };
  // Running texts, which depend on the time, are not drawn.
  const composing = { framesPerSecond, range, ...(stream.stream_backend !== 'manifest' && { liveSinceMs: 0 }) };
  const composition = compose(track, { ...occurrence, isStandIn: true }, composing);
  const drawn = composition && shifted(composition, frame, framesPerSecond).layers[0]?.drawn;
  return drawn?.texts.length ? variantWith({ logo: drawn.logo, texts: drawn.texts, captions: drawn.captions }) : null;
}

function unavailable(detail: string): ProblemError {
  return new ProblemError('preview_unavailable', detail);
}
