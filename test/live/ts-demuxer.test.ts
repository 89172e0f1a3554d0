// Transport streams of contributors as FLV tags: all of a whole one, and the whole units of a damaged one.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomNumbers } from '../../lambda/domain/playout/lap-order.ts';
import type { ContributedTag } from '../../lambda/live/contribution.ts';
import { TsDemuxer } from '../../lambda/live/ts-demuxer.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaMessage } from '../../lambda/publisher/rtmp/message.ts';
import { packetBytes, packetize, pesPacket } from '../../lambda/publisher/transport-stream/packets.ts';
import { ProgramTables, videoPid } from '../../lambda/publisher/transport-stream/program-tables.ts';
import { TransportMuxer } from '../../lambda/publisher/transport-stream/transport-muxer.ts';
import { makeFlv, readFlv } from '../publisher/rtmp/flv-sample.ts';

const { ffmpegPath } = await findMediaTools(process.env);
const mib = 1024 * 1024;

let folder: string;
let sample: MediaMessage[];
/** The same media as a transport stream of ffmpeg. */
let stream: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ts-demuxer-'));
  const [flv, ts] = [join(folder, 'sample.flv'), join(folder, 'sample.ts')];
  await makeFlv(flv, { seconds: 2 });
  await promisify(execFile)(ffmpegPath, ['-v', 'error', '-i', flv, '-c', 'copy', '-f', 'mpegts', ts]);
  sample = (await readFlv(flv)).filter(({ type, payload }) => type !== 'data' && !isEnd(type, payload));
  stream = await readFile(ts);
});
afterAll(() => rm(folder, { recursive: true }));

/** The mark of the end, which ffmpeg adds to FLV. */
const isEnd = (type: string, body: Buffer) => type === 'video' && body[1] === 2;

function demuxed(pieces: readonly Buffer[]): ContributedTag[] {
  const tags: ContributedTag[] = [];
  const demuxer = new TsDemuxer((tag) => tags.push(tag));
  for (const piece of pieces) demuxer.write(piece);
  demuxer.end();
  return tags;
}

/** Bodies and times of one kind, as text; the times count from the first picture. */
function told(tags: readonly ContributedTag[], type: string): string[] {
  const startMs = tags.find((tag) => tag.type === 'video')!.timestampMs;
  return tags
    .filter((tag) => tag.type === type)
    .map(({ timestampMs, body }) => {
      // ffmpeg adds signs of a newer AAC to its own header.
      const shown = type === 'audio' && body[1] === 0 ? body.subarray(0, 4) : body;
      return `${timestampMs - startMs} ${shown.toString('base64')}`;
    });
}

/** The header of sound has the time of the first frame. */
const source = (): ContributedTag[] =>
  sample.map(({ type, timestampMs, payload }) => ({
    type: type as ContributedTag['type'],
    timestampMs,
    body: payload,
  }));
const pictures = (tags: readonly ContributedTag[]) =>
  tags.filter(({ type, body }) => type === 'video' && body[1] === 1);
const headers = (tags: readonly ContributedTag[]) => tags.filter(({ type, body }) => type === 'video' && body[1] === 0);

function pieces(bytes: Buffer, sizeOf: () => number): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += cut.at(-1)!.length) cut.push(bytes.subarray(at, at + sizeOf()));
  return cut;
}

