// Layers of pictures as one ffmpeg reads and combines them: passages from one to another, and to and from black.
import type { Layer, LayerFade } from '../../domain/playout/composition.ts';
import type { InputPlace, PictureOverlay } from './overlays.ts';
import type { Profile } from './profile.ts';

/** A layer of a composition whose file and drawing can be read. */
export interface ReadLayer extends Omit<Layer, 'source' | 'drawn'> {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  /** Null: nothing is drawn over it. Layers that are read together have their texts on one sheet. */
  readonly overlay: PictureOverlay | null;
}

/** The arguments by which ffmpeg reads a layer with what is drawn over it, and the filters that give its pictures. */
export interface ReadPictures {
  readonly input: string[];
  readonly filters: readonly string[];
  /** Where further inputs come. */
  readonly next: InputPlace;
}

/** Where the inputs of the first layer come. */
export const firstPlace: InputPlace = { first: 0, sheet: null };

type ItemLayer = Pick<ReadLayer, 'sourceURL' | 'kind'> & Partial<Omit<ReadLayer, 'startFrame' | 'endFrame'>>;

/** An item that is the only layer, from its beginning to its end. */
export function onlyLayer(item: ItemLayer): ReadLayer {
  return { overlay: null, fades: [], ...item, startFrame: 0, endFrame: null };
}

/** A layer of a composition by what can be read of it. */
export function readLayer(layer: Layer, sourceURL: string, overlay: PictureOverlay | null = null): ReadLayer {
  const { source: _, drawn: __, ...shown } = layer;
  return { ...shown, sourceURL, overlay };
}

/**
 * Arguments that read layers and combine them. Layers are framed and drawn over before they are combined: so a title
 * fades with its item, and a logo that both items have stays through a crossfade. What begins in the middle of a fade
 * is made from the beginning of that, as ffmpeg counts the frames of a fade.
 * @param startFrame the frame of the composition that comes first
 * @param read reads a layer from a frame of the composition on
 */
export function layeredPictures(
  layers: readonly ReadLayer[],
  startFrame: number,
  { framesPerSecond }: Pick<Profile, 'framesPerSecond'>,
  read: (layer: ReadLayer, frame: number, place: InputPlace) => ReadPictures,
): string[][] {
  const first = Math.min(startFrame, ...layers.flatMap(({ fades }) => fades.map(({ start }) => start)));
  const onGrid = `settb=1/${framesPerSecond}`;
  const inputs: string[][] = [];
  const graph: string[] = [];
  let shown: readonly string[] = [];
  let place = firstPlace;
  for (const [index, layer] of layers.entries()) {
    const { input, filters, next } = read(layer, first, place);
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
  // Since ffmpeg 6.1 nothing knows the rate of pictures that were given other times.
  const fromZero = ['setpts=PTS-STARTPTS', `fps=${framesPerSecond}`];
  const fromStart = startFrame > first ? [`trim=start_frame=${startFrame - first}`, ...fromZero] : [];
  return [...inputs, complex([...graph, [...shown, ...fromStart].join(',')].join(';'))];
}

/** Filters by which pictures pass from a colour or to it. */
function throughColours(fades: readonly LayerFade[], first: number): string[] {
  return fades.flatMap((fade) => {
    if (!('through' in fade)) return [];
    const { direction, start, end, through } = fade;
    const passage = `fade=t=${direction}:start_frame=${start - first}:nb_frames=${end - start}:color=${through}`;
    // ffmpeg fades to other colours than black in RGB.
    return through === 'black' ? [passage] : [passage, 'scale=out_color_matrix=bt709:out_range=tv', 'format=yuv420p'];
  });
}

/** What is filtered takes no more threads than what is decoded. */
function complex(graph: string): string[] {
  return ['-filter_complex_threads', '2', '-filter_complex', `${graph}[pictures]`, '-map', '[pictures]'];
}
