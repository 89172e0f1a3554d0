// A stream's sound is encoded in one piece: every sample written comes out again, where it belongs.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openAudioEncoder } from '../../../lambda/publisher/ffmpeg/audio-encoder.ts';
import { ToolError } from '../../../lambda/publisher/ffmpeg/child.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { everyMediaTools } from '../../support/media-samples.ts';

const builds = await everyMediaTools();
const { samplesPerAacFrame, bytesPerSample, sampleRate, bitrateKbps } = audioFormat;

/** A loud tone from sample `onset` on, stereo. */
function tone(sampleCount: number, onset: number): Buffer {
  const samples = new Int16Array(sampleCount * 2);
  for (let index = onset; index < sampleCount; index++)
    samples.fill(20_000 * Math.sin(index / 10), index * 2, index * 2 + 2);
  return Buffer.from(samples.buffer);
}

/** As ADTS (ISO/IEC 13818-7, 6.2), which a decoder takes without a container: AAC-LC, 48 kHz, stereo. */
function adts(frame: Buffer): Buffer {
  const length = frame.length + 7;
  return Buffer.concat([
    Buffer.from([0xff, 0xf1, 0x4c, 0x80 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc]),
    frame,
  ]);
}

describe.each(builds)('with the $name build', ({ tools }) => {
  it('gives a frame for every 1024 samples, the first for priming, in step with what is written', async () => {
    const encoder = openAudioEncoder(tools, { bitrateKbps }, new AbortController().signal);
    const frameCount = 60;
    const onset = 30_000;
    const pcm = tone(frameCount * samplesPerAacFrame + encoder.latencySamples, onset);
    const bodies: Buffer[] = [];
    const video30Bytes = 1600 * bytesPerSample;
    let written = 0;
    for (let frame = 0; frame < frameCount; frame++) {
      // In portions of a video frame, and never more than the latency promises to be enough.
      while (written < (frame * samplesPerAacFrame + encoder.latencySamples) * bytesPerSample) {
        encoder.write(pcm.subarray(written, written + video30Bytes));
        written += video30Bytes;
      }
      bodies.push(await encoder.readFrame());
    }
    // AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC is 2, 48 kHz is index 3, two channels.
    const config = (await encoder.sequenceHeader).readUInt16BE(2);
    expect({ objectType: config >> 11, frequencyIndex: (config >> 7) & 15, channels: (config >> 3) & 15 }).toEqual({
      objectType: 2,
      frequencyIndex: 3,
      channels: 2,
    });
    await encoder.close();

    const decoder = spawn(tools.ffmpegPath, [
      '-loglevel',
      'error',
      '-f',
      'aac',
      '-i',
      'pipe:0',
      '-f',
      's16le',
      'pipe:1',
    ]);
    decoder.stdin.end(Buffer.concat(bodies.map((body) => adts(body.subarray(2)))));
    const decoded = await buffer(decoder.stdout);
    const samples = new Int16Array(decoded.buffer, decoded.byteOffset, decoded.length / 2);
    expect(samples.length / 2).toBe(frameCount * samplesPerAacFrame);
    const heard = samples.findIndex((value) => Math.abs(value) > 5000) / 2;
    expect(heard - encoder.primingSamples).toBeGreaterThan(onset - sampleRate / 1000);
    expect(heard - encoder.primingSamples).toBeLessThan(onset + sampleRate / 1000);
  });

  it('says that it is gone', async () => {
    const encoder = openAudioEncoder(
      { ...tools, ffmpegPath: '/no/such/ffmpeg' },
      { bitrateKbps },
      new AbortController().signal,
    );
    encoder.write(tone(4096, 0));
    await expect(encoder.readFrame()).rejects.toThrow(ToolError);
    await encoder.close();
  });
});