describe('a whole stream has the tags of its source', () => {
  it.each(['video', 'audio'])('by ffmpeg, whatever its pieces: %s', (type) => {
    const random = randomNumbers(7);
    for (const sizeOf of [() => 1316, () => 1 + Math.floor(random() * 2000), () => stream.length]) {
      const [one, other] = [told(demuxed(pieces(stream, sizeOf)), type), told(source(), type)];
      const bodies = (texts: string[]) => texts.map((text) => text.split(' ')[1]);
      expect(bodies(one)).toEqual(bodies(other));
      const times = (texts: string[]) => texts.map((text) => Number(text.split(' ')[0]));
      // Times of FLV are whole milliseconds, and ffmpeg makes those of packets of sound from them.
      for (const [index, time] of times(one).slice(1).entries())
        expect(Math.abs(time - times(other)[index + 1]!)).toBeLessThanOrEqual(1);
    }
  });

  it('by our own sender, over the end of the 33 bits', () => {
    const wrapMs = 2 ** 33 / 90;
    const muxer = new TransportMuxer('h264', wrapMs - 1900);
    const bytes = Buffer.concat([...sample.flatMap((message) => muxer.write(message)), ...muxer.flush()]);
    const tags = demuxed([bytes]);
    expect(told(tags, 'video')).toEqual(told(source(), 'video'));
    expect(tags.filter(({ type }) => type === 'audio')).toHaveLength(
      sample.filter(({ type }) => type === 'audio').length,
    );
    const times = pictures(tags).map(({ timestampMs }) => timestampMs);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1900);
  });

  it('also if frames of sound cross its units', () => {
    const muxer = new TransportMuxer('h264', 0);
    const unit = { pid: 0x101, next: 0 };
    const frames = [100, 200, 300].map((bytes) => Buffer.concat([adts(bytes), Buffer.alloc(bytes, bytes)]));
    const all = Buffer.concat(frames);
    const tables = muxer.write(sample[0]!).concat(new ProgramTables('h264').packets());
    const cut = [all.subarray(0, 150), all.subarray(150, 160), all.subarray(160)].map((data, index) =>
      packetize(unit, pesPacket('audio', { pts: 90 * 100 * (index + 1), dts: 90 * 100 * (index + 1) }, [data]), quiet),
    );
    const tags = demuxed([...tables, ...cut]);
    expect(tags.map(({ body }) => body.length)).toEqual([4, 102, 202, 302]);
    const [, first, second, third] = tags.map(({ timestampMs }) => timestampMs);
    expect([second! - first!, third! - first!]).toEqual([21, 200]);
  });
});

const quiet = { clock: null, isRandomAccess: false };

function adts(bytes: number): Buffer {
  const length = bytes + 7;
  return Buffer.of(0xff, 0xf1, 0x4c, 0x80 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc);
}

/** A stream of pictures that the test makes. */
class PictureStream {
  readonly #stream = { pid: videoPid, next: 0 };
  readonly parts: Buffer[] = [new ProgramTables('h264').packets()];

