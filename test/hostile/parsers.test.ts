// Every parser of strangers' bytes with changed samples and random bytes: it answers or refuses, in bounded time.
// HOSTILE_SEED repeats a run; HOSTILE_INPUTS is the number of inputs for each parser.
import { expect, test } from 'vitest';
import { randomNumbers } from '../../lambda/domain/playout/lap-order.ts';
import { parsers } from './parsers.ts';
import type { Parser } from './parsers.ts';

const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const inputs = Number(process.env['HOSTILE_INPUTS'] ?? 2000);
/** Processor time for one input: a few times what the largest file of captions takes on a busy machine. */
const mostMs = 500;

/** Texts that have misled parsers in the field. */
const tricks = [
  '\u0000',
  '\uFFFD',
  '%',
  '%00',
  '"',
  '<',
  '<!--',
  '&#',
  '{',
  '[',
  '\\',
  '://',
  '\r\n\r\n',
  '-->',
  '9'.repeat(40),
];

/** One input: a sample with changes, a repeated piece of it, or random bytes. */
function input({ samples, mostBytes }: Parser, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const sample = Buffer.from(samples[below(samples.length)]!);
  const piece = () => {
    const start = below(sample.length);
    return sample.subarray(start, start + 1 + below(sample.length - start));
  };
  const trick = () => Buffer.from(tricks[below(tricks.length)]!);
  const kinds = [
    () => Buffer.from(Array.from({ length: below(200) }, () => below(256))),
    () => {
      const changed = Buffer.from(sample);
      for (let changes = 1 + below(4); changes > 0; changes--)
        changed[below(changed.length)] = [0, 0x7f, 0x80, 0xff, below(256)][below(5)]!;
      return changed;
    },
    () => sample.subarray(0, below(sample.length)),
    () => Buffer.concat([sample.subarray(0, below(sample.length)), trick(), sample.subarray(below(sample.length))]),
    () => Buffer.alloc(mostBytes, piece()),
    () => Buffer.alloc(mostBytes, trick()),
    () =>
      Buffer.concat([sample, Buffer.alloc(Math.max(0, mostBytes - sample.length), Buffer.concat([piece(), trick()]))]),
  ];
  return kinds[below(kinds.length)]!().subarray(0, mostBytes);
}

test.for(Object.keys(parsers))('%s', { timeout: 600_000 }, async (name) => {
  const parser = parsers[name]!;
  const random = randomNumbers(seed);
  const slow: string[] = [];
  for (let number = 0; number < inputs; number++) {
    const bytes = input(parser, random);
    const before = process.cpuUsage();
    try {
      await parser.read(bytes);
    } catch (error) {
      if (!parser.refuses?.some((kind) => error instanceof kind))
        throw new Error(`seed ${seed}, input ${number}: ${bytes.toString('latin1').slice(0, 200)}`, { cause: error });
    }
    const spent = process.cpuUsage(before);
    const ms = (spent.user + spent.system) / 1000;
    if (ms > mostMs) slow.push(`seed ${seed}, input ${number}: ${ms} ms for ${bytes.length} bytes`);
  }
  expect(slow).toEqual([]);
});
