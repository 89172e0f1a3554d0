// A stream's sound is encoded in one piece: every written sample comes out again, at its time.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { latencySamples, openAudioEncoder } from '../../../lambda/publisher/ffmpeg/audio-encoder.ts';
import { ToolError } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { everyMediaTools } from '../../support/media-samples.ts';

const builds = await everyMediaTools();
const { samplesPerAacFrame, bytesPerSample, sampleRate } = audioFormat;
/** The encoder's first frame contains none of the samples. */
const primingSamples = samplesPerAacFrame;

/** Stereo samples, silent at first, with a loud tone from sample `onset` on. */
function tone(sampleCount: number, onset: number): Buffer {
  const samples = new Int16Array(sampleCount * 2);
  for (let index = onset; index < sampleCount; index++)
    samples.fill(20_000 * Math.sin(index / 10), index * 2, index * 2 + 2);
  return Buffer.from(samples.buffer);
}

/**
 * A frame of AAC-LC, 48 kHz, stereo, with an ADTS header (ISO/IEC 13818-7, 6.2). A decoder accepts such frames without
 * a container.
 */
function adts(frame: Buffer): Buffer {
  const length = frame.length + 7;
  return Buffer.concat([
    Buffer.from([0xff, 0xf1, 0x4c, 0x80 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc]),
    frame,
  ]);
}

describe.each(builds)('with the $name build', ({ tools }) => {
  it('the encoder gives a priming frame, and then a frame for every 1024 samples that are written', async () => {
    const encoder = openAudioEncoder(tools, new AbortController().signal);
    const frameCount = 60;
    const onset = 30_000;
    const pcm = tone(frameCount * samplesPerAacFrame + latencySamples, onset);
    const bodies: Buffer[] = [];
    const video30Bytes = 1600 * bytesPerSample;
    let written = 0;
    for (let frame = 0; frame < frameCount; frame++) {
      // The latency that the encoder promises must suffice. Samples arrive in portions of a video frame.
      while (written < (frame * samplesPerAacFrame + latencySamples) * bytesPerSample) {
        encoder.write(pcm.subarray(written, written + video30Bytes));
        written += video30Bytes;
      }
      bodies.push(await encoder.readFrame());
    }
    // AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC is 2, 48 kHz is index 3, two channels.
    const config = (await encoder.sequenceHeader).readUInt16BE(2);
    const [objectType, frequencyIndex, channels] = [config >> 11, (config >> 7) & 15, (config >> 3) & 15];
    expect({ objectType, frequencyIndex, channels }).toEqual({ objectType: 2, frequencyIndex: 3, channels: 2 });
    await encoder.close();

    const input = ['-f', 'aac', '-i', 'pipe:0'];
    const decoder = spawn(tools.ffmpegPath, ['-loglevel', 'error', ...input, '-f', 's16le', 'pipe:1']);
    decoder.stdin.end(Buffer.concat(bodies.map((body) => adts(body.subarray(2)))));
    const decoded = await buffer(decoder.stdout);
    const samples = new Int16Array(decoded.buffer, decoded.byteOffset, decoded.length / 2);
    expect(samples.length / 2).toBe(frameCount * samplesPerAacFrame);
    const heard = samples.findIndex((value) => Math.abs(value) > 5000) / 2;
    expect(heard - primingSamples).toBeGreaterThan(onset - sampleRate / 1000);
    expect(heard - primingSamples).toBeLessThan(onset + sampleRate / 1000);
  });

  it('the encoder fails with a ToolError where there is no ffmpeg', async () => {
    const missing = { ...tools, ffmpegPath: '/no/such/ffmpeg' };
    const encoder = openAudioEncoder(missing, new AbortController().signal);
    encoder.write(tone(4096, 0));
    await expect(encoder.readFrame()).rejects.toThrow(ToolError);
    await encoder.close();
  });
});