  picture(atMs: number, ...units: readonly Buffer[]): void {
    const data = units.flatMap((unit) => [Buffer.of(0, 0, 0, 1), unit]);
    const time = { pts: 90 * atMs, dts: 90 * atMs };
    this.parts.push(packetize(this.#stream, pesPacket('video', time, data), quiet));
  }
}

const sequenceSet = (level: number) => Buffer.of(0x67, 66, 0xc0, level, 0xda, 0x02, 0x80, 0xf6);
const pictureSet = Buffer.of(0x68, 0xce, 0x3c, 0x80);
const keyframe = (bytes = 100) => Buffer.concat([Buffer.of(0x65), Buffer.alloc(bytes, 0x88)]);
const slice = Buffer.of(0x41, 0x9a, 0x88);

describe('parameter sets', () => {
  it('are told once, and again when they change', () => {
    const made = new PictureStream();
    made.picture(1000, sequenceSet(30), pictureSet, keyframe());
    made.picture(1040, slice);
    made.picture(1080, sequenceSet(30), pictureSet, keyframe());
    made.picture(1120, sequenceSet(31), pictureSet, keyframe());
    const tags = demuxed(made.parts);
    expect(tags.map(({ body }) => `${body[0]!.toString(16)} ${body[1]!}`)).toEqual([
      '17 0',
      '17 1',
      '27 1',
      '17 1',
      '17 0',
      '17 1',
    ]);
    expect(headers(tags)[1]!.body[5 + 3]).toBe(31);
  });

  it('are bounded in number and size', () => {
    const made = new PictureStream();
    const sets = Array.from({ length: 1000 }, (_, index) =>
      Buffer.concat([Buffer.of(0x68, 0, index & 0xff, index >> 8), Buffer.alloc(1500, 1 + (index % 200))]),
    );
    made.picture(1000, sequenceSet(30), Buffer.concat([sequenceSet(30), Buffer.alloc(9000, 1)]), ...sets, keyframe());
    for (const { body } of headers(demuxed(made.parts))) expect(body.length).toBeLessThan(34 * 1024);
  });
});

describe('a damaged stream', () => {
  it('loses no more pictures than packets', () => {
    const random = randomNumbers(3);
    const packets = pieces(stream, () => packetBytes);
    const kept = packets.filter(() => random() >= 0.02);
    const whole = new Set(pictures(source()).map(({ body }) => body.toString('base64')));
    const tags = pictures(demuxed(kept));
    expect(tags.length).toBeGreaterThan(20);
    expect(tags.length).toBeLessThan(whole.size);
    expect(whole.size - tags.length).toBeLessThanOrEqual(packets.length - kept.length);
    // All pictures that it gives are whole.
    expect(tags.filter(({ body }) => !whole.has(body.toString('base64')))).toEqual([]);
  });

  it('of which 16 packets of a track are missing, which its counter does not show, has a gap if it is told', () => {
    const packets = pieces(stream, () => packetBytes);
    const ofVideo = packets.filter((packet) => (packet.readUInt16BE(1) & 0x1fff) === 0x100);
    const missing = new Set(ofVideo.slice(10, 26));
    const tags: ContributedTag[] = [];
    const demuxer = new TsDemuxer((tag) => tags.push(tag));
    for (const packet of packets) {
      if (missing.has(packet)) demuxer.lost();
      else demuxer.write(packet);
    }
    const whole = new Set(pictures(source()).map(({ body }) => body.toString('base64')));
    expect(pictures(tags).filter(({ body }) => !whole.has(body.toString('base64')))).toEqual([]);
  });

  it('continues after bytes that are no packets', () => {
    const at = 100 * packetBytes;
    const noise = Buffer.alloc(1000, 0x47);
    const tags = pictures(demuxed([stream.subarray(0, at), noise, stream.subarray(at)]));
    expect(tags.length).toBeGreaterThan(pictures(source()).length - 4);
  });

  it('never takes more memory than one picture and one unit of sound, and drops a picture that is too large', () => {
    const tags: ContributedTag[] = [];
    const demuxer = new TsDemuxer((tag) => tags.push(tag));
    const made = new PictureStream();
    made.picture(1000, sequenceSet(30), pictureSet, keyframe(10 * mib));
    made.picture(1040, keyframe(7 * mib));
    made.picture(1080, slice);
    let most = 0;
    for (const part of made.parts)
      for (const piece of pieces(part, () => 1316)) {
        demuxer.write(piece);
        most = Math.max(most, demuxer.incompleteBytes);
      }
    demuxer.end();
    expect(most).toBeLessThanOrEqual(16 * mib);
    expect(pictures(tags).map(({ body }) => body.length > mib)).toEqual([true, false]);
    expect(demuxer.incompleteBytes).toBeLessThan(mib);
  });

  it('with a damaged table waits for the next one', () => {
    const tables = new ProgramTables('h264').packets();
    const bad = Buffer.from(tables);
    bad[bad.length - 1]! ^= 1;
    const made = new PictureStream();
    made.picture(1000, sequenceSet(30), pictureSet, keyframe());
    expect(demuxed([bad, ...made.parts.slice(1)])).toHaveLength(0);
    expect(pictures(demuxed([bad, ...made.parts]))).toHaveLength(1);
  });

  it('gives sound tags for each of any changed bytes, or none, and never fails', () => {
    const random = randomNumbers(11);
    for (let round = 0; round < 30; round++) {
      const changed = Buffer.from(stream.subarray(0, 60_000));
      for (let change = 0; change < 200; change++)
        changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
      const tags = demuxed(pieces(changed, () => 1316));
      expect(tags.filter(({ timestampMs, body }) => !(timestampMs >= 0) || body.length < 3)).toEqual([]);
    }
  });
});
