// Encodes a session's raw pictures and samples once, and cuts them into segments of one closed GOP each.
import { availableParallelism } from 'node:os';
import { preparingMemoryMiB } from '../domain/fleet/capacity.ts';
import { jpegsOf } from '../domain/media/jpegs.ts';
import type { FrameRange } from '../domain/playout/composition.ts';
import type { PosterSize } from '../domain/playout/posters.ts';
import { firstSoundFrameFrom, pictureOffsetMs, soundOffsetMs } from '../domain/playout/prepared-play-out.ts';
import { latencySamples, openAudioEncoder } from '../publisher/ffmpeg/audio-encoder.ts';
import type { AudioEncoder } from '../publisher/ffmpeg/audio-encoder.ts';
import type { EncoderSettings } from '../publisher/ffmpeg/encoder-arguments.ts';
import { flvTagType, readFlvTags } from '../publisher/ffmpeg/flv-reader.ts';
import { describeExit, startMediaTool } from '../publisher/ffmpeg/media-tool.ts';
import type { RunningMediaTool } from '../publisher/ffmpeg/media-tool.ts';
import { audioFormat, bytesPerSecondOf } from '../publisher/ffmpeg/profile.ts';
import type { Profile } from '../publisher/ffmpeg/profile.ts';
import { readVideoTag, withCompositionTime } from '../publisher/ffmpeg/video-tag.ts';
import type { MediaTools } from '../publisher/media/media-tools.ts';
import { deltaChunks } from '../publisher/prepared/delta-chunks.ts';
import { sinceBefore, writePictures, writeSound } from '../publisher/preparing/prepare-segment.ts';
import { pictureEncoderArguments } from './live-arguments.ts';
import { LiveFailure } from './live-failure.ts';
import { SessionLevel } from './session-level.ts';
import type { SignalMeter } from './signal-meter.ts';
import type { RawPicture } from './tag-decoder.ts';

/** One closed GOP of a session and its sound, as an object in the format of segments. */
export interface LiveSegment {
  /** Counted from 0. The first group of the object is `number * frameCount`. */
  readonly number: number;
  readonly bytes: Buffer;
  /** Its sound alone, as an object in the same format. */
  readonly soundBytes: Buffer;
  /** Pictures: those of a GOP of the format. */
  readonly frameCount: number;
  /** Whether none of its sound came from the contributor. */
  readonly hasSilentSound: boolean;
}

export interface SegmentEncoderOptions {
  readonly tools: MediaTools;
  readonly profile: Profile;
  readonly encoder: EncoderSettings;
  readonly meter: Pick<SignalMeter, 'picture' | 'sound'>;
  /** Loudness of the sound; null: unchanged. */
  readonly targetLUFS: number | null;
  readonly posterSize: PosterSize;
  readonly onSegment: (segment: LiveSegment) => void;
  /** Called with the poster of each window, in order: a JPEG. */
  readonly onPoster: (poster: Buffer) => void;
  readonly onFailed: (error: LiveFailure) => void;
}

const { samplesPerAacFrame, bytesPerSample, sampleRate, channels } = audioFormat;
/** The sound of a session, and that after silence, fades in over this many samples. Without a fade it would click. */
const fadeSamples = sampleRate / 100;
/** ffmpeg works this far ahead of the reader of encoded pictures. */
const readAheadSeconds = 3;
/** Raw pictures that wait for the encoder before the decoder has to wait. */
const mostPicturesWaiting = 4;

export class SegmentEncoder {
  readonly #options: SegmentEncoderOptions;
  readonly #abort = new AbortController();
  readonly #pictures: RunningMediaTool;
  readonly #sound: AudioEncoder;
  readonly #level: SessionLevel | null;
  readonly #pictureMessages: Buffer[] = [];
  readonly #soundMessages: Buffer[] = [];
  readonly #reading: Promise<unknown>;
  readonly #pictureBytes: number;
  #pictureHeader: Buffer | undefined;
  #soundHeader: Buffer | undefined;
  #picturesWritten = 0;
  #samplesWritten = 0;
  /** The first sample after silence. */
  #soundBegan = 0;
  /** Ranges of samples that came from the contributor, in order. */
  #ownSamples: FrameRange[] = [];
  #segments = 0;
  #isClosed = false;

