// The demo: two clips are created, uploaded and streamed in a loop to the built-in ingest, all by the public API.
import { execFile } from 'node:child_process';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface DemoOptions {
  readonly apiURL: string;
  readonly apiKey: string;
  readonly rtmpURL: string;
  readonly ffmpegPath: string;
  readonly mediaFolder: string;
  readonly onProgress: (text: string) => void;
}

interface Clip {
  readonly name: string;
  readonly picture: string;
  readonly sound: string;
}

const clipSeconds = 8;
const destinationName = 'Built-in ingest, for the demo';

/** Clips of different sizes and framerates, like files of users. */
const clips: readonly Clip[] = [
  {
    name: 'dusk.mp4',
    picture:
      'gradients=size=1280x720:rate=30:speed=0.02:c0=0x12233f:c1=0x3b5f8a:c2=0xe3906b:c3=0xf5d3a0:nb_colors=4:seed=7',
    sound: 'sine=frequency=220:sample_rate=48000',
  },
  { name: 'counter.mp4', picture: 'testsrc2=size=960x540:rate=25', sound: 'sine=frequency=330:sample_rate=44100' },
];

/**
 * Creates the demo and waits until it is live. Requests that create a resource have an Idempotency-Key: if a run was
 * killed half way, the next run gets the existing resources and creates the others.
 * @returns the stream's id
 */
export async function makeDemo(options: DemoOptions): Promise<string> {
  const { rtmpURL, onProgress } = options;
  const api = createClient(options);
  await mkdir(options.mediaFolder, { recursive: true });

  onProgress('Making two demo clips');
  const paths = await Promise.all(clips.map((clip) => makeClip(options, clip)));

  onProgress('Uploading them');
  const uploadIDs = await Promise.all(clips.map(({ name }, index) => upload(api, name, paths[index]!)));

  onProgress('Starting the demo stream');
  const destination =
    (await knownDestination(api)) ??
    (await api('POST', '/destinations', { name: destinationName, rtmpURL, streamKey: 'demo' }, 'demo-destination'));
  const settings = { name: 'Demo', quality: 'q_720p', framerate: 'f_30', destinationID: destination['id'] };
  const stream = await api('POST', '/streams', settings, 'demo-stream');
  const playlist = await api(
    'POST',
    '/playlists',
    { streamID: stream['id'], kind: 'video', mode: 'sequential', name: 'Demo' },
    'demo-playlist',
  );
  const operations = uploadIDs.map((uploadID) => ({ op: 'add', uploadID }));
  await api('POST', `/playlists/${playlist['id']}/operations`, { operations }, 'demo-operations');
  await api('POST', `/streams/${stream['id']}/start`, undefined, null);
  await until(async () => (await api('GET', `/streams/${stream['id']}`))['state'] === 'active');
  return stream['id'] as string;
}

/**
 * Sends a request to the API.
 * @throws on any answer other than 2xx
 */
type Api = (
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string | null,
) => Promise<Record<string, unknown>>;

function createClient({ apiURL, apiKey }: DemoOptions): Api {
  return async (method, path, body, idempotencyKey = null) => {
    const response = await fetch(apiURL + path, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return answer;
    throw new Error(`${method} ${path} was answered ${response.status}: ${String(answer['detail'])}`);
  };
}

async function upload(api: Api, name: string, path: string): Promise<unknown> {
  const { size } = await stat(path);
  const { id, uploaded } = await api(
    'POST',
    '/uploads',
    { name, mimeType: 'video/mp4', fileSize: size },
    `demo-upload-${name}`,
  );
  const current = uploaded ? { uploaded } : await api('GET', `/uploads/${String(id)}`);
  if (!current['uploaded']) {
    const target = await api('POST', `/uploads/${String(id)}/upload-url`);
    await using file = await open(path);
    const response = await fetch(target['url'] as string, {
      method: 'PUT',
      headers: target['headers'] as Record<string, string>,
      body: await file.readFile(),
    });
    // 412: an earlier run has sent the bytes, and ended before it called `complete`.
    if (!response.ok && response.status !== 412)
      throw new Error(`The upload of ${name} was answered ${response.status}.`);
    await api('POST', `/uploads/${String(id)}/complete`);
  }
  await until(async () => {
    const { probeState, failure } = await api('GET', `/uploads/${String(id)}`);
    if (probeState === 'failed') throw new Error(`${name} cannot be used: ${JSON.stringify(failure)}`);
    return probeState === 'completed';
  });
  return id;
}

async function makeClip({ ffmpegPath, mediaFolder }: DemoOptions, { name, picture, sound }: Clip): Promise<string> {
  const path = join(mediaFolder, name);
  if (await stat(path).catch(() => null)) return path;
  const part = `${path}.part`;
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, '-t', String(clipSeconds)];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  const audio = ['-c:a', 'aac', '-af', 'volume=0.05', '-ac', '2'];
  const args = ['-nostdin', '-loglevel', 'error', '-y', ...inputs, ...video, ...audio, '-f', 'mp4', part];
  await promisify(execFile)(ffmpegPath, args);
  await rename(part, path);
  return path;
}

/**
 * The demo's destination, if an earlier run has created it before it was killed. The ingest may have had another port
 * then: a request to create the destination would have another address, and its Idempotency-Key would be refused.
 */
async function knownDestination(api: Api): Promise<Record<string, unknown> | undefined> {
  const { data } = (await api('GET', '/destinations')) as { data: Record<string, unknown>[] };
  return data.find(({ name }) => name === destinationName);
}

/** Polls, because the API does not push changes to its clients. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await setTimeout(200);
}
