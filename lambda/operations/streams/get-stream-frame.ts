// GET /streams/{id}/frame: a picture of what is on the air at any time, also of a year ahead.
import * as z from 'zod';
import type { FrameState } from '../../data/playout/frames.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { frameKey } from '../../domain/media/content-pictures.ts';
import { variantAt } from '../../domain/playout/drawings.ts';
import { variantWith } from '../../domain/playout/drawing-names.ts';
import { longestToldSeconds } from '../../domain/playout/composition.ts';
import { formatName, formatOfItem } from '../../domain/playout/rendition.ts';
import { overlaysAt, soundTexts } from '../../domain/playout/sound-titles.ts';
import { onAirRows } from '../../orchestration/playout/on-air-rows.ts';
import type { OnAirRow } from '../../orchestration/playout/on-air-rows.ts';
import type { Context } from '../context.ts';
import { orNotFound, pathID, timestamp, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const urlSeconds = 900;
/** So many are made for a user at a time. */
const mostPending = 10;
/** API Gateway ends a request after 29 s. A picture takes a second or two, where a worker has time. */
const looks = { count: 40, everySeconds: 0.25 } as const;

export const getStreamFrame = operation(['service:read'], {
  id: 'getStreamFrame',
  summary: 'Get a picture of a stream at any time',
  description: 'A JPEG of the frame that is due then, made from the file: of now, a year ago or a year ahead.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/frame',
  params: { id: pathID },
  query: {
    at: timestampInput.optional().describe('Default: now.'),
    width: z.int().min(64).max(1920).default(640).describe('Pixels.'),
  },
  output: {
    status: 302,
    body: z.object({ url: z.url(), at: timestamp, expiresAt: timestamp }).meta({ id: 'StreamFrame' }),
  },
  errors: ['not_found', 'preview_unavailable'],
  async handle(ctx, { params, query }) {
    const now = await ctx.data.now();
    const at = query.at ?? now;
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const to = new Date(at.getTime() + 1);
    const [row] = await onAirRows(ctx.data, stream, { from: at, to, count: 1, track: 'video', drafts: null, now });
    if (!row) throw unavailable('Nothing is on the air then, as far as is known.');
    const key = await readyKey(ctx, stream, row, at, query.width);
    const url = await ctx.objects.presignGet(key, { expiresInSeconds: urlSeconds });
    return { url, at, expiresAt: new Date(ctx.now.getTime() + urlSeconds * 1000) };
  },
});

/**
 * Has the picture made, and waits for it. Whoever asks for one that is being made already is answered at once.
 * @returns the key of the object
 */
async function readyKey(ctx: Context, stream: Stream, row: OnAirRow, at: Date, width: number): Promise<string> {
  const { item, frameCount } = row.occurrence;
  const upload = await ctx.data.uploads.find(stream.user_id, item.uploadID);
  if (!upload) throw unavailable('The file that plays then is gone.');
  const elapsedFrames = Math.floor(((at.getTime() - row.startAt.getTime()) / 1000) * row.framesPerSecond);
  const shownFrame = Math.min(Math.max(0, elapsedFrames), frameCount - 1);
  const frame = item.kind === 'image' ? 0 : shownFrame;
  const told = toldOver(stream, row, row.occurrence.startFrame + shownFrame);
  if (told) await ctx.data.looks.saveDrawings([told]);
  const variant = told?.name ?? variantAt(item, frame / row.framesPerSecond);
  const format = formatName({ ...formatOfItem(row.format, item), ...(variant && { variant }) });
  const objectKey = frameKey(upload.content_hash ?? upload.id, format, frame, width);
  const wanted = {
    object_key: objectKey,
    user_id: stream.user_id,
    upload_id: upload.id,
    frame,
    format,
    width,
    posters: null,
  };
  const asked = await ctx.data.frames.ask(wanted, mostPending);
  if (asked === null) throw unavailable(`${mostPending} others are being made. Ask again in a moment.`);
  let state: FrameState | null = asked.state;
  for (let look = 0; asked.isBegun && state === 'pending' && look < looks.count; look++)
    state = await ctx.data.frames.stateAfter(objectKey, looks.everySeconds);
  if (state === 'pending') throw new ProblemError('upstream_unavailable', 'The picture is being made. Ask again.');
  if (state === 'failed') throw unavailable('No picture could be made of the file that plays then.');
  return objectKey;
}

/** What is drawn over a picture of a run that tells of the sound track; null: nothing. */
function toldOver(stream: Stream, { timelines, occurrence, framesPerSecond }: OnAirRow, startFrame: number) {
  const overlays = overlaysAt(timelines.video, occurrence);
  if (!overlays?.ofSound || timelines.audio.length === 0) return null;
  const longest = stream.stream_backend === 'manifest' ? longestToldSeconds(occurrence.item) : Infinity;
  const texts = soundTexts(overlays, timelines.audio, { startFrame, frameCount: 1 }, framesPerSecond, longest);
  return texts.length === 0 ? null : variantWith({ logo: overlays.logo, texts });
}

function unavailable(detail: string): ProblemError {
  return new ProblemError('preview_unavailable', detail);
}
