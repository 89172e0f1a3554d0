// An ingest for pushed HLS, which checks YouTube's requirements and refuses requests that break them.
// The rules: developers.google.com/youtube/v3/live/guides/hls-ingestion.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Certificate } from './certificates.ts';

interface Listed {
  readonly number: number;
  readonly name: string;
  readonly seconds: number;
}

/** Data that one feed, the primary or the backup, has sent. */
interface Copy {
  /** Segments by number, as in playlists. */
  readonly listed: Map<number, Listed>;
  /** The bytes of segments by their names, in the order of arrival. */
  readonly segments: Map<string, Buffer>;
  lastSequence: number;
}

export interface HlsIngest extends AsyncDisposable {
  /** The URL of the primary feed, with a placeholder for the key, and that of the backup. */
  readonly urls: readonly [string, string];
  readonly streamKey: string;
  /** Broken rules. */
  readonly broken: readonly string[];
  /** The number of connections so far. */
  readonly connections: number;
  /** The number of a feed's segments so far. */
  count(copy: 0 | 1): number;
  /** The lengths of a feed's segments in seconds. */
  lengths(copy: 0 | 1): number[];
  /** Writes the segments of a feed into a file, joined in order. */
  join(copy: 0 | 1, folder: string): Promise<string>;
  /**
   * Sets the status of the next answers; null: correct answers.
   * @param files the files that get it
   */
  answerWith(status: number | null, files?: 'all' | 'segments'): void;
  /** Bytes of all bodies that were read to their end, whatever the answer. */
  readonly bytesRead: number;
  /** The number of segments that were read to their end, whatever the answer. */
  readonly segmentsRead: number;
}

const mostOutstanding = 5;
const longestSeconds = 5;
const [packetBytes, tableMapPid] = [188, 0x1000];
const knownTags = /^#(?:EXTM3U|EXT-X-VERSION:3|EXT-X-TARGETDURATION:\d+|EXT-X-MEDIA-SEQUENCE:\d+|EXTINF:[\d.]+,)$/;

