// Makes the overlays of layers that one ffmpeg reads: logos, and one sheet of texts.
import { parseCaptions } from '../../domain/playout/captions.ts';
import type { Cue } from '../../domain/playout/captions.ts';
import type { FrameRange, Layer } from '../../domain/playout/composition.ts';
import { captionTexts } from '../../domain/playout/drawings.ts';
import type { Drawing, TextBlock } from '../../domain/playout/drawings.ts';
import type { PictureOverlay } from '../ffmpeg/overlays.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { drawTogether } from './text-sheet.ts';

/** Access to the files of drawings. */
export interface DrawingFiles {
  /** Returns a signed http(s) address, or a path. */
  readonly logoURL: (source: string) => Promise<string>;
  /** The captions file with a hash; null if it was deleted: the pictures are shown without captions. */
  readonly captionsOf: (hash: string) => Promise<string | null>;
}

/** A drawing over a layer. Times of captions count from the layer's first frame. */
export type DrawnLayer = Pick<Layer, 'startFrame' | 'drawn'>;

/**
 * @returns for each layer, null if nothing is drawn over it
 * @throws {ToolError} when the texts cannot be drawn; the errors of `files`; the signal's reason
 */
export async function overlaysOf(
  layers: readonly DrawnLayer[],
  range: FrameRange,
  profile: Profile,
  files: DrawingFiles,
  signal: AbortSignal,
): Promise<(PictureOverlay | null)[]> {
  const { framesPerSecond } = profile;
  const stretch = { fromSeconds: range.first / framesPerSecond, toSeconds: range.end / framesPerSecond };
  const [texts, logos] = await Promise.all([
    Promise.all(layers.map(({ drawn, startFrame }) => textsOf(drawn, startFrame / framesPerSecond, stretch, files))),
    Promise.all(
      layers.map(async ({ drawn }) => {
        if (!drawn?.logo) return null;
        const { source, ...logo } = drawn.logo;
        return { ...logo, sourceURL: await files.logoURL(source) };
      }),
    ),
  ]);
  const sheets = await drawTogether(texts, profile, signal);
  return layers.map((_, index) => {
    const [logo, sheet] = [logos[index]!, sheets[index] ?? null];
    return logo || sheet ? { logo, sheet } : null;
  });
}

/** The cues of a captions file; none if it was deleted. */
export async function cuesOf(hash: string, { captionsOf }: Pick<DrawingFiles, 'captionsOf'>): Promise<Cue[]> {
  const file = await captionsOf(hash);
  return file === null ? [] : parseCaptions(file);
}

async function textsOf(
  drawn: Drawing | null,
  beginsAtSeconds: number,
  stretch: { readonly fromSeconds: number; readonly toSeconds: number },
  files: DrawingFiles,
): Promise<TextBlock[]> {
  const { texts = [], running = [], captions } = drawn ?? {};
  if (!captions) return [...running, ...texts];
  const cues = (await cuesOf(captions.hash, files)).map((cue) => {
    return { ...cue, fromMs: cue.fromMs + beginsAtSeconds * 1000, toMs: cue.toMs + beginsAtSeconds * 1000 };
  });
  return [...running, ...texts, ...captionTexts(captions, cues, texts, stretch)];
}
