// Changes after a scan of a source: for lists of files that are easy to check, and for any lists.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  afterFailedScan,
  folderOfFile,
  isMediaFile,
  planScan,
  scanBounds,
} from '../../../lambda/domain/sources/source-scan.ts';
import type { KnownFile, ListedFile } from '../../../lambda/domain/sources/source-scan.ts';
import { faultOfSourceURL, s3Place, s3URL } from '../../../lambda/domain/sources/source-url.ts';

const listed = (path: string, version: string, more: Partial<ListedFile> = {}): ListedFile => ({
  path,
  version,
  fingerprint: version,
  url: `https://example.org/${path}`,
  name: path,
  below: '',
  sizeBytes: 1,
  isSettling: false,
  ...more,
});
const known = (path: string, version: string, isRemoved = false): KnownFile => ({
  path,
  version,
  fingerprint: version,
  isRemoved,
  isRetried: false,
});
const nothing = { fetched: [], renamed: [], returned: [], removed: [], forgotten: [] };

describe('a look', () => {
  test('finds new and changed files, marks those that are gone, and takes back those that are there again', () => {
    const before = [known('same', '1'), known('changed', '2'), known('gone', '3'), known('back', '4', true)];
    const now = [listed('same', '1'), listed('changed', '5'), listed('back', '4'), listed('new', '6')];
    const plan = planScan(before, now, true);
    expect(plan.fetched.map(({ path }) => path)).toEqual(['changed', 'new']);
    expect(plan).toMatchObject({ renamed: [], returned: ['back'], removed: ['gone'] });
  });

  test('takes a file for renamed only where nobody can doubt it', () => {
    const to = listed('b', '1');
    expect(planScan([known('a', '1')], [to], true)).toEqual({ ...nothing, renamed: [{ from: 'a', to }] });
    const two = [listed('b', '1'), listed('c', '1')];
    expect(planScan([known('a', '1')], two, true)).toEqual({ ...nothing, fetched: two, removed: ['a'] });
    const nameless = listed('b', '1', { fingerprint: null });
    expect(planScan([known('a', '1')], [nameless], true)).toMatchObject({ fetched: [nameless], removed: ['a'] });
  });

  test('that has not seen everything takes nothing for gone', () => {
    expect(planScan([known('a', '1')], [listed('b', '1')], false)).toMatchObject({ renamed: [], removed: [] });
  });

  test('forgets the first of the files that a source has no more, beyond as many as it may have', () => {
    const gone = Array.from({ length: scanBounds.files }, (_, index) => known(`gone ${index}`, '1', true));
    const before = [known('here', '2'), known('going', '3'), known('moving', '4'), ...gone];
    const now = [listed('here', '2'), listed('moved', '4')];
    expect(planScan(before, now, true)).toMatchObject({ removed: ['going'], forgotten: [gone.at(-1)!.path] });
    // It is unknown whether files beyond the listed ones exist.
    expect(planScan(before, now, false).forgotten).toEqual(gone.slice(-2).map(({ path }) => path));
  });

  test('fetches what has failed once more when it is time, as far as it is there', () => {
    const before = [{ ...known('a', '1'), isRetried: true }, { ...known('b', '2'), isRetried: true }, known('c', '3')];
    const now = [listed('a', '1'), listed('c', '3')];
    expect(planScan(before, now, true)).toEqual({ ...nothing, fetched: now.slice(0, 1), removed: ['b'] });
  });

  test('leaves what is being written, and does not take it for gone', () => {
    const now = [listed('a', '2', { isSettling: true })];
    expect(planScan([known('a', '1')], now, true)).toEqual(nothing);
  });

  test('after another one that saw the same changes nothing', () => {
    const file = fc.record({
      path: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      version: fc.constantFrom('1', '2', '3', '4'),
    });
    const files = fc.uniqueArray(file, { selector: ({ path }) => path });
    fc.assert(
      fc.property(files, files, (first, second) => {
        const before = first.map(({ path, version }) => known(path, version));
        const now = second.map(({ path, version }) => listed(path, version));
        const { fetched, renamed, removed } = planScan(before, now, true);
        const gone = new Set([...removed, ...renamed.map(({ from }) => from)]);
        const after = before
          .filter(({ path }) => !gone.has(path) && !fetched.some((one) => one.path === path))
          .concat([...fetched, ...renamed.map(({ to }) => to)].map(({ path, version }) => known(path, version)))
          .concat(removed.map((path) => known(path, before.find((one) => one.path === path)!.version, true)));
        expect(planScan(after, now, true)).toEqual(nothing);
        // Nothing is lost, and no existing file is fetched.
        expect(new Set(after.filter(({ isRemoved }) => !isRemoved).map(({ path }) => path))).toEqual(
          new Set(now.map(({ path }) => path)),
        );
      }),
    );
  });
});

