// Sessions with faulty contributions: stalls, jumps, garbage and floods. Each continues exactly, or ends with a reason.
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { beeps, flashes } from '../support/sync-clip.ts';
import { descendantsOf } from '../support/processes.ts';
import { clip, messagesOf, onTime, send, writeFLV } from './contributor.ts';
import type { Arrival, Encoded } from './contributor.ts';

const folder = await mkdtemp(join(tmpdir(), 'live-faults-'));
afterAll(() => rm(folder, { recursive: true }));
const found = await findMediaTools(process.env);
// Processes of other test files have another path.
const tools = { ...found, ffmpegPath: join(folder, 'ffmpeg') };
await symlink(found.ffmpegPath, tools.ffmpegPath);

/** The running ffmpeg processes of these tests. */
async function ownTools(): Promise<{ pid: number; commandLine: string }[]> {
  const processes = await descendantsOf(process.pid);
  const lines = await Promise.all(processes.map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return processes
    .map(({ pid }, index) => ({ pid, commandLine: lines[index]! }))
    .filter(({ commandLine }) => commandLine.startsWith(`${tools.ffmpegPath}\0`));
}

const tags = await clip(tools, { seconds: 8.3 });
const arrivals = onTime(tags);
const firstSeconds = (seconds: number) => arrivals.filter(({ atMs }) => atMs < seconds * 1000);
const from = (seconds: number) => arrivals.filter(({ atMs }) => atMs >= seconds * 1000);

/** The seconds of flashes and beeps in a session. */
async function momentsOf({ segments }: Encoded, name: string): Promise<{ seen: number[]; heard: number[] }> {
  const file = await writeFLV(join(folder, `${name}.flv`), segments);
  return { seen: await flashes(tools, file, 30), heard: await beeps(tools, file) };
}

/** The first groups of the segments of a session. */
function groupsOf({ segments }: Encoded): number[] {
  return segments.map((segment) => messagesOf(segment).header.firstGroup);
}

const wholeSession = [0, 60, 120, 180];

/** The furthest that a time is from the one in its place; Infinity if one is missing. */
function mostApart(times: readonly number[], wanted: readonly number[]): number {
  if (times.length !== wanted.length) return Infinity;
  return Math.max(...times.map((time, index) => Math.abs(time - wanted[index]!)));
}

const nearSeconds = 0.07;
const everyMoment = [0.4, 1.4, 2.4, 3.4, 4.4, 5.4, 6.4, 7.4];

describe('a session continues', { timeout: 60_000 }, () => {
  it('with the last picture while pictures stall, and segments come in time', async () => {
    const stalled = arrivals.filter(({ atMs, tag }) => tag.type === 'audio' || atMs < 2100 || atMs >= 6000);
    const second = Promise.withResolvers<void>();
    const encoded = await send(tools, stalled, {
      // The clock waits for no decoder while pictures stall, so it must not be much faster than the machine.
      speed: 2,
      onSegment: ({ number }) => number === 1 && second.resolve(),
      // The segment from 2 s to 4 s comes during the stall.
      before: (_, { atMs }) => (atMs < 5500 ? undefined : second.promise),
    });
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
    const { seen, heard } = await momentsOf(encoded, 'stall');
    expect(mostApart(heard, everyMoment)).toBeLessThan(nearSeconds);
    expect(mostApart(seen, [0.4, 1.4, 6.4, 7.4])).toBeLessThan(nearSeconds);
  });

  it('with silence while sound is missing, begins late or stops', async () => {
    const partly = arrivals.filter(({ atMs, tag: { type, body } }) => {
      const isHeader = type === 'audio' && body[1] === 0;
      return type === 'video' || isHeader || (atMs >= 2300 && atMs < 4300);
    });
    const encoded = await send(tools, partly);
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
    expect(encoded.segments.map(({ hasSilentSound }) => hasSilentSound)).toEqual([true, false, false, true]);
    const { seen, heard } = await momentsOf(encoded, 'partly');
    expect(mostApart(heard, [2.4, 3.4])).toBeLessThan(nearSeconds);
    expect(mostApart(seen, everyMoment)).toBeLessThan(nearSeconds);
  });

  it.each([
    ['forward', 5_000_000],
    ['back', -2000],
  ])('when timestamps jump %s', async (name, jumpMs) => {
    const jumped = from(4).map(({ atMs, tag }) => ({ atMs, tag: { ...tag, timestampMs: tag.timestampMs + jumpMs } }));
    const encoded = await send(tools, [...firstSeconds(4), ...jumped]);
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
    const { seen, heard } = await momentsOf(encoded, name);
    // Other media would be repeated or lost if the jump did not end by the time of arrival.
    expect(mostApart(seen, everyMoment)).toBeLessThan(0.2);
    expect(mostApart(heard, seen)).toBeLessThan(0.035);
  });

  it('when the network delivers two seconds late and at once', async () => {
    const late = arrivals.map(({ atMs, tag }) => ({ atMs: atMs > 3000 && atMs < 5000 ? 5000 : atMs, tag }));
    const encoded = await send(tools, late);
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
    const { seen, heard } = await momentsOf(encoded, 'late');
    expect(mostApart(seen.slice(-3), [5.4, 6.4, 7.4])).toBeLessThan(nearSeconds);
    expect(mostApart(heard.slice(-3), [5.4, 6.4, 7.4])).toBeLessThan(nearSeconds);
  });

  it('in sync while its clock follows a network that became faster', async () => {
    const faster = arrivals.map(({ atMs, tag }) => ({ atMs: atMs < 3200 ? atMs + 900 : Math.max(atMs, 4100), tag }));
    const encoded = await send(tools, faster);
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
    const { seen, heard } = await momentsOf(encoded, 'faster');
    expect(mostApart(heard, seen)).toBeLessThan(0.021);
    // By half a percent of 4 s.
    expect(heard.at(-1)! - heard[0]!).toBeGreaterThan(6.96);
    expect(heard.at(-1)! - heard[0]!).toBeLessThan(6.995);
  });

  it('over damaged pictures and sound', async () => {
    const damaged = arrivals.map((arrival, index) => (index % 9 === 8 ? withGarbage(arrival) : arrival));
    const encoded = await send(tools, damaged);
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
  });

  it('without another decoder for each header of sound', async () => {
    const header = tags.find(({ type, body }) => type === 'audio' && body[1] === 0)!;
    const other = { ...header, body: changed(header.body, header.body.length - 1) };
    const alternating = arrivals.flatMap(({ atMs, tag }, index) => [
      { atMs, tag: index % 2 === 0 ? header : other },
      { atMs, tag },
    ]);
    let most = 0;
    const before = async (_: unknown, { atMs }: Arrival) => {
      if (atMs > 3000 && atMs < 3100) most = Math.max(most, (await ownTools()).length);
    };
    const encoded = await send(tools, alternating, { before });
    expect(groupsOf(encoded)).toEqual(wholeSession);
    expect(most).toBeGreaterThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('over times of display that cannot be', async () => {
    const wrong = arrivals.map((arrival, index) => {
      if (!isPicture(arrival) || index % 10 !== 0 || arrival.tag.body[0] === 0x17) return arrival;
      const body = Buffer.from(arrival.tag.body);
      body.writeIntBE(8_000_000, 2, 3);
      return { ...arrival, tag: { ...arrival.tag, body } };
    });
    const encoded = await send(tools, wrong);
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
  });

  it('at the speed of its own clock, however fast a file arrives', async () => {
    const atOnce = arrivals.map(({ tag }) => ({ atMs: 0, tag }));
    const encoded = await send(tools, atOnce, { untilMs: 5000 });
    expect(encoded.failure).toBeNull();
    expect(groupsOf(encoded)).toEqual(wholeSession);
    // Media waits until it is at most 4 s ahead.
    expect(encoded.times[2]).toBeGreaterThan(2000);
    const { seen, heard } = await momentsOf(encoded, 'fast');
    expect(mostApart(seen, everyMoment)).toBeLessThan(nearSeconds);
    expect(mostApart(heard, seen)).toBeLessThan(nearSeconds);
  });
});

describe('a session ends', { timeout: 60_000 }, () => {
  it('without a keyframe', async () => {
    const noKeyframe = arrivals.filter(({ tag: { type, body } }) => type === 'audio' || body[0] !== 0x17);
    const { segments, failure } = await send(tools, noKeyframe, { untilMs: 11_000, speed: 10, waits: false });
    expect(segments).toEqual([]);
    expect(failure).toMatchObject({ reason: 'no_keyframe', fault: 'media' });
  });

  it('when nothing can be decoded', async () => {
    const garbage = arrivals.map((arrival) => (isPicture(arrival) ? withGarbage(arrival) : arrival));
    const { failure } = await send(tools, garbage, { waits: false });
    expect(failure).toMatchObject({ reason: 'undecodable', fault: 'media' });
  });

  it.each([
    ['another header of pictures', (body: Buffer) => changed(body, 12), 'format_changed'],
    ['another codec', (body: Buffer) => Buffer.concat([Buffer.from('\x90hvc1', 'latin1'), body]), 'format_changed'],
    ['an unknown codec', (body: Buffer) => changed(body, 0, 0x12), 'unsupported_codec'],
    ['a tag of more than 8 MiB', () => Buffer.alloc(8 * 2 ** 20 + 1, 0x27), 'too_large'],
  ])('with %s', async (_, change, reason) => {
    const header = arrivals.find(({ tag: { type, body } }) => type === 'video' && body[1] === 0)!;
    const other = { atMs: 500, tag: { ...header.tag, timestampMs: 500, body: change(header.tag.body) } };
    const { failure } = await send(tools, [...firstSeconds(0.5), header, other, ...from(0.5)], { untilMs: 1000 });
    expect(failure).toMatchObject({ reason, fault: 'media' });
  });

  it('with more pixels than 4096 × 2304 at 60 pictures a second', async () => {
    // Pictures of that size would need a larger machine.
    const ffprobePath = join(folder, 'ffprobe');
    await writeFile(ffprobePath, '#!/bin/sh\ncat >/dev/null\necho 4096,2304\n', { mode: 0o755 });
    const many = onTime(await clip(tools, { seconds: 8, rate: '240', sound: null }));
    const { failure } = await send({ ...tools, ffprobePath }, many);
    expect(failure).toMatchObject({ reason: 'too_many_pixels', fault: 'media' });
  });

  it('with more waiting bytes than a listener lets wait', async () => {
    const flood = Array.from({ length: 40 }, (_, index) => {
      const body = Buffer.concat([Buffer.from([0x27, 1, 0, 0, 0]), Buffer.alloc(2 ** 21)]);
      return { atMs: 500, tag: { type: 'video' as const, timestampMs: 60_000 + index, body } };
    });
    const ahead = Array.from({ length: 7 }, (_, index) => ({
      atMs: 500,
      tag: { ...tags.find(({ type, body }) => type === 'video' && body[1] === 1)!, timestampMs: 900 * (index + 1) },
    }));
    const { failure } = await send(tools, [...firstSeconds(0.5), ...ahead, ...flood], { untilMs: 1000 });
    expect(failure).toMatchObject({ reason: 'too_large', fault: 'media' });
  });

  it.each(['libx264', '0:v:0', '0:a:0'])('by our fault when its ffmpeg with %s is killed', async (argument) => {
    let isKilled = false;
    const { failure } = await send(tools, arrivals, {
      before: async (_, { atMs }) => {
        if (atMs < 3000 || isKilled) return;
        for (const { pid, commandLine } of await ownTools()) {
          if (!commandLine.includes(argument)) continue;
          process.kill(pid, 'SIGKILL');
          isKilled = true;
        }
      },
    });
    expect(isKilled).toBe(true);
    expect(failure).toMatchObject({ reason: 'tool_failed', fault: 'ours' });
  });

  it('at once when it is closed, without another segment or failure', async () => {
    let closedAt: number | null = null;
    const encoded = await send(tools, arrivals, {
      before: (session, { atMs }) => {
        if (atMs < 2000 || closedAt !== null) return;
        session.close();
        closedAt = atMs;
      },
      waits: false,
    });
    expect(encoded).toMatchObject({ segments: [], failure: null });
  });
});

function isPicture({ tag: { type, body } }: Arrival): boolean {
  return type === 'video' && body[1] === 1;
}

/** The tag with other bytes after its header. */
function withGarbage(arrival: Arrival): Arrival {
  const body = Buffer.from(arrival.tag.body);
  for (let at = 9; at < body.length; at++) body[at] = (at * 7919) % 251;
  return { ...arrival, tag: { ...arrival.tag, body } };
}

function changed(body: Buffer, at: number, value = body[at]! ^ 1): Buffer {
  const copy = Buffer.from(body);
  copy[at] = value;
  return copy;
}