  constructor(options: SegmentEncoderOptions) {
    this.#options = options;
    const { tools, profile, encoder, targetLUFS, posterSize } = options;
    this.#level = targetLUFS === null ? null : new SessionLevel(targetLUFS);
    this.#pictureBytes = (profile.width * profile.height * 3) / 2;
    this.#pictures = startMediaTool(tools.ffmpegPath, pictureEncoderArguments(encoder, profile, posterSize), {
      readAheadBytes: bytesPerSecondOf(profile) * readAheadSeconds,
      hasSecondOutput: true,
      signal: this.#abort.signal,
      memoryMiB: 'preset' in encoder ? preparingMemoryMiB(availableParallelism()) : undefined,
    });
    this.#sound = openAudioEncoder(tools, this.#abort.signal);
    this.#reading = Promise.all([this.#readPictures(), this.#readSound(), this.#readPosters()]).catch(
      (error: unknown) => {
        if (!this.#isClosed) options.onFailed(new LiveFailure('tool_failed', String(error)));
      },
    );
  }

  /** The number of pictures written: the place on the grid of the next one. */
  get picturesWritten(): number {
    return this.#picturesWritten;
  }

  /** The number of samples written: the place of the next one. */
  get samplesWritten(): number {
    return this.#samplesWritten;
  }

  get isBehind(): boolean {
    return this.#pictures.stdin.writableLength > mostPicturesWaiting * this.#pictureBytes;
  }

  writePicture(picture: RawPicture): void {
    this.#options.meter.picture(this.#picturesWritten, picture);
    this.#picturesWritten += 1;
    const { stdin } = this.#pictures;
    stdin.cork();
    for (const piece of picture) stdin.write(piece);
    stdin.uncork();
  }

  /** Resolves when the encoder is no longer behind, or has ended. */
  async caughtUp(): Promise<void> {
    while (this.isBehind && !this.#isClosed && !this.#pictures.stdin.destroyed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#pictures.stdin.once('drain', resolve).once('close', resolve);
      await promise;
      this.#pictures.stdin.off('drain', resolve).off('close', resolve);
    }
  }

  /** @param samples whole samples, which are changed in place */
  writeSound(samples: Buffer): void {
    const first = this.#samplesWritten;
    this.#options.meter.sound(first, samples);
    this.#level?.apply(samples);
    fadeIn(samples, first - this.#soundBegan);
    this.#samplesWritten += samples.length / bytesPerSample;
    const last = this.#ownSamples.at(-1);
    const own = { first: last?.end === first ? last.first : first, end: this.#samplesWritten };
    this.#ownSamples.splice(last?.end === first ? -1 : this.#ownSamples.length, 1, own);
    this.#sound.write(samples);
  }

  /** Writes silence up to a sample of the session, if it has less sound. */
  writeSilence(untilSample: number): void {
    const missing = untilSample - this.#samplesWritten;
    if (missing <= 0) return;
    this.#samplesWritten = untilSample;
    this.#soundBegan = untilSample;
    this.#sound.write(Buffer.alloc(missing * bytesPerSample));
  }

  /** Ends the input. Resolves when all whole GOPs are out. */
  async finish(): Promise<void> {
    const { gopFrames, samplesPerFrame } = this.#options.profile;
    const segments = Math.floor(this.#picturesWritten / gopFrames);
    this.writeSilence(this.#picturesWritten * samplesPerFrame + samplesPerAacFrame + latencySamples);
    this.#pictures.stdin.end();
    while (this.#segments < segments && !this.#isClosed) {
      const before = this.#segments;
      await Promise.race([this.#nextSegment(), this.#reading]);
      if (this.#segments === before) return;
    }
  }

  /** Kills the encoders. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#abort.abort();
    this.#cut.resolve();
    await Promise.all([this.#pictures.end(), this.#sound.close(), this.#reading]);
  }

  #cut = Promise.withResolvers<void>();

  #nextSegment(): Promise<void> {
    return this.#cut.promise;
  }

  async #readPictures(): Promise<void> {
    const { framesPerSecond, gopFrames, compositionDelayFrames } = this.#options.profile;
    const framesAt = (timestampMs: number) => Math.round((timestampMs * framesPerSecond) / 1000);
    let firstShownMs: number | undefined;
    let index = 0;
    for await (const { timestampMs, body } of readFlvTags(this.#pictures.stdout, flvTagType.video)) {
      const tag = readVideoTag(body);
      if (tag.content === 'sequence header') this.#pictureHeader = body;
      if (tag.content !== 'picture') continue;
      if (tag.isKeyframe !== (index % gopFrames === 0))
        throw new Error(`picture ${index} breaks the grid of keyframes`);
      const shownMs = timestampMs + tag.compositionMs;
      firstShownMs ??= shownMs;
      const delayFrames = framesAt(shownMs - firstShownMs) - index + compositionDelayFrames;
      const payload = withCompositionTime(body, Math.round((delayFrames * 1000) / framesPerSecond));
      const timeOf = (picture: number) => pictureOffsetMs(picture, framesPerSecond);
      this.#pictureMessages.push(deltaChunks('video', sinceBefore(index, timeOf), payload));
      index += 1;
      this.#cutSegments();
    }
    if (this.#pictures.stdin.writableEnded) return;
    throw new Error(describeExit(await this.#pictures.exited, this.#pictures.log()));
  }

  async #readPosters(): Promise<void> {
    for await (const poster of jpegsOf(this.#pictures.secondOutput)) this.#options.onPoster(poster);
  }

  async #readSound(): Promise<void> {
    this.#soundHeader = await this.#sound.sequenceHeader;
    // The encoder's first frame only primes decoders.
    await this.#sound.readFrame();
    for (let frame = 0; ; frame++) {
      const body = await this.#sound.readFrame();
      this.#soundMessages.push(deltaChunks('audio', sinceBefore(frame, soundOffsetMs), body));
      this.#cutSegments();
    }
  }

  #cutSegments(): void {
    const { profile, onSegment } = this.#options;
    const { gopFrames, framesPerSecond, samplesPerFrame } = profile;
    for (;;) {
      const number = this.#segments;
      const groups = { first: number * gopFrames, end: (number + 1) * gopFrames };
      const soundFrom = firstSoundFrameFrom(groups.first, framesPerSecond);
      const soundFrames = firstSoundFrameFrom(groups.end, framesPerSecond) - soundFrom;
      if (this.#isClosed || !this.#pictureHeader || !this.#soundHeader) return;
      if (this.#pictureMessages.length < gopFrames || this.#soundMessages.length < soundFrames) return;
      const pictures = { messages: this.#pictureMessages.splice(0, gopFrames), sequenceHeader: this.#pictureHeader };
      const sound = { messages: this.#soundMessages.splice(0, soundFrames), sequenceHeader: this.#soundHeader };
      this.#ownSamples = this.#ownSamples.filter(({ end }) => end > groups.first * samplesPerFrame);
      const hasSilentSound = !this.#ownSamples.some(({ first }) => first < groups.end * samplesPerFrame);
      this.#segments += 1;
      onSegment({
        number,
        bytes: writePictures(groups, profile, pictures, sound),
        soundBytes: writeSound(soundFrom, sound),
        frameCount: gopFrames,
        hasSilentSound,
      });
      this.#cut.resolve();
      this.#cut = Promise.withResolvers();
    }
  }
}

/** Fades samples in place. @param firstSample place of the first one since the sound began */
function fadeIn(samples: Buffer, firstSample: number): void {
  const count = Math.min(samples.length / bytesPerSample, fadeSamples - firstSample);
  for (let index = 0; index < count; index++) {
    for (let channel = 0; channel < channels; channel++) {
      const at = index * bytesPerSample + channel * 2;
      samples.writeInt16LE(Math.round((samples.readInt16LE(at) * (firstSample + index)) / fadeSamples), at);
    }
  }
}
