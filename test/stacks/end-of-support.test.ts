// The end of support of the versions that a stage runs: the test fails months before it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const templates = join(import.meta.dirname, 'templates');
/** The days for an upgrade: to try the next version, to release it, and to deploy it to all stages. */
const noticeDays = 90;

/**
 * The last days of fixes for each version.
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html
 * https://docs.aws.amazon.com/linux/al2023/ug/release-cadence.html
 * https://www.postgresql.org/support/versioning/ (RDS supports a version some months longer)
 * https://wiki.debian.org/DebianReleases
 */
const ends: Readonly<Record<string, string>> = {
  'nodejs22.x': '2027-04-30',
  'nodejs24.x': '2028-04-30',
  'python3.13': '2029-06-30',
  'postgres 18': '2030-11-14',
  'node:24': '2028-04-30',
  trixie: '2028-08-09',
  al2023: '2029-06-30',
  // The language of CloudFront’s functions has no end.
  'cloudfront-js-2.0': '9999-12-31',
};

/** All matches of a pattern's first group in the templates of dev and prod. */
function inTemplates(pattern: RegExp): string[] {
  const files = readdirSync(templates, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return files.flatMap((file) =>
    [...readFileSync(join(templates, file), 'utf8').matchAll(pattern)].map(([, found]) => found!),
  );
}

test('no version that a stage runs ends its support within months', () => {
  const dockerfile = readFileSync(join(root, 'lambda/publisher/Dockerfile'), 'utf8');
  const images = [...dockerfile.matchAll(/^FROM .*?(node:\d+)-(\w+)/gm)].flatMap(([, node, debian]) => [
    node!,
    debian!,
  ]);
  const machines = inTemplates(/\/aws\/service\/[^"]*?(amazon-linux-\d+|al\d+)/g);
  const runs = new Set([
    ...inTemplates(/"Runtime": "([^"]+)"/g),
    ...inTemplates(/"EngineVersion": "(\d+)/g).map((version) => `postgres ${version}`),
    ...images,
    ...machines.map((name) => name.replace('amazon-linux-', 'al')),
  ]);
  expect([...runs].filter((name) => !(name in ends))).toEqual([]);
  expect(Object.keys(ends).filter((name) => !runs.has(name))).toEqual([]);
  const lastDay = Date.now() + noticeDays * 24 * 3_600_000;
  expect([...runs].filter((name) => Date.parse(ends[name]!) < lastDay)).toEqual([]);
});
