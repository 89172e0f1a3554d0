// Makes a part: groups of an item with all pictures and sound of their composition.
import type { ComposedSound, Voice } from '../../domain/playout/composed-sound.ts';
import type { Part } from '../../domain/playout/composition-parts.ts';
import { mixLeadGroups } from '../../domain/playout/mixed-sound.ts';
import { firstSoundFrameFrom } from '../../domain/playout/prepared-play-out.ts';
import { latencySamples } from '../ffmpeg/audio-encoder.ts';
import { openAudioSource } from '../ffmpeg/audio-source.ts';
import { overlaysOf } from '../drawing/layer-overlays.ts';
import type { DrawingFiles } from '../drawing/layer-overlays.ts';
import { readAll } from '../ffmpeg/composed-audio.ts';
import type { FileAddress } from '../ffmpeg/composed-audio.ts';
import { bytesOf, composedSamples } from '../ffmpeg/composed-samples.ts';
import type { ReadSamples, SampleStretch } from '../ffmpeg/composed-samples.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { readLayer } from '../ffmpeg/layered-pictures.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import { UnderMixer } from '../ffmpeg/sound-under.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { encodePictures, encodeSoundFrames, writePictures, writeSound } from './prepare-segment.ts';
import type { Encoded } from './prepare-segment.ts';

export interface PartRequest {
  readonly part: Part;
  readonly urlOf: FileAddress;
  /** The encoder of the pictures; null for sound alone. */
  readonly encoder: EncoderSettings | null;
  readonly drawings: DrawingFiles;
}

/** The inputs of sound. */
interface SoundWork {
  readonly tools: MediaTools;
  readonly urlOf: FileAddress;
  readonly signal: AbortSignal;
}

/** The encoder begins this many frames before the part, like `limitedPrerollFrames` of segments. They are discarded. */
const prerollFrames = 48;
const { samplesPerAacFrame, bytesPerSample, channels } = audioFormat;

/**
 * @returns the bytes of the part's object: a segment whose groups are numbered as those of the item
 * @throws {MediaError} when nothing of an item can be decoded, or a logo or captions are gone; {ToolError} when ffmpeg
 * or the source failed; the signal's reason
 */
export async function preparePart(
  tools: MediaTools,
  { part, urlOf, encoder, drawings }: PartRequest,
  signal: AbortSignal,
): Promise<Buffer> {
  const { composition, format, firstGroup, groupCount } = part;
  const work = { tools, urlOf, signal };
  if (!format) return writeSound(firstGroup, await encodeSound(part, work, firstGroup, groupCount));
  const profile = profileOf(format);
  const groups = { first: firstGroup, end: firstGroup + groupCount };
  const overlays = await overlaysOf(composition.layers, groups, profile, drawings, signal);
  const layers = composition.layers.map((layer, index) => readLayer(layer, urlOf(layer.source), overlays[index]));
  const firstSound = firstSoundFrameFrom(groups.first, profile.framesPerSecond);
  const soundEnd = firstSoundFrameFrom(groups.end, profile.framesPerSecond);
  const [pictures, sound] = await Promise.all([
    encodePictures({ tools, request: { layers, encoder: encoder! }, signal }, groups, profile),
    encodeSound(part, work, firstSound, soundEnd - firstSound),
  ]);
  return writePictures(groups, profile, pictures, sound);
}

async function encodeSound(part: Part, work: SoundWork, first: number, count: number): Promise<Encoded> {
  const startSample = (first - prerollFrames) * samplesPerAacFrame;
  const sampleCount = (prerollFrames + count) * samplesPerAacFrame + latencySamples;
  const samples = bytesOf(await samplesOf(part, work, { startSample, count: sampleCount }));
  const frameBytes = samplesPerAacFrame * bytesPerSample;
  const read = (sample: number) => {
    const at = (sample - startSample) * bytesPerSample;
    return Promise.resolve(Buffer.concat([samples.subarray(at, at + frameBytes)], frameBytes));
  };
  const frames = { first, end: first + count, preroll: prerollFrames, read };
  return encodeSoundFrames(work.tools, frames, work.signal);
}

/** The sound of a range of samples, with that of the videos under it. */
async function samplesOf({ composition, firstGroup, under = [] }: Part, work: SoundWork, stretch: SampleStretch) {
  const leadSamples = under.length > 0 ? (mixLeadGroups - prerollFrames) * samplesPerAacFrame : 0;
  const first = stretch.startSample - leadSamples;
  const end = stretch.startSample + stretch.count;
  const mixed = await heardSamples(composition.sound, work, { startSample: first, count: end - first });
  const mixer = new UnderMixer();
  for (const { sound, gainDB, duck, startSample, fromSample, sampleCount } of under) {
    const at = firstGroup * samplesPerAacFrame + fromSample - first;
    const count = Math.min(sampleCount, end - first - at);
    if (count <= 0) continue;
    const below = await heardSamples(sound, work, { startSample, count });
    mixer.mixInto(mixed.subarray(at * channels, (at + count) * channels), below, { gainDB, duck });
  }
  return mixed.subarray(leadSamples * channels);
}

function heardSamples(sound: ComposedSound, work: SoundWork, stretch: SampleStretch): Promise<Int16Array> {
  const read = (voice: Voice, startSample: number, count: number) => readSamples(voice, work, { startSample, count });
  const onMisfit = () => {
    throw new MediaError('damaged', 'The sound has another length than was said of it.');
  };
  return composedSamples(sound, stretch, { read, onMisfit });
}

/** Samples of a voice. There is silence before the beginning of its file, and after its end. */
async function readSamples(
  { source, reading, level, startSample: begins }: Voice,
  { tools, urlOf, signal }: SoundWork,
  { startSample, count }: SampleStretch,
): Promise<ReadSamples> {
  const samples = new Int16Array(count * channels);
  const silent = Math.max(0, begins - startSample);
  if (source === null || silent >= count) return { samples, ownSamples: 0 };
  const stretch = { startSample: startSample + silent - begins, sampleCount: count - silent };
  const request = { sourceURL: urlOf(source), reading, level, ...stretch, background: true };
  const audio = openAudioSource(tools, request, signal);
  try {
    await audio.ready;
    samples.set(await readAll(audio, stretch.sampleCount), silent * channels);
    return { samples, ownSamples: silent + audio.ownSamples() };
  } finally {
    await audio.close();
  }
}
