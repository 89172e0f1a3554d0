// Renders a golden timeline with either backend, faster than real time: an FLV file, and raw samples if encoded.
import { drawingName, variantsOf } from '../../lambda/domain/playout/drawing-names.ts';
import { wholeDrawing, withNext } from '../../lambda/domain/playout/drawings.ts';
import type { Drawing } from '../../lambda/domain/playout/drawings.ts';
import { mixesSoundUnder } from '../../lambda/domain/playout/mixed-sound.ts';
import { partsWithin } from '../../lambda/domain/playout/parts-within.ts';
import type { TimelineEntry } from '../../lambda/domain/playout/play-out.ts';
import type { RenditionFormat } from '../../lambda/domain/playout/rendition.ts';
import { showsSoundTitles } from '../../lambda/domain/playout/sound-titles.ts';
import { framesPerSecond as rates } from '../../lambda/domain/shared/video-format.ts';
import { openFrames } from '../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { SegmentStore } from '../../lambda/publisher/prepared/segment-store.ts';
import { CheckingIngest, flvOf } from '../publisher/prepared/checking-ingest.ts';
import { makeParts } from '../publisher/prepared/made-parts.ts';
import { makeRenditions } from '../publisher/prepared/made-renditions.ts';
import { keepAtHand, mediaOptions, play } from '../publisher/prepared/prepared-clips.ts';
import type { PreparedClips } from '../publisher/prepared/prepared-clips.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { captionsFile } from './timelines.ts';
import type { GoldenTimeline } from './timelines.ts';

export interface Rendered {
  readonly flv: Buffer;
  /** 48 kHz, s16le, stereo; null: only the sound of the file exists. */
  readonly samples: Buffer | null;
}

const { signal } = new AbortController();
const cachedBytes = 512 * 1024 * 1024;
const mostItems = 6;

/** Renders a timeline as the ffmpeg backend encodes it. The clock of its run began at a fixed time. */
export async function renderEncoded(
  tools: MediaTools,
  files: ReadonlyMap<string, string>,
  { video, audio, format, fromSeconds, seconds }: GoldenTimeline,
): Promise<Rendered> {
  const profile = profileOf(format);
  const rate = profile.framesPerSecond;
  const options = {
    tools,
    profile,
    encoder: () => fastEncoder,
    loadTimelines: async () => ({ video, audio }),
    urlOf: async (objectKey: string) => files.get(objectKey)!,
    captionsOf: async () => captionsFile,
    anchoredAtMs: async () => Date.parse('2026-11-24T12:00:57Z'),
    log: (event: string) => console.log(`    ${event}`),
    signal,
  };
  const source = await openFrames(options, Math.round(fromSeconds * rate));
  const ingest = new CheckingIngest();
  const samples: Buffer[] = [];
  for (let frame = 0; frame < seconds * rate; frame++) {
    const { video: picture, samples: heard } = await source.next();
    const timestampMs = Math.round((frame * 1000) / rate);
    if (picture.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: picture.sequenceHeader }]);
    ingest.send([{ type: 'video', timestampMs, payload: picture.payload }]);
    samples.push(Buffer.from(heard));
  }
  await source.close();
  return { flv: flvOf(ingest), samples: Buffer.concat(samples) };
}

/**
 * Prepares all media of a timeline, and renders it as the prepared backend sends it.
 * @param clips keeps the renditions, which other timelines may also send
 */
export async function renderPrepared(
  tools: MediaTools,
  files: ReadonlyMap<string, string>,
  clips: PreparedClips,
  { video, audio, format, fromSeconds, seconds }: GoldenTimeline,
): Promise<Rendered> {
  const { objects } = clips;
  const pathOf = (source: string) => files.get(source)!;
  const making = { tools, clips, objects, pathOf, logoPath: pathOf('logo'), captions: captionsFile };
  const [formats, looks] = [new Map<string, RenditionFormat[]>(), new Map<string, number>()];
  const renditions = { ...making, drawings: drawingsOver(video) };
  const keys = [
    ...(await makeRenditions(video, format, renditions, { formats, looks })),
    ...(await makeRenditions(audio, 'sound', renditions, { formats, looks })),
  ];
  const contentHashes = new Map([...formats.keys()].map((uploadID) => [uploadID, uploadID]));
  const pictures = { entries: video, contentHashes, ...(showsSoundTitles(video) && { heard: audio }) };
  const sound = {
    entries: audio,
    contentHashes,
    ...(mixesSoundUnder(video, audio) && { under: { pictures, format } }),
  };
  const joins = new Map<string, number>();
  const startFrame = Math.round(fromSeconds * rates[format.framerate]);
  const stretch = { startFrame, frameCount: (seconds + 2) * rates[format.framerate] };
  const parts = partsWithin({ video: pictures, audio: sound }, stretch, format, mostItems);
  keys.push(...(await makeParts(parts, making, joins)));
  const store = new SegmentStore({ objects, maxCachedBytes: cachedBytes });
  for (const key of keys) await keepAtHand(store, key);
  const ingest = new CheckingIngest();
  const media = mediaOptions(store, () => ({ video, audio }));
  const loadTimelines = async () => {
    return { video: { ...pictures, joins, formats, looks }, audio: { ...sound, joins, looks } };
  };
  await play({ ...media, options: { ...media.options, format, loadTimelines } }, ingest, { startFrame, seconds });
  const faults = [...media.unreadable, ...media.logged];
  if (faults.length > 0) throw new Error(faults.join(', '));
  return { flv: flvOf(ingest), samples: null };
}

/** The drawings over the items of a track, by name. */
function drawingsOver(entries: readonly TimelineEntry[]): Map<string, Drawing> {
  const drawings = entries.flatMap(({ snapshot: { overlays, items, mode } }) => {
    const whole = wholeDrawing(overlays);
    const variants = overlays ? withNext(items, mode).flatMap((item) => variantsOf(overlays, item)) : [];
    return [...(whole ? [{ name: drawingName(whole), drawing: whole }] : []), ...variants];
  });
  return new Map(drawings.map(({ name, drawing }) => [name, drawing]));
}
