// Makes a picture of one frame of an item, as the encoder of its stream would get it.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { Frame } from '../../data/frames.ts';
import { contentFacts } from '../../data/uploads.ts';
import type { Upload } from '../../data/uploads.ts';
import { formatNamed, isSound } from '../../domain/rendition.ts';
import type { Log } from '../../log.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { frameArguments } from '../ffmpeg/item-arguments.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { MediaTools } from '../media/media-tools.ts';
import type { Attempt } from '../preparing/claimed-work.ts';
import { asJpeg, captureImage } from './capture-image.ts';

export interface CaptureFrameOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet' | 'write'>;
  readonly tools: MediaTools;
  readonly log: Log;
}

const sourceURLSeconds = 300;
/** Whoever asked waits no longer. */
const timeoutMs = 20_000;

/** Makes what was asked for, and says that it is there, or that it cannot be made. */
export async function captureFrame(options: CaptureFrameOptions, objectKey: string, attempt: Attempt): Promise<void> {
  const { frames, uploads } = databaseOn(options.pool);
  const wanted = await frames.findPending(objectKey);
  if (!wanted) return;
  try {
    const upload = await uploads.findAny(wanted.upload_id);
    const image = upload && (await capture(options, upload, wanted, attempt.signal));
    if (image) await options.objects.write(objectKey, image, { contentType: 'image/jpeg' });
    await frames.settle(objectKey, image ? 'ready' : 'failed');
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!attempt.isLast) throw error;
    options.log('frame_not_made', { uploadID: wanted.upload_id, error: String(error) });
    await frames.settle(objectKey, 'failed');
  }
}

async function capture(
  { objects, tools }: CaptureFrameOptions,
  upload: Upload,
  { frame, format: name, width }: Frame,
  ending: AbortSignal,
): Promise<Buffer | null> {
  const { kind, dynamicRange } = contentFacts(upload);
  const format = formatNamed(name);
  if (kind === 'audio' || isSound(format)) return null;
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const { framing } = format;
  const item = { sourceURL, kind, dynamicRange, framing, startFrame: frame, profile: profileOf(format) };
  const { input, filters } = frameArguments(item);
  return captureImage({
    tools,
    sourceURL,
    signal: AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]),
    background: false,
    input,
    filters: [...filters, `scale=${width}:-2:flags=area:in_color_matrix=bt709:${asJpeg}`],
  });
}
