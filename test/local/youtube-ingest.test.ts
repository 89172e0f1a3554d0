// The YouTube stand-in sees the media at the local ingest, and keeps its state.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startRtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { Ingest } from '../../lambda/ports/managed-platforms/broadcasts.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { connectPublisher } from '../../lambda/publisher/rtmp/rtmp-client.ts';
import { youtubeOfTest } from '../support/youtube.ts';

const { ffmpegPath } = await findMediaTools(process.env);
const youtube = youtubeOfTest({ startingMs: 100, autoStartMs: 100 });
const request = { label: 'Night radio', heldID: null, accountID: 'UC-local-loops' };
let sink: RtmpSink;
let access: string;
let ingest: Ingest;

beforeEach(async () => {
  sink = await startRtmpSink({ port: 0 });
  onTestFinished(() => sink.close());
  youtube.useIngest(sink);
  ({ accessToken: access } = await youtube.consent());
  ingest = await youtube.platform.ensureIngest(access, request);
});

async function prepare(autoStart: boolean): Promise<string> {
  const { broadcasts } = youtube.platform;
  const { externalID } = await broadcasts!.insert(access, {
    title: 'Night radio',
    description: '',
    scheduledStartAt: new Date(Date.now() + 60_000),
    privacy: 'private',
    categoryID: null,
    tags: [],
    madeForKids: false,
    latency: 'normal',
    dvr: true,
    autoStart,
  });
  await broadcasts!.bind(access, externalID, ingest.externalID!);
  return externalID;
}

/** Sends a test picture, with a tone by default, until the test ends or it is killed. */
function publish(url: string, { hasSound = true } = {}) {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30'];
  const sound = hasSound ? ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100', '-c:a', 'aac'] : [];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-b:v', '1M', '-pix_fmt', 'yuv420p'];
  const target = ['-f', 'flv', `${url}/${ingest.key}`];
  const ffmpeg = spawn(ffmpegPath, ['-v', 'error', '-nostdin', '-re', ...picture, ...sound, ...video, ...target]);
  onTestFinished(() => void ffmpeg.kill('SIGKILL'));
  return ffmpeg;
}

const observe = async (id: string) => (await youtube.platform.broadcasts!.observe(access, [id]))[0];
const patience = { timeout: 30_000, interval: 200 };

describe('the ingest of what stands for YouTube', () => {
  it('has a broadcast live while video and sound come, and tells when they are gone', async () => {
    const id = await prepare(true);
    const ffmpeg = publish(ingest.url);
    await expect.poll(() => observe(id), patience).toMatchObject({ phase: 'live', ingest: 'active' });
    ffmpeg.kill('SIGKILL');
    const gone = { phase: 'live', ingest: 'inactive', health: { state: 'no_data' } };
    await expect.poll(() => observe(id), patience).toMatchObject(gone);
    publish(ingest.backupURL!);
    await expect.poll(() => observe(id), patience).toMatchObject({ phase: 'live', ingest: 'active' });
  });

  it('never has one live by pictures alone', async () => {
    const id = await prepare(true);
    publish(ingest.url, { hasSound: false });
    const silent = {
      phase: 'prepared',
      ingest: 'inactive',
      health: { state: 'bad', issues: [{ type: 'noAudioStream' }] },
    };
    await expect.poll(() => observe(id), patience).toMatchObject(silent);
  });

  it('takes only the keys that were given out', async () => {
    const connect = (app: string, streamKey: string) => {
      const target = { url: `rtmp://127.0.0.1:${sink.port}/${app}`, streamKey };
      const options = { allowPrivateAddresses: true, connectTimeoutMs: 20_000 };
      return connectPublisher(target, options, new AbortController().signal);
    };
    for (const app of ['live2', 'live2?backup=1']) {
      await expect(connect(app, 'a-key-of-nobody')).rejects.toThrow(/refused the stream key/);
      await (await connect(app, ingest.key)).close();
    }
    await (await connect('live', 'any-key')).close();
  });
});

describe('what stands for YouTube', () => {
  it('remembers after a restart what was connected and prepared, and which grants were revoked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'youtube-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'youtube.json');
    youtube.begin(file);
    const kept = await youtube.consent();
    access = kept.accessToken;
    ingest = await youtube.platform.ensureIngest(access, request);
    const id = await prepare(false);
    const ended = await youtube.consent('UC-local-second');
    await youtube.platform.revoke(ended);
    youtube.begin(file);
    expect(await youtube.platform.ensureIngest(access, { ...request, heldID: ingest.externalID })).toEqual(ingest);
    expect(await observe(id)).toMatchObject({ phase: 'prepared' });
    expect((await youtube.platform.refresh(kept)).refreshToken).toBe(kept.refreshToken);
    await expect(youtube.platform.refresh(ended)).rejects.toMatchObject({ code: 'grant_revoked' });
    expect(await readFile(file, 'utf8')).not.toContain(kept.refreshToken);
    const { channels } = await youtube.admin({ action: 'revoke' });
    expect(JSON.stringify(channels)).not.toContain(ingest.key);
    youtube.begin(file);
    await expect(youtube.platform.refresh(kept)).rejects.toMatchObject({ code: 'grant_revoked' });
  });
});