test('a fault that may pass is told after an hour, and any other at once', () => {
  expect(afterFailedScan(60, 0, true)).toEqual({ isFailing: false, nextScanMinutes: 10 });
  expect(afterFailedScan(60, 59, true)).toEqual({ isFailing: false, nextScanMinutes: 10 });
  expect(afterFailedScan(60, 60, true)).toEqual({ isFailing: true, nextScanMinutes: 60 });
  expect(afterFailedScan(60, 0, false)).toEqual({ isFailing: true, nextScanMinutes: 60 });
});

it.each([
  ['a.mp4', '', true],
  ['a.MKV', '', true],
  ['a.txt', '', false],
  ['._a.mp4', '', false],
  ['stream', 'video/mp4', true],
  ['list.m3u8', 'audio/x-mpegurl', false],
])('%s of the type “%s”: media is %s', (name, type, isMedia) => {
  expect(isMediaFile(name, type)).toBe(isMedia);
});

test('folders of a source are folders below, where such folders can be', () => {
  expect(folderOfFile('Shows', { below: 'One/Two' })).toBe('Shows/One/Two');
  expect(folderOfFile('', { below: 'One' })).toBe('One');
  expect(folderOfFile('Shows', { below: ' One' })).toBe('Shows');
  expect(folderOfFile('Shows', { below: 'a/b/c/d/e/f/g/h' })).toBe('Shows');
});

describe('the URL of a source', () => {
  const rules = { allowPrivateAddresses: false };

  it('of a bucket has an endpoint, a bucket and a prefix', () => {
    const place = s3Place('https://s3.eu-west-1.amazonaws.com/my-bucket/a%20b/c')!;
    expect(place).toEqual({
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
      bucket: 'my-bucket',
      key: 'a b/c',
    });
    expect(s3URL(place)).toBe('https://s3.eu-west-1.amazonaws.com/my-bucket/a%20b/c');
    expect(s3Place('https://minio.example.org/videos')).toMatchObject({ region: 'us-east-1', key: '' });
    expect(faultOfSourceURL('s3', 'https://s3.eu-west-1.amazonaws.com/', rules)?.detail).toMatch(/ENDPOINT/);
  });

  it.each([
    ['s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['s3-us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['s3.dualstack.eu-central-1.amazonaws.com', 'eu-central-1'],
    ['s3.ap-southeast-2.wasabisys.com', 'ap-southeast-2'],
    ['s3.amazonaws.com', 'us-east-1'],
    ['s3.wasabisys.com', 'us-east-1'],
    ['storage.example.org', 'us-east-1'],
  ])('at %s is in %s', (host, region) => {
    expect(s3Place(`https://${host}/bucket/`)).toMatchObject({ endpoint: `https://${host}`, region });
  });

  it.each(['mine--use1-az4--x-s3', 'mine--use1-az4--xa-s3', 'mine--op-s3'])(
    'names no bucket %s, which clients would ask for elsewhere',
    (bucket) => {
      expect(s3Place(`https://s3.example.org/${bucket}/`)).toBeNull();
    },
  );

  it('names an object, unless its key would lead to another one', () => {
    const place = { endpoint: 'https://s3.example.org', bucket: 'bucket' };
    for (const key of ['../other/a.mp4', 'a/../../b.mp4', './a.mp4', 'a/.', '..', 'a\ud800.mp4'])
      expect(s3URL({ ...place, key })).toBeNull();
    for (const key of ['a//b..mp4', '/a', '%2e%2e/a', '...', 'a?b#c\\d.mp4'])
      expect(s3Place(s3URL({ ...place, key })!)).toMatchObject({ ...place, key });
  });

  it('is refused where nobody may import from', () => {
    expect(faultOfSourceURL('webdav', 'http://169.254.169.254/', rules)).toMatchObject({ isForbidden: true });
    expect(faultOfSourceURL('rss', 'https://a:b@example.org/', rules)).toMatchObject({ isForbidden: false });
    expect(faultOfSourceURL('rss', 'https://example.org/?token=1', rules)).toBeNull();
    expect(faultOfSourceURL('webdav', 'https://example.org/?a', rules)?.detail).toMatch(/query/);
  });
});
