// The pictures and the sound of a session between arrival and encoding: decoding, stalls, gaps and restarts.
import type { FramingName } from '../domain/playout/look.ts';
import type { Log } from '../log.ts';
import { describeExit } from '../publisher/ffmpeg/media-tool.ts';
import { audioFormat } from '../publisher/ffmpeg/profile.ts';
import type { Profile } from '../publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../publisher/media/media-tools.ts';
import { LiveFailure } from './live-failure.ts';
import type { SegmentEncoder } from './segment-encoder.ts';
import { openPictureDecoder, openSoundDecoder } from './tag-decoder.ts';
import type { RawPicture, TagDecoder } from './tag-decoder.ts';

export interface TrackOptions {
  readonly tools: MediaTools;
  readonly profile: Profile;
  /** The framing of pictures in another shape than the profile's; undefined: black bars. */
  readonly framing: FramingName | undefined;
  readonly encoder: SegmentEncoder;
  readonly steadyClock: () => number;
  readonly onFailed: (error: LiveFailure) => void;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Media has stalled if none arrives for this long. Then the last picture repeats, or silence is sent. */
const stalledMs = 1000;
/** The same happens if media arrives, but none of it is decoded for this long. */
const slowMs = 2500;
/** Decoders keep up to 16 pictures to reorder them. */
const keptMs = 700;
const decodedWithinMs = 5000;
/** After a longer gap, media goes to a new decoder: the old one would fill the gap with pictures that are too late. */
const mostGapMs = 3000;
/** A decoder with more input waiting is slow rather than unable. */
const slowBytes = 1024 * 1024;
/** Matches the log of an ffmpeg that does not know the codec, as version 5 does not know HEVC in FLV. */
const noDecoder = /Decoder \(codec none\) not found/;
/** Decoders of sound are started at most this often, whatever headers and codecs a contributor alternates. */
const reopenAfterMs = 5000;

abstract class Track<Output> {
  protected readonly options: TrackOptions;
  protected decoder: TagDecoder<Output> | null = null;
  protected arrivedMs = 0;
  /** The time since which tags arrive but nothing is decoded; null: none. */
  protected undecodedSinceMs: number | null = null;
  header: Buffer | null = null;
  /** The latest session time of a tag. */
  protected lastMs = 0;
  /** A decoder that finishes its work, after it was replaced. */
  #replaced: TagDecoder<Output> | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: TrackOptions) {
    this.options = options;
  }

  get bytesWaiting(): number {
    return this.decoder?.bytesWaiting ?? 0;
  }

  /** @param nowMs by our clock, when the session's time begins */
  begin(nowMs: number): void {
    this.arrivedMs = nowMs;
  }

  /** Ends the input. Resolves when everything is decoded. */
  async end(): Promise<void> {
    this.decoder?.end();
    await this.#reading;
  }

  /** The lateness of media that has to be replaced, in milliseconds; null: none has to be. */
  protected lateByMs(nowMs: number): number | null {
    if (nowMs - this.arrivedMs >= stalledMs) {
      this.undecodedSinceMs = null;
      return stalledMs;
    }
    return this.undecodedSinceMs !== null && nowMs - this.undecodedSinceMs >= slowMs ? slowMs : null;
  }

  /** Notes the time of a tag, and gives up the decoder if there was a gap before it. */
  protected arrived(sessionMs: number): void {
    this.arrivedMs = this.options.steadyClock();
    this.undecodedSinceMs ??= this.arrivedMs;
    if (sessionMs - this.lastMs > mostGapMs) this.replaceDecoder();
    this.lastMs = Math.max(this.lastMs, sessionMs);
  }

  /** Lets the decoder finish. The next tag goes to a new one. */
  protected replaceDecoder(): void {
    if (!this.decoder) return;
    void this.#replaced?.close();
    this.#replaced = this.decoder;
    this.decoder.end();
    this.decoder = null;
  }

  protected use(decoder: TagDecoder<Output>): void {
    this.decoder = decoder;
    const reading = this.#read(decoder).catch((error: unknown) => {
      if (!this.options.signal.aborted) this.options.onFailed(new LiveFailure('tool_failed', String(error)));
    });
    this.#reading = Promise.all([this.#reading, reading]).then(() => {});
  }

  async #read(decoder: TagDecoder<Output>): Promise<void> {
    for await (const { at, output } of decoder.outputs) {
      if (this.options.signal.aborted) return;
      this.undecodedSinceMs = null;
      await this.decoded(at, output);
    }
    const exit = await decoder.exited;
    if (this.options.signal.aborted || exit.code === 0) return;
    const message = describeExit(exit, decoder.log());
    if (decoder !== this.decoder) return;
    if (exit.brokenOff) this.options.onFailed(new LiveFailure('tool_failed', message));
    else this.undecodable(message);
  }

  protected abstract decoded(at: number, output: Output): Promise<void>;
  /** Called when the decoder has ended because of its input. */
  protected abstract undecodable(message: string): void;
}

export class PictureTrack extends Track<RawPicture> {
  #last: RawPicture | null = null;
  #isRepeating = false;

