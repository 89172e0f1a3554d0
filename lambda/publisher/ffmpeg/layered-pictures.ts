// The ffmpeg arguments that read and combine layers of pictures: transitions between them, and to and from black.
import type { Layer, LayerFade } from '../../domain/playout/composition.ts';
import { keepsTimes } from './input-arguments.ts';
import type { InputPlace, PictureOverlay } from './overlays.ts';
import type { Profile } from './profile.ts';

/** A layer of a composition with its file and its overlay. */
export interface ReadLayer extends Omit<Layer, 'source' | 'drawn'> {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  /** Null: no overlay. Layers that are read together share one sheet of texts. */
  readonly overlay: PictureOverlay | null;
}

/** The arguments that make ffmpeg read a layer and its overlay, and the filters that return its pictures. */
export interface ReadPictures {
  readonly input: string[];
  readonly filters: readonly string[];
  /** The place of further inputs. */
  readonly next: InputPlace;
}

/** The place of the first layer's inputs. */
export const firstPlace: InputPlace = { first: 0, sheet: null };

type ItemLayer = Pick<ReadLayer, 'sourceURL' | 'kind'> & Partial<Omit<ReadLayer, 'startFrame' | 'endFrame'>>;

/** An item that is the only layer, from its beginning to its end. */
export function onlyLayer(item: ItemLayer): ReadLayer {
  return { overlay: null, fades: [], ...item, startFrame: 0, endFrame: null };
}

/** Converts a layer of a composition to one that can be read. */
export function readLayer(layer: Layer, sourceURL: string, overlay: PictureOverlay | null = null): ReadLayer {
  const { source: _, drawn: __, ...shown } = layer;
  return { ...shown, sourceURL, overlay };
}

/**
 * Arguments that read layers and combine them. Layers get their framing and overlays first, so a title fades with its
 * item, and a logo of both items stays during a crossfade. Pictures that begin in the middle of a fade are made from
 * its beginning, as ffmpeg counts the frames of a fade.
 * @param startFrame the frame of the composition that comes first
 * @param read reads a layer from a frame of the composition on
 */
export function layeredPictures(
  layers: readonly ReadLayer[],
  startFrame: number,
  { framesPerSecond }: Pick<Profile, 'framesPerSecond'>,
  read: (layer: ReadLayer, frame: number, place: InputPlace, isKept: boolean) => ReadPictures,
): string[][] {
  const first = Math.min(startFrame, ...layers.flatMap(({ fades }) => fades.map(({ start }) => start)));
  const onGrid = `settb=1/${framesPerSecond}`;
  const isKept = layers.some(
    ({ kind, startFrame: begins, reading }) =>
      kind === 'video' && keepsTimes((first - begins) / framesPerSecond, reading),
  );
  const inputs: string[][] = [];
  const graph: string[] = [];
  let shown: readonly string[] = [];
  let place = firstPlace;
  for (const [index, layer] of layers.entries()) {
    const { input, filters, next } = read(layer, first, place, isKept);
    const [below, above] = [`[below${index}]`, `[above${index}]`];
    const offset = layer.startFrame - first;
    const fadeIn = layer.fades.find((fade) => 'transition' in fade);
    if (layer.kind === 'stinger') {
      const part = `trim=start_frame=${Math.max(0, -offset)}:end_frame=${layer.endFrame! - layer.startFrame}`;
      const seen = [part, onGrid, `setpts=PTS-STARTPTS+${Math.max(0, offset)}`];
      graph.push(`${[...shown, onGrid].join(',')}${below}`, `${[...filters, ...seen].join(',')}${above}`);
      shown = [`${below}${above}overlay=eof_action=pass:format=yuv420`, 'format=yuv420p'];
    } else if (fadeIn) {
      const others = layer.fades.filter((fade) => fade !== fadeIn);
      const [begins, seconds] = [fadeIn.start - first, fadeIn.end - fadeIn.start].map((frames) =>
        (frames / framesPerSecond).toFixed(6),
      );
      const evenly = [onGrid, 'format=yuv420p'];
      graph.push(
        `${[...shown, `trim=end_frame=${fadeIn.end - first}`, ...evenly].join(',')}${below}`,
        `${[...filters, ...throughColours(others, first), ...evenly].join(',')}${above}`,
      );
      shown = [
        `${below}${above}xfade=transition=${fadeIn.transition}:duration=${seconds}:offset=${Number(begins)}`,
        'format=yuv420p',
      ];
    } else {
      shown = [...filters, ...throughColours(layer.fades, first)];
    }
    inputs.push(input);
    place = next;
  }
  // Since ffmpeg 6.1 pictures lose their rate when their times are changed.
  const fromZero = ['setpts=PTS-STARTPTS', `fps=${framesPerSecond}`];
  const fromStart = startFrame > first ? [`trim=start_frame=${startFrame - first}`, ...fromZero] : [];
  return [...inputs, complex([...graph, [...shown, ...fromStart].join(',')].join(';'))];
}

/** Filters that fade pictures from a colour or to it. */
function throughColours(fades: readonly LayerFade[], first: number): string[] {
  return fades.flatMap((fade) => {
    if (!('through' in fade)) return [];
    const { direction, start, end, through } = fade;
    const passage = `fade=t=${direction}:start_frame=${start - first}:nb_frames=${end - start}:color=${through}`;
    // ffmpeg fades to other colours than black in RGB.
    return through === 'black' ? [passage] : [passage, 'scale=out_color_matrix=bt709:out_range=tv', 'format=yuv420p'];
  });
}

/** A filter graph, with no more threads than the decoding. */
function complex(graph: string): string[] {
  return ['-filter_complex_threads', '2', '-filter_complex', `${graph}[pictures]`, '-map', '[pictures]'];
}
