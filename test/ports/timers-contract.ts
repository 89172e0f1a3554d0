// Behaviour of all timers, whatever their implementation.
import { beforeEach, expect, test, vi } from 'vitest';
import type { CommandQueue } from '../../lambda/ports/command-queue/command-queue.ts';
import type { Timers } from '../../lambda/ports/timers/timers.ts';
import { startConsumer } from './consumer.ts';

export interface TimersUnderTest {
  readonly timers: Timers;
  /** The queue for timers' commands, named 'timers'. */
  readonly commandQueue: CommandQueue;
  /** The number of set timers. */
  readonly armed: () => Promise<number>;
}

/** The AWS emulator looks for due schedules only every 10 s. */
const eventually = { timeout: 40_000, interval: 20 };
const after = (seconds: number) => new Date(Date.now() + seconds * 1000);

/** @param setUp makes timers with none set, before every test */
export function timersContract(setUp: () => Promise<TimersUnderTest>): void {
  let underTest: TimersUnderTest;
  beforeEach(async () => {
    underTest = await setUp();
  });

  test('a timer fires with its body, not before its time, and is gone afterwards', async () => {
    const { timers, commandQueue, armed } = underTest;
    const at = after(1);
    await timers.arm('stream/1 start', at, { streamID: 's1' });
    await using consumer = startConsumer(commandQueue, 'timers');
    await vi.waitFor(() => expect(consumer.bodies()).toEqual([{ streamID: 's1' }]), eventually);
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
    await vi.waitFor(async () => expect(await armed()).toBe(0), eventually);
  });

  test('a timer whose time has passed fires at once', async () => {
    const { timers, commandQueue } = underTest;
    await timers.arm('late', after(-3600), 'late');
    await using consumer = startConsumer(commandQueue, 'timers');
    await vi.waitFor(() => expect(consumer.bodies()).toEqual(['late']), eventually);
  });

  test('a timer that is armed again moves, with another body', async () => {
    const { timers, commandQueue, armed } = underTest;
    await timers.arm('moved', after(3600), 'first');
    await timers.arm('moved', after(1), 'second');
    expect(await armed()).toBe(1);
    await using consumer = startConsumer(commandQueue, 'timers');
    await vi.waitFor(() => expect(consumer.bodies()).toEqual(['second']), eventually);
    await vi.waitFor(async () => expect(await armed()).toBe(0), eventually);
  });

  test('a timer that has fired can be armed again', async () => {
    const { timers, commandQueue, armed } = underTest;
    await timers.arm('again', after(0), 'first');
    await using consumer = startConsumer(commandQueue, 'timers');
    await vi.waitFor(() => expect(consumer.bodies()).toEqual(['first']), eventually);
    await vi.waitFor(async () => expect(await armed()).toBe(0), eventually);
    await timers.arm('again', after(0), 'second');
    await vi.waitFor(() => expect(consumer.bodies()).toEqual(['first', 'second']), eventually);
  });

  test('a timer that is disarmed is gone, and others stay; it can be disarmed twice', async () => {
    const { timers, armed } = underTest;
    await timers.arm('one', after(3600), 1);
    await timers.arm('two', after(3600), 2);
    await timers.disarm('one');
    await timers.disarm('one');
    await timers.disarm('never armed');
    expect(await armed()).toBe(1);
  });

  test('timers with any ids are told apart, whatever their characters and length', async () => {
    const { timers, armed } = underTest;
    const ids = ['a/b', 'a_b', 'a b', 'ä', '', 'x'.repeat(200), `${'x'.repeat(199)}y`];
    for (const id of ids) await timers.arm(id, after(3600), id);
    expect(await armed()).toBe(ids.length);
    for (const id of ids) await timers.disarm(id);
    expect(await armed()).toBe(0);
  });
}