  /** @returns false if the header differs from an earlier one */
  takeHeader(header: Buffer): boolean {
    if (this.header) return this.header.equals(header);
    this.header = Buffer.from(header);
    return true;
  }

  /** @param displayMs session time at which the picture is shown */
  take(decodeMs: number, body: Buffer, displayMs: number, isKeyframe: boolean): void {
    const { tools, profile, framing, signal } = this.options;
    this.arrived(displayMs);
    if (!this.decoder) {
      if (!isKeyframe) return;
      const frame = Math.max(0, Math.round((displayMs * profile.framesPerSecond) / 1000));
      this.use(openPictureDecoder(tools, { profile, framing }, frame, signal));
      this.decoder!.write(decodeMs, this.header!);
    }
    this.decoder!.write(decodeMs, body);
  }

  /** Repeats the last picture if none comes in time. @param expectedMs session time of media that arrives now */
  check(nowMs: number, expectedMs: number): void {
    const lateMs = this.lateByMs(nowMs);
    if (this.undecodedSinceMs !== null && nowMs - this.undecodedSinceMs > decodedWithinMs) return this.#giveUp();
    if (lateMs === null || (this.#isOwed() && nowMs - this.arrivedMs < slowMs)) return;
    void this.#repeat(Math.floor(((expectedMs - lateMs) * this.options.profile.framesPerSecond) / 1000));
  }

  /** Whether the decoder has pictures to give, beside those that it keeps until further ones arrive. */
  #isOwed(): boolean {
    const { encoder, profile } = this.options;
    return (encoder.picturesWritten * 1000) / profile.framesPerSecond < this.lastMs - keptMs;
  }

  /** Repeats the last picture up to a place on the grid. */
  async #repeat(until: number): Promise<void> {
    const { encoder, signal } = this.options;
    if (this.#isRepeating) return;
    this.#isRepeating = true;
    while (this.#last && encoder.picturesWritten < until && !signal.aborted) {
      encoder.writePicture(this.#last);
      await encoder.caughtUp();
    }
    this.#isRepeating = false;
  }

  protected override async decoded(at: number, picture: RawPicture): Promise<void> {
    const { encoder, profile } = this.options;
    // A decoder that misreads times could otherwise fill hours.
    if (at > ((this.lastMs + mostGapMs) * profile.framesPerSecond) / 1000) return;
    const before = this.#last ?? picture;
    // A late picture is shown too, if another one has to be repeated.
    this.#last = picture;
    while (encoder.picturesWritten <= at && !this.options.signal.aborted) {
      encoder.writePicture(encoder.picturesWritten < at ? before : picture);
      await encoder.caughtUp();
    }
  }

  protected override undecodable(message: string): void {
    const reason = noDecoder.test(message) ? 'unsupported_codec' : 'undecodable';
    this.options.onFailed(new LiveFailure(reason, message));
  }

  #giveUp(): void {
    const isSlow = this.options.encoder.isBehind || this.bytesWaiting > slowBytes;
    const reason = isSlow ? 'overloaded' : 'undecodable';
    this.options.onFailed(
      new LiveFailure(reason, `no picture was decoded for 5 s: ${this.decoder?.log() || 'no message'}`),
    );
  }
}

export class SoundTrack extends Track<Buffer> {
  #codec: string | null = null;
  #reopenMs = -Infinity;

  /** Notes the codec of the next tag. */
  takeCodec(codec: string): void {
    if (this.#codec === codec) return;
    this.#codec = codec;
    this.header = null;
    this.replaceDecoder();
  }

  takeHeader(header: Buffer): void {
    if (this.header?.equals(header)) return;
    this.header = Buffer.from(header);
    this.replaceDecoder();
  }

  /** @param sessionMs not negative */
  take(sessionMs: number, body: Buffer): void {
    const { tools, signal } = this.options;
    this.arrived(sessionMs);
    if (!this.decoder) {
      if (this.arrivedMs < this.#reopenMs || (this.#codec === 'aac' && !this.header)) return;
      this.#reopenMs = this.arrivedMs + reopenAfterMs;
      const sample = Math.round((sessionMs * audioFormat.sampleRate) / 1000);
      this.use(openSoundDecoder(tools, sample, signal));
      if (this.header) this.decoder!.write(sessionMs, this.header);
    }
    this.decoder!.write(sessionMs, body);
  }

  /** Writes silence beside the pictures if no sound comes in time. */
  check(nowMs: number): void {
    const { encoder, profile } = this.options;
    if (this.lateByMs(nowMs) === null) return;
    encoder.writeSilence(encoder.picturesWritten * profile.samplesPerFrame);
  }

  protected override async decoded(at: number, samples: Buffer): Promise<void> {
    const { encoder } = this.options;
    encoder.writeSilence(at);
    const late = Math.max(0, encoder.samplesWritten - at) * audioFormat.bytesPerSample;
    if (late < samples.length) encoder.writeSound(samples.subarray(late));
  }

  protected override undecodable(message: string): void {
    this.options.log('live_sound_undecodable', { message });
    this.decoder = null;
  }
}
