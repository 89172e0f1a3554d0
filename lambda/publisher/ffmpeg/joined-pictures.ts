// The pictures of an item that pass from those of the item before it, and to black, as ffmpeg makes them.
import type { FramingName } from '../../domain/playout/look.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import type { InputPlace, PictureOverlay } from './overlays.ts';
import type { Profile } from './profile.ts';

/** An item whose pictures are read, from a frame on. */
export interface PicturesOfItem {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  readonly kind: 'video' | 'image';
  /** SDR where it is absent. */
  readonly dynamicRange?: DynamicRange | undefined;
  /** Black bars where it is absent. */
  readonly framing?: FramingName | undefined;
  /** Null or absent: nothing is drawn over it. Items that are read together have their texts on one sheet. */
  readonly overlay?: PictureOverlay | null | undefined;
  /** As `decodeCost` in domain/media/source-limits.ts says it; absent where it is not known. */
  readonly decodeCost?: number | undefined;
  /** Frame of the item to begin with, on the profile's grid. */
  readonly startFrame: number;
}

/** How the pictures of an item are joined. Frames count from the item's beginning. */
export interface PictureJoins {
  /** How many frames of its beginning pass from what is before; null: it begins at once. */
  readonly head: {
    readonly frames: number;
    /** What is seen beneath; null: black. */
    readonly from: PicturesOfItem | null;
  } | null;
  /** The frame with which it begins to pass to black, and how many that takes; null: it ends at once. */
  readonly tail: { readonly startFrame: number; readonly frames: number } | null;
  /** What is seen over all of it for a while, each a stinger. */
  readonly stingers: readonly PlacedStinger[];
}

/** A stinger where an item has it. */
export interface PlacedStinger {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  readonly videoCodec: string;
  /** SDR where it is absent. */
  readonly dynamicRange?: DynamicRange | undefined;
  /** The frame of the item that its first picture is over; negative: it began over the item before. */
  readonly startFrame: number;
  /** Over so many frames it is seen, if the item lasts as long. */
  readonly frames: number;
}

/** No joins: what is drawn over pictures takes a graph of filters as well. */
export const unjoined: PictureJoins = { head: null, tail: null, stingers: [] };

/** What makes ffmpeg read an item with what is drawn over it, and the filters by which its pictures come. */
export interface ReadPictures {
  readonly input: string[];
  readonly filters: readonly string[];
  /** Where further inputs come. */
  readonly next: InputPlace;
}

interface Readers {
  readonly item: (pictures: PicturesOfItem, place: InputPlace) => ReadPictures;
  /** Its pictures have what is seen through them. */
  readonly stinger: (stinger: PlacedStinger, place: InputPlace) => ReadPictures;
}

/** Where the inputs of what is read first come. */
export const firstPlace: InputPlace = { first: 0, sheet: null };

/** The joins of which something is seen in a stretch of an item; undefined where nothing is. */
export function joinsWithin(
  { head, tail, stingers }: PictureJoins,
  { startFrame, frameCount }: { readonly startFrame: number; readonly frameCount: number },
): PictureJoins | undefined {
  const end = startFrame + frameCount;
  const isHead = head !== null && startFrame < head.frames;
  const isTail = tail !== null && end > tail.startFrame;
  const within = stingers.filter((each) => each.startFrame < end && startFrame < each.startFrame + each.frames);
  if (!isHead && !isTail && within.length === 0) return undefined;
  return { head: isHead ? head : null, tail: isTail ? tail : null, stingers: within };
}

/**
 * Arguments that read an item with its joins. What is joined are framed pictures with what is drawn over them: so a
 * title fades with its item, and a logo that both items have stays through a crossfade. What begins in the middle of a
 * fade is made from the beginning of that, as ffmpeg counts the frames of a fade.
 */
export function joinedPictures(
  pictures: PicturesOfItem,
  { framesPerSecond }: Pick<Profile, 'framesPerSecond'>,
  { head, tail, stingers }: PictureJoins,
  read: Readers,
): string[][] {
  const { startFrame } = pictures;
  const first = head ? 0 : Math.min(startFrame, tail?.startFrame ?? startFrame);
  const own = read.item({ ...pictures, startFrame: first }, firstPlace);
  const onGrid = `settb=1/${framesPerSecond},format=yuv420p`;
  const fadeIn = head && !head.from ? [`fade=t=in:start_frame=0:nb_frames=${head.frames}`] : [];
  const fadeOut = tail ? [`fade=t=out:start_frame=${tail.startFrame - first}:nb_frames=${tail.frames}`] : [];
  // Since ffmpeg 6.1 nothing knows the rate of pictures that were given other times.
  const fromZero = ['setpts=PTS-STARTPTS', `fps=${framesPerSecond}`];
  const fromStart = startFrame > first ? [`trim=start_frame=${startFrame - first}`, ...fromZero] : [];
  const chain = [...own.filters, ...fadeIn, ...fadeOut];
  const inputs = [own.input];
  const graph: string[] = [];
  let shown = chain;
  let next = own.next;
  if (head?.from) {
    const beneath = read.item(head.from, next);
    const seconds = (head.frames / framesPerSecond).toFixed(6);
    graph.push(
      `${[...shown, onGrid].join(',')}[own]`,
      `${[...beneath.filters, `trim=end_frame=${head.frames}`, onGrid].join(',')}[beneath]`,
    );
    shown = [`[beneath][own]xfade=transition=fade:duration=${seconds}:offset=0`, 'format=yuv420p'];
    inputs.push(beneath.input);
    next = beneath.next;
  }
  for (const [index, stinger] of stingers.entries()) {
    const above = read.stinger(stinger, next);
    const offset = stinger.startFrame - first;
    const seen = [
      `trim=start_frame=${Math.max(0, -offset)}:end_frame=${stinger.frames}`,
      `settb=1/${framesPerSecond}`,
      `setpts=PTS-STARTPTS+${Math.max(0, offset)}`,
    ];
    const onItem = `settb=1/${framesPerSecond}`;
    graph.push(
      `${[...shown, onItem].join(',')}[under${index}]`,
      `${[...above.filters, ...seen].join(',')}[above${index}]`,
    );
    shown = [`[under${index}][above${index}]overlay=eof_action=pass:format=yuv420`, 'format=yuv420p'];
    inputs.push(above.input);
    next = above.next;
  }
  return [...inputs, complex([...graph, [...shown, ...fromStart].join(',')].join(';'))];
}

/** What is filtered takes no more threads than what is decoded. */
function complex(graph: string): string[] {
  return ['-filter_complex_threads', '2', '-filter_complex', `${graph}[pictures]`, '-map', '[pictures]'];
}
