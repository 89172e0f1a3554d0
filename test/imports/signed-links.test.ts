// Links to files in buckets: signed without any request, and abandoned when an import ends.
import { expect, test } from 'vitest';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import { ImportRun } from '../../lambda/imports/import-run.ts';
import type { ImportRunOptions } from '../../lambda/imports/import-run.ts';
import { presignedURL } from '../../lambda/imports/sources/s3-client.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { startSource } from './source-server.ts';

const keys = { accessKeyID: 'a key of tests', secretAccessKey: 'a secret of tests' };

test.each(['bucket', 'mine--use1-az4--x-s3', 'mine--op-s3'])(
  'are signed for %s, and nobody is asked',
  async (bucket) => {
    await using server = await startSource((_request, response) => response.end());
    const endpoint = server.url('').replace('127.0.0.1', 'localhost');
    const url = new URL(await presignedURL({ endpoint, region: 'us-east-1', bucket, key: 'a b.mp4' }, keys));
    expect(url.host.endsWith(new URL(endpoint).host)).toBe(true);
    expect(url.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(server.requests).toEqual([]);
  },
);

test('that never come do not hold an import that ends', async () => {
  const ending = new AbortController();
  const reason = new Error('the worker ends');
  const run = new ImportRun({
    claim: { object_key: 'uploads/a', multipart_id: null, source_version: null, seconds_left: 60 },
    objects: { head: async () => null },
    source: { allowPrivateAddresses: true, resolve: createNameResolver(), limits: importLimits },
    link: () => {
      setImmediate(() => ending.abort(reason));
      return new Promise(() => {});
    },
    log: () => {},
  } as unknown as ImportRunOptions);
  await expect(run.fetch(ending.signal)).rejects.toBe(reason);
});