/** @param certificate for localhost */
export async function startHlsIngest(certificate: Certificate): Promise<HlsIngest> {
  const streamKey = 'abcd-efgh-ijkl';
  const copies: readonly [Copy, Copy] = [emptyCopy(), emptyCopy()];
  const names = new Set<string>();
  const broken: string[] = [];
  let [connections, bytesRead, segmentsRead, forcedStatus] = [0, 0, 0, null as number | null];
  let forcedFiles = /./;

  const breaks = (rule: string): 400 => {
    broken.push(rule);
    return 400;
  };

  function takePlaylist(copy: Copy, text: string): number {
    const lines = text.trimEnd().split('\n');
    const strange = lines.find((line) => line.startsWith('#') && !knownTags.test(line));
    if (lines[0] !== '#EXTM3U' || strange) return breaks(`a playlist has ${strange ?? 'no beginning'}`);
    const tag = (name: string) => Number(lines.find((line) => line.startsWith(`#${name}:`))?.split(':')[1]);
    const sequence = tag('EXT-X-MEDIA-SEQUENCE');
    if (copy.lastSequence < 0 && sequence !== 0) breaks(`the first playlist begins at ${sequence}`);
    if (sequence < copy.lastSequence) breaks(`after ${copy.lastSequence}, a playlist begins at ${sequence}`);
    copy.lastSequence = sequence;
    const entries = lines.flatMap((line, index) =>
      line.startsWith('#') ? [] : [{ name: line, seconds: Number(lines[index - 1]!.slice('#EXTINF:'.length, -1)) }],
    );
    for (const [index, entry] of entries.entries()) {
      const known = copy.listed.get(sequence + index);
      if (known && known.name !== entry.name) breaks(`segment ${sequence + index} has two names`);
      if (entry.seconds > longestSeconds) breaks(`a segment lasts ${entry.seconds} seconds`);
      if (Math.round(entry.seconds) > tag('EXT-X-TARGETDURATION')) breaks('a segment is longer than the target');
      if (!/^[\w/.-]+\.ts$/.test(entry.name)) breaks(`a segment is called ${entry.name}`);
      copy.listed.set(sequence + index, { ...entry, number: sequence + index });
    }
    const outstanding = entries.filter(({ name }) => !copy.segments.has(name));
    if (outstanding.length > mostOutstanding) breaks(`a playlist has ${outstanding.length} outstanding segments`);
    return 200;
  }

  function takeSegment(copy: Copy, name: string, bytes: Buffer): number {
    // A file that is sent again after a lost answer must have the same bytes.
    if (copy.segments.get(name)?.equals(bytes)) return 200;
    if (names.has(name)) breaks(`${name} comes twice`);
    names.add(name);
    const isListed = copy.listed.values().some((listed) => listed.name === name);
    if (!isListed) breaks(`${name} comes before its playlist`);
    const pids = [0, packetBytes].map((at) => bytes.readUInt16BE(at + 1) & 0x1fff);
    if (bytes.length % packetBytes !== 0 || bytes[0] !== 0x47) breaks(`${name} is no transport stream`);
    if (pids[0] !== 0 || pids[1] !== tableMapPid) breaks(`${name} does not begin with both tables`);
    copy.segments.set(name, bytes);
    return 200;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'https://localhost');
    const bytes = await buffer(request);
    bytesRead += bytes.length;
    const file = /[?&]file=(.*)$/.exec(url.search)?.[1] ?? '';
    if (file.endsWith('.ts')) segmentsRead++;
    const copy = copies[Number(url.searchParams.get('copy'))];
    const status = (): number => {
      if (forcedStatus !== null && forcedFiles.test(file)) return forcedStatus;
      if (request.method !== 'PUT') return (breaks(`a ${request.method}`), 405);
      if (url.searchParams.get('cid') !== streamKey) return 401;
      if (url.pathname !== '/http_upload_hls' || !copy) return breaks(`a request of ${url.pathname}`);
      if (!/^[\w/.-]+$/.test(file)) return breaks(`a file is called ${file}`);
      if (!/^\S+ \/ \S+ \/ \S+$/.test(request.headers['user-agent'] ?? '')) breaks('the agent does not say who it is');
      if (/\.m3u8?$/.test(file)) return takePlaylist(copy, bytes.toString());
      return file.endsWith('.ts') ? takeSegment(copy, file, bytes) : breaks(`a file is called ${file}`);
    };
    response.writeHead(status()).end();
  }

  const server = createServer(certificate, (request, response) => void answer(request, response).catch(() => {}));
  server.on('secureConnection', () => connections++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const inOrder = (copy: 0 | 1) =>
    [...copies[copy].listed.values()]
      .filter(({ name }) => copies[copy].segments.has(name))
      .sort((one, other) => one.number - other.number);
  const urlOf = (copy: 0 | 1) => `https://localhost:${port}/http_upload_hls?cid={streamKey}&copy=${copy}&file=`;
  return {
    urls: [urlOf(0), urlOf(1)],
    streamKey,
    broken,
    get connections() {
      return connections;
    },
    count: (copy) => copies[copy].segments.size,
    lengths: (copy) => inOrder(copy).map(({ seconds }) => seconds),
    async join(copy, folder) {
      const path = join(folder, `copy-${copy}.ts`);
      await writeFile(path, Buffer.concat(inOrder(copy).map(({ name }) => copies[copy].segments.get(name)!)));
      return path;
    },
    get bytesRead() {
      return bytesRead;
    },
    get segmentsRead() {
      return segmentsRead;
    },
    answerWith(status, files = 'all') {
      forcedStatus = status;
      forcedFiles = files === 'all' ? /./ : /\.ts$/;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function emptyCopy(): Copy {
  return { listed: new Map(), segments: new Map(), lastSequence: -1 };
}
