// Makes a picture of one frame of an item, as the stream's encoder would get it, or a strip of its posters.
import { databaseOn } from '../../data/database.ts';
import type { Frame } from '../../data/playout/frames.ts';
import { objectKeysOf } from '../../data/playout/frames.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { posterSeconds, posterSizeOf } from '../../domain/playout/posters.ts';
import { formatNamed, isSound } from '../../domain/playout/rendition.ts';
import { frameArguments, windowArguments } from '../ffmpeg/item-arguments.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { Attempt } from '../preparing/claimed-work.ts';
import { jpegsIn } from '../../domain/media/jpegs.ts';
import { overlayOfFormat } from '../preparing/overlay-of-format.ts';
import { asJpeg, captureImage } from './capture-image.ts';
import type { InspectorOptions } from './inspector.ts';

export type CaptureFrameOptions = Pick<InspectorOptions, 'pool' | 'objects' | 'tools' | 'log'>;

const sourceURLSeconds = 300;
/** Timeout of one pass over the file. */
const timeoutMs = 20_000;

/** Makes the requested picture or strip, and records the result. */
export async function captureFrame(options: CaptureFrameOptions, objectKey: string, attempt: Attempt): Promise<void> {
  const { frames, uploads } = databaseOn(options.pool);
  const wanted = await frames.findPending(objectKey);
  if (!wanted) return;
  const finish = async (images: readonly Buffer[]) => {
    if (images.length > 0) return frames.finish(objectKey, 'ready');
    // Others may have the same bytes, which an upload that was deleted meanwhile proves nothing about.
    return (await uploads.findAny(wanted.upload_id)) ? frames.finish(objectKey, 'failed') : frames.drop(objectKey);
  };
  try {
    const upload = await uploads.findAny(wanted.upload_id);
    const images = upload ? await capture(options, upload, wanted, attempt) : [];
    await Promise.all(
      objectKeysOf(wanted).map(async (key, index) => {
        const image = images[Math.min(index, images.length - 1)];
        if (image) await options.objects.write(key, image, { contentType: 'image/jpeg' });
      }),
    );
    await finish(images);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!attempt.isLast) throw error;
    options.log('frame_not_made', { uploadID: wanted.upload_id, error: String(error) });
    await finish([]);
  }
}

async function capture(
  { pool, objects, tools }: CaptureFrameOptions,
  upload: Upload,
  { frame, format: name, width, posters }: Frame,
  { signal: ending, isLast }: Attempt,
): Promise<Buffer[]> {
  const { kind, dynamicRange, reading } = contentFacts(upload);
  const format = formatNamed(name);
  if (kind === 'audio' || isSound(format)) return [];
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const { framing, aspect } = format;
  const profile = profileOf(format);
  const overlay =
    posters === null
      ? await overlayOfFormat({ pool, objects }, { format, first: frame, end: frame + 1 }, ending)
      : null;
  const picturesOf = async (
    { input, filters }: { readonly input: readonly string[]; readonly filters: readonly string[] },
    pictures: number,
    stdin?: Buffer,
  ) => {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]);
    const toWidth = `scale=${width}:-2:flags=area:in_color_matrix=bt709:${asJpeg}`;
    const request = {
      tools,
      sourceURL,
      signal,
      background: 'waited for' as const,
      input,
      filters: [...filters, toWidth],
      pictures,
      ...(stdin && { stdin }),
    };
    const images = await captureImage(request);
    // An aborted attempt proves nothing about the file.
    ending.throwIfAborted();
    return jpegsIn(images ?? Buffer.alloc(0));
  };
  if (posters === null)
    return picturesOf(
      frameArguments({ sourceURL, kind, dynamicRange, reading, framing, overlay, startFrame: frame, profile }),
      1,
      overlay?.sheet?.png,
    );
  const startSeconds = frame / profile.framesPerSecond;
  const times = { startSeconds, windowSeconds: posterSeconds, count: posters, size: posterSizeOf(aspect) };
  const windows = { sourceURL, kind, dynamicRange, reading, framing, ...times };
  const keyframes = await picturesOf(windowArguments({ ...windows, onlyKeyframes: true }), posters);
  // If keyframes are far apart, some windows have none.
  if (keyframes.length === posters) return keyframes;
  const pictures = await picturesOf(windowArguments({ ...windows, onlyKeyframes: false }), posters).catch(
    (error: unknown) => {
      if (keyframes.length === 0 || !isLast || ending.aborted) throw error;
      return [];
    },
  );
  if (pictures.length > 0 || keyframes.length === 0) return pictures;
  // Their windows are unknown. They are spread evenly, as most encoders place keyframes at even distances.
  return Array.from({ length: posters }, (_, index) => keyframes[Math.floor((index * keyframes.length) / posters)]!);
}
