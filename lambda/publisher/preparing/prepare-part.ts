// Makes a part: groups of an item with all pictures and sound of their composition.
import type { ComposedSound, Voice } from '../../domain/playout/composed-sound.ts';
import type { Part } from '../../domain/playout/composition-parts.ts';
import { mixLeadGroups } from '../../domain/playout/mixed-sound.ts';
import { firstSoundFrameFrom, soundOffsetMs } from '../../domain/playout/prepared-play-out.ts';
import { openAudioEncoder } from '../ffmpeg/audio-encoder.ts';
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
import { deltaChunks } from '../prepared/delta-chunks.ts';
import { writeSegment } from '../prepared/segment-format.ts';
import { mediaChunkSize } from '../rtmp/message.ts';
import { encodePictures, writePictures } from './prepare-segment.ts';
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
const { samplesPerAacFrame, bytesPerSample, channels, bitrateKbps } = audioFormat;

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
  if (!format) return soundSegment(part, await encodeSound(part, work, firstGroup, groupCount));
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

function soundSegment({ firstGroup }: Part, { messages, sequenceHeader }: Encoded): Buffer {
  const facts = {
    chunkSize: mediaChunkSize,
    framesPerSecond: null,
    gopFrames: 1,
    firstGroup,
    videoSequenceHeader: null,
    audioSequenceHeader: sequenceHeader,
  };
  return writeSegment(
    facts,
    messages.map((message) => ({ video: null, sound: [message] })),
  );
}

async function encodeSound(part: Part, work: SoundWork, firstGroup: number, groupCount: number): Promise<Encoded> {
  const encoder = openAudioEncoder(work.tools, { bitrateKbps }, work.signal);
  try {
    const startSample = (firstGroup - prerollFrames) * samplesPerAacFrame;
    const count = (prerollFrames + groupCount) * samplesPerAacFrame + encoder.latencySamples;
    const samples = bytesOf(await samplesOf(part, work, { startSample, count }));
    const messages: Buffer[] = [];
    const frameBytes = samplesPerAacFrame * bytesPerSample;
    let written = 0;
    // The encoder's first frame only primes decoders.
    for (let frame = -prerollFrames - 1; frame < groupCount; frame++) {
      const needed = (frame + 1 + prerollFrames) * samplesPerAacFrame + encoder.latencySamples;
      for (; written < needed; written += samplesPerAacFrame) {
        const at = written * bytesPerSample;
        encoder.write(Buffer.concat([samples.subarray(at, at + frameBytes)], frameBytes));
      }
      const body = await encoder.readFrame();
      if (frame >= 0) messages.push(deltaChunks('audio', sinceBefore(firstGroup + frame), body));
    }
    return { messages, sequenceHeader: await encoder.sequenceHeader };
  } finally {
    await encoder.close();
  }
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
  { source, level, startSample: begins }: Voice,
  { tools, urlOf, signal }: SoundWork,
  { startSample, count }: SampleStretch,
): Promise<ReadSamples> {
  const samples = new Int16Array(count * channels);
  const silent = Math.max(0, begins - startSample);
  if (source === null || silent >= count) return { samples, ownSamples: 0 };
  const stretch = { startSample: startSample + silent - begins, sampleCount: count - silent };
  const request = { sourceURL: urlOf(source), level, ...stretch, background: true };
  const audio = openAudioSource(tools, request, signal);
  try {
    await audio.ready;
    samples.set(await readAll(audio, stretch.sampleCount), silent * channels);
    return { samples, ownSamples: silent + audio.ownSamples() };
  } finally {
    await audio.close();
  }
}

/** Milliseconds since the previous message of the item; 0 for its first. */
function sinceBefore(group: number): number {
  return group === 0 ? 0 : soundOffsetMs(group) - soundOffsetMs(group - 1);
}
