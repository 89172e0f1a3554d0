// Malicious listings: endless, huge, nested, redirected, and full of links to forbidden addresses.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { scanBounds } from '../../lambda/domain/sources/source-scan.ts';
import { testService } from '../support/service.ts';
import { startScanner, uploadsOf, watch } from './scanner.ts';
import { startSource } from './source-server.ts';
import type { Answer } from './source-server.ts';

const service = testService();

interface Entry {
  readonly href: string;
  readonly isFolder?: boolean;
}

function multistatus(entries: readonly Entry[]): string {
  const responses = entries.map(
    ({ href, isFolder = false }) =>
      `<d:response><d:href>${href}</d:href><d:propstat><d:prop>` +
      `<d:resourcetype>${isFolder ? '<d:collection/>' : ''}</d:resourcetype><d:getcontentlength>1000` +
      '</d:getcontentlength><d:getlastmodified>Tue, 01 Jan 2030 00:00:00 GMT</d:getlastmodified></d:prop>' +
      '<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>',
  );
  return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${responses.join('')}</d:multistatus>`;
}

/** Scans a source whose server gives this answer. */
async function scan(kind: 'webdav' | 'rss' | 's3', answer: Answer, path = '/files/') {
  await using server = await startSource(answer);
  await using _scanner = startScanner(service, { limitFactor: 1 });
  const user = await service.user();
  const credentials = kind === 's3' ? null : { username: 'ada', password: 'a password of tests' };
  const source = await watch(user, { kind, url: server.url(path), credentials });
  return { source, uploads: await uploadsOf(user), requests: server.requests, server };
}

const dav =
  (text: string): Answer =>
  (_request, response) =>
    response.writeHead(207, { 'content-type': 'application/xml' }).end(text);

describe('a WebDAV folder', () => {
  test('links to other hosts, metadata addresses and folders above are not followed', async () => {
    const { source, uploads, requests } = await scan(
      'webdav',
      dav(
        multistatus([
          { href: 'http://169.254.169.254/latest/a.mp4' },
          { href: 'http://169.254.169.254/latest/', isFolder: true },
          { href: '//10.0.0.1/b.mp4' },
          { href: '/elsewhere/c.mp4' },
          { href: '/files/../d.mp4' },
          { href: '/files/%ff.mp4' },
          { href: '/files/a%00.mp4' },
          { href: '/files/', isFolder: true },
          { href: '/files/good.mp4' },
        ]),
      ),
    );
    expect(source).toMatchObject({ state: 'ok', found: 1, reason: { code: 'files_left_out' } });
    expect(uploads.map(({ name }) => name)).toEqual(['good.mp4']);
    expect(requests).toHaveLength(1);
  });

  test('that contains itself ends, and so does one that is ever deeper', async () => {
    const { source, requests } = await scan('webdav', (request, response) => {
      const here = request.url!;
      const entries = [{ href: `${here}a.mp4` }, { href: '/files/', isFolder: true }];
      dav(multistatus([...entries, { href: `${here}x/`, isFolder: true }]))(request, response, 0);
    });
    expect(requests).toHaveLength(scanBounds.depth);
    expect(source).toMatchObject({ found: scanBounds.depth, reason: { code: 'files_left_out' } });
  });

  test('of ever more folders is given up', async () => {
    const { source, requests } = await scan('webdav', (request, response) => {
      const folders = Array.from({ length: 50 }, (_, index) => ({ href: `${request.url!}${index}/`, isFolder: true }));
      dav(multistatus(folders))(request, response, 0);
    });
    expect(source).toMatchObject({ state: 'failing', reason: { code: 'answer_too_large' } });
    expect(requests.length).toBeLessThan(20);
  });

  test('of more files than are watched keeps the first', async () => {
    const files = Array.from({ length: scanBounds.files + 5000 }, (_, index) => ({ href: `/files/${index}.mp4` }));
    const { source } = await scan('webdav', dav(multistatus(files)));
    expect(source).toMatchObject({ found: scanBounds.files, reason: { code: 'files_waiting' } });
  });

  test.each([
    ['an answer without end', 'answer_too_large'],
    ['an answer of 1 GB', 'answer_too_large'],
  ])('%s is cut off', async (what, code) => {
    const { source } = await scan('webdav', (_request, response) => {
      response.writeHead(207, what.includes('GB') ? { 'content-length': 2 ** 30 } : {});
      const chunk = Buffer.alloc(1024 * 1024, 'a');
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pour);
      pour();
    });
    expect(source).toMatchObject({ state: 'failing', reason: { code } });
  });

  const entities = Array.from({ length: 9 }, (_, index) => {
    const [before, after] = [String.fromCharCode(97 + index), String.fromCharCode(98 + index)];
    return `<!ENTITY ${after} "${`&${before};`.repeat(10)}">`;
  });
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${entities.join('')}]>`;
  test.each([
    ['a bomb of entities', `<?xml version="1.0"?>${bomb}${multistatus([{ href: '/files/&j;.mp4' }]).slice(21)}`],
    ['an entity that is a file', multistatus([]).replace('?>', '?><!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]>')],
    ['tags without end', `<d:multistatus xmlns:d="DAV:">${'<d:response>'.repeat(200_000)}`],
    ['no XML', 'a'.repeat(100_000)],
    ['a page', '<!doctype html><html><body>Sign in</body></html>'],
    ['nothing', ''],
  ])('%s harms nobody', async (_what, text) => {
    const { source, uploads } = await scan('webdav', dav(text));
    expect(source.reason?.code ?? 'nothing found').toMatch(/answer_malformed|nothing found/);
    expect(uploads.filter(({ name }) => name.length > 100 || name.includes('root:'))).toEqual([]);
  });

  test('that redirects elsewhere does not get its password there', async () => {
    const seen: (string | undefined)[] = [];
    await using other = await startSource((request, response) => {
      seen.push(request.headers.authorization);
      dav(
        multistatus([
          { href: '/other/', isFolder: true },
          { href: '/other/sub/', isFolder: true },
        ]),
      )(request, response, 0);
    });
    await scan('webdav', (_request, response) =>
      response.writeHead(307, { location: other.url('/other/').replace('127.0.0.1', 'localhost') }).end(),
    );
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  test.each([
    ['to a metadata address', 'http://169.254.169.254/', 'address_forbidden'],
    ['in a circle', '/files/', 'too_many_redirects'],
    ['to no link', 'http://', 'redirect_malformed'],
  ])('that redirects %s is refused', async (_where, location, code) => {
    const { source, requests } = await scan('webdav', (_request, response) =>
      response.writeHead(302, { location }).end(),
    );
    expect(source).toMatchObject({ state: 'failing', reason: { code } });
    expect(requests.length).toBeLessThanOrEqual(scanBounds.redirects + 1);
  });
});

describe('a listing full of markup', () => {
  const attribute = (index: number) => ` a${index.toString(36)}=""`;
  const tag = (index: number) => `<a${index.toString(36)}/>`;
  const filled = (before: string, part: (index: number) => string, after: string, marks: number) =>
    before + Array.from({ length: marks }, (_, index) => part(index)).join('') + after;
  const whole = ['<d:multistatus xmlns:d="DAV:"><d:response', '</d:response></d:multistatus>'] as const;
  const tooMany = scanBounds.marks + 1;

  test.each([
    ['webdav', 'attributes', filled(whole[0], attribute, `>${whole[1]}`, tooMany)],
    ['webdav', 'tags', filled(`${whole[0]}>`, tag, whole[1], tooMany)],
    ['rss', 'attributes', filled('<rss version="2.0"><channel', attribute, '></channel></rss>', tooMany)],
    ['s3', 'tags', filled('<ListBucketResult>', tag, '</ListBucketResult>', tooMany)],
  ] as const)('from %s, as %s, is too large', async (kind, _what, text) => {
    const { source } = await scan(kind, (_request, response) =>
      response.writeHead(kind === 'webdav' ? 207 : 200, { 'content-type': 'application/xml' }).end(text),
    );
    expect(source).toMatchObject({ reason: { code: 'answer_too_large' } });
  });

  // Parsing it takes many seconds. A thread may be busy for as long, but not the one that sends streams.
  test('that is parsed keeps nothing else of this process waiting', async () => {
    const text = filled(`${whole[0]}>`, tag, whole[1], scanBounds.marks / 2);
    const delays = monitorEventLoopDelay({ resolution: 10 });
    const { source } = await scan('webdav', (_request, response) => {
      delays.enable();
      response.writeHead(207, { 'content-type': 'application/xml' }).end(text);
    });
    delays.disable();
    expect(source.reason?.code ?? 'nothing found').toMatch(/answer_malformed|answer_too_large|nothing found/);
    expect(delays.max / 1e6).toBeLessThan(1500);
  });
});

test('a name that leads to a private address is refused where the stage does not allow it', async () => {
  await using server = await startSource(dav(multistatus([])));
  await using _scanner = startScanner(service, {
    source: { allowPrivateAddresses: false },
  });
  const user = await service.user();
  const url = server.url('/').replace('127.0.0.1', 'localhost');
  expect(await watch(user, { kind: 'webdav', url })).toMatchObject({ reason: { code: 'address_forbidden' } });
  expect(server.requests).toEqual([]);
});

test('episodes at addresses that nobody may import from are left out', async () => {
  const urls = ['http://169.254.169.254/a.mp3', 'file:///etc/a.mp3', 'http://[::ffff:169.254.169.254]/b.mp3'];
  const items = [...urls, 'https://cdn.example.org/c.mp3'].map(
    (url, index) => `<item><guid>${index}</guid><enclosure url="${url}" type="audio/mpeg" length="-1"/></item>`,
  );
  const feed = `<rss version="2.0"><channel><title>P</title>${items.join('')}</channel></rss>`;
  const { source, uploads } = await scan('rss', (_request, response) => response.end(feed));
  expect(source).toMatchObject({ found: 1 });
  expect(uploads.map(({ url }) => url)).toEqual(['https://cdn.example.org/c.mp3']);
});

describe('a bucket', () => {
  const page = (contents: string, token: string) =>
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>${contents}` +
    `<NextContinuationToken>${token}</NextContinuationToken></ListBucketResult>`;

  test('of pages without end is given up, and never asked with a signature of ours', async () => {
    const signatures = new Set<string | undefined>();
    const { source, requests } = await scan(
      's3',
      (request, response, number) => {
        signatures.add(request.headers.authorization);
        response.end(page('', String(number)));
      },
      '/bucket/',
    );
    expect(source).toMatchObject({ state: 'failing', reason: { code: 'answer_too_large' } });
    expect(requests).toHaveLength(scanBounds.requests);
    expect([...signatures]).toEqual([undefined]);
  });

  test('has no objects elsewhere, and none whose size is no number of bytes', async () => {
    const objects = [
      ['files/../../other/a.mp4', '10'],
      ['files/../a.mp4', '10'],
      ['files/&#0;.mp4', '10'],
      ['files/half.mp4', '1.5'],
      ['files/good.mp4', '10'],
    ].map(([key, size]) => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`);
    const text = page(objects.join(''), '').replace('true', 'false');
    const { source, uploads, server } = await scan('s3', (_request, response) => response.end(text), '/bucket/files/');
    expect(source).toMatchObject({ state: 'ok', found: 1, reason: { code: 'files_left_out' } });
    expect(uploads.map(({ url }) => url)).toEqual([server.url('/bucket/files/good.mp4')]);
  });

  test.each([
    ['no XML', 'answer_malformed', (): string => 'a'],
    ['tags without end', 'answer_malformed', (): string => '<a>'.repeat(200_000)],
  ])('that answers with %s is malformed', async (_what, code, text) => {
    const { source } = await scan('s3', (_request, response) => response.end(text()), '/bucket/');
    expect(source).toMatchObject({ state: 'failing', reason: { code } });
  });
});
