// The reported on-air history equals the destination's recording, frame by frame, and is complete.
// The run includes a publication, the death of an agent, a reset and a pause of the destination.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../support/barcode-clip.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { ssimOf } from '../support/picture-likeness.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import { startRecordingFront } from '../support/recording-front.ts';
import type { RecordingFront } from '../support/recording-front.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Duration of the run: a minute and a half in the suite; it should also pass with 20 minutes. */
const minutes = Number(process.env['AIR_MINUTES'] ?? 1.5);
const fps = 30;
/** Seconds of the clips by their number. The last one is published while the stream is live. */
const clips = [7, 5, 9, 6, 4];
const verifier = join(import.meta.dirname, '../../bin/verify-on-air.mjs');

interface Row {
  readonly startAt: string;
  readonly name: string;
  readonly aired: readonly { readonly fromSeconds: number; readonly toSeconds: number }[] | null;
}

/** Frames of one playing of an item: `from` is the first, `to` the first after them. */
interface Stretch {
  readonly playing: string;
  readonly from: number;
  readonly to: number;
}

const run = testLocalRun('--no-demo', '--agents', '2');

describe.each(['manifest', 'ffmpeg'] as const)(
  `${minutes} minutes of the backend %s`,
  { timeout: (minutes + 4) * 60_000 },
  (streamBackend) => {
    let tools: MediaTools;
    let folder: string;
    let front: RecordingFront;
    let streamID: string;
    let rows: Row[];
    /** The recorded stretches, by playing. */
    let recorded: Stretch[];
    let day: string;
    /** The place of the last recording of each frame of a playing. */
    let placeOf: Map<string, { readonly file: string; readonly index: number }>;
    /** The picture that was reported as on air at a time, fetched at that time. */
    let picture: Buffer;
    let pictureAt: Date;

    beforeAll(
      async () => {
        tools = await findMediaTools(process.env);
        folder = await mkdtemp(join(tmpdir(), 'as-run-'));
        const files: string[] = [];
        for (const [clip, seconds] of clips.entries())
          files.push(await makeBarcodeClip(tools, join(folder, `${clip}.mp4`), clip, seconds));
        const uploads: string[] = [];
        for (const file of files) uploads.push(await uploadFile(run.api, file, 'video/mp4'));
        front = await startRecordingFront(tools, folder);
        const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend };
        streamID = await createLoop(run.api, uploads.slice(0, -1), front.target, settings);
        const [playlistID] = (await run.api('GET', `/streams/${streamID}`)).playlistIDs;
        // Until the item is prepared, a stand-in replaces it.
        await run.api('PATCH', `/streams/${streamID}`, { preparedPlaylistIDs: [playlistID] });
        const isPrepared = async () => (await run.api('GET', `/streams/${streamID}`)).preparedShare === 1;
        if (streamBackend === 'manifest') await until(isPrepared);
        await run.api('POST', `/streams/${streamID}/start`);
        await untilActive(run.api, streamID);
        const { startedAt } = await run.api('GET', `/streams/${streamID}`);
        day = startedAt.slice(0, 'YYYY-MM-DD'.length);
        const untilShare = async (share: number) => {
          await delay(Math.max(0, Date.parse(startedAt) + share * minutes * 60_000 - Date.now()));
          await untilAmidItem();
        };

        await untilShare(0.15);
        await run.api('POST', `/playlists/${playlistID}/operations`, {
          operations: [{ op: 'add', uploadID: uploads.at(-1) }],
        });
        await run.api('POST', `/playlists/${playlistID}/publish`);
        await untilShare(0.35);
        await killHolder();
        await untilShare(0.6);
        const before = front.connections;
        front.reset();
        await until(async () => front.connections > before);
        await untilShare(0.8);
        front.pause();
        await delay(3000);
        front.resume();
        await untilShare(1);
        pictureAt = new Date();
        const picturePath = `/streams/${streamID}/frame?at=${pictureAt.toISOString()}&width=1280`;
        const headers = { 'x-api-key': run.connection.apiKey };
        picture = Buffer.from(await (await fetch(run.connection.apiURL + picturePath, { headers })).arrayBuffer());
        await run.api('POST', `/streams/${streamID}/stop`);
        await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');

        const from = new Date(Date.parse(startedAt) - 60_000).toISOString();
        const page = await run.api('GET', `/streams/${streamID}/timeline?from=${from}&limit=1000`);
        rows = page.data;
        recorded = [];
        placeOf = new Map();
        for (const { file, beganAtMs } of await front.finish()) recorded.push(...(await playingsOf(file, beganAtMs)));
      },
      (minutes + 4) * 60_000,
    );
    afterAll(async () => {
      await front[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });

    /** Waits until the current item began some seconds ago and will last for some more. */
    async function untilAmidItem(): Promise<void> {
      await until(async () => {
        const [now] = (await run.api('GET', `/streams/${streamID}/timeline?limit=1`)).data;
        return now.positionSeconds > 2.5 && Date.parse(now.endAt) - Date.now() > 1500;
      });
    }

    /** The publishing agent is not visible from outside: kills agents one after the other until it was that one. */
    async function killHolder(): Promise<void> {
      const before = front.connections;
      const { since } = (await run.api('GET', `/streams/${streamID}`)).replicas[0];
      for (const { pid } of await nodeProcessesOf(run.process.pid!)) {
        process.kill(pid, 'SIGKILL');
        const isReplaced = async () => (await nodeProcessesOf(run.process.pid!)).every((agent) => agent.pid !== pid);
        await until(async () => (await isReplaced()) && (await nodeProcessesOf(run.process.pid!)).length === 2);
        if ((await run.api('GET', `/streams/${streamID}`)).replicas[0]?.since !== since) break;
      }
      await until(async () => front.connections > before);
      await untilActive(run.api, streamID);
    }

    /** The planned playings in a recording; if a clip has several, the nearest in time. */
    async function playingsOf(file: string, beganAtMs: number): Promise<Stretch[]> {
      const found: Stretch[] = [];
      for (const [index, { clip, frame }] of (await readBarcodes(tools, file)).entries()) {
        const last = found.at(-1);
        if (last?.to === frame && rowOf(last.playing).name === `${clip}.mp4`) {
          placeOf.set(`${last.playing} ${frame}`, { file, index });
          found[found.length - 1] = { ...last, to: frame + 1 };
          continue;
        }
        const shownAtMs = beganAtMs + (index / fps) * 1000;
        const distance = ({ startAt }: Row) => Math.abs(Date.parse(startAt) + (frame / fps) * 1000 - shownAtMs);
        const ofClip = rows.filter(({ name }) => name === `${clip}.mp4`);
        const playing = ofClip.reduce((a, b) => (distance(a) < distance(b) ? a : b)).startAt;
        placeOf.set(`${playing} ${frame}`, { file, index });
        found.push({ playing, from: frame, to: frame + 1 });
      }
      return found;
    }

    const rowOf = (playing: string) => rows.find(({ startAt }) => startAt === playing)!;

    const claimed = () =>
      rows.flatMap(({ startAt, aired }) =>
        (aired ?? []).map(({ fromSeconds, toSeconds }): Stretch => ({
          playing: startAt,
          from: Math.round(fromSeconds * fps),
          to: Math.round(toSeconds * fps),
        })),
      );
    const framesOf = (stretches: readonly Stretch[]) =>
      new Set(
        stretches.flatMap(({ playing, from, to }) =>
          Array.from({ length: to - from }, (_, index) => `${playing} ${from + index}`),
        ),
      );

    it('claim nothing that was not recorded', () => {
      const seen = framesOf(recorded);
      expect([...framesOf(claimed())].filter((frame) => !seen.has(frame))).toEqual([]);
    });

    it('name every item that was recorded, with its first frame', () => {
      expect(front.connections).toBeGreaterThanOrEqual(3);
      const firstOf = (stretches: readonly Stretch[]) => {
        const first = new Map<string, number>();
        for (const { playing, from } of stretches) first.set(playing, Math.min(from, first.get(playing) ?? Infinity));
        return first;
      };
      const said = firstOf(claimed());
      for (const [playing, frame] of firstOf(recorded)) {
        expect(said.has(playing), `${playing} is named`).toBe(true);
        expect(Math.abs(said.get(playing)! - frame) * (1000 / fps)).toBeLessThan(40);
      }
      expect(new Set(recorded.map(({ playing }) => rowOf(playing).name)).size).toBe(clips.length);
      const [seen, told] = [framesOf(recorded), framesOf(claimed())];
      const missing = [...seen].filter((frame) => !told.has(frame));
      console.log(`${streamBackend}: ${seen.size} frames recorded, ${missing.length} of them not claimed`);
      expect(missing.length).toBeLessThan(10 * fps);
    });

    it('show by a picture of now the frame that was recorded then', async () => {
      const playing = rows.findLast(({ startAt }) => Date.parse(startAt) <= pictureAt.getTime())!.startAt;
      const frame = Math.floor(((pictureAt.getTime() - Date.parse(playing)) / 1000) * fps + 1e-6);
      const { file, index } = placeOf.get(`${playing} ${frame}`)!;
      const shown = join(folder, 'now.jpg');
      await writeFile(shown, picture);
      const ssim = await ssimOf(tools, shown, file, index);
      console.log(`${streamBackend}: the picture of now has an SSIM of ${ssim}`);
      expect(ssim).toBeGreaterThanOrEqual(0.99);
    });

    it('are the same by the verifier, from the signed statement, the keys and the files', async () => {
      const { statement } = await run.api('GET', `/streams/${streamID}/proof?day=${day}`);
      const [statementPath, jwksPath] = [join(folder, 'statement'), join(folder, 'jwks.json')];
      await writeFile(statementPath, statement);
      const { origin } = new URL(run.connection.apiURL);
      await writeFile(jwksPath, await (await fetch(`${origin}/api/auth/jwks`)).text());
      const files = clips.map((_, clip) => join(folder, `${clip}.mp4`));
      const { stdout } = await promisify(execFile)(process.execPath, [verifier, statementPath, jwksPath, ...files]);
      const lines = stdout.trimEnd().split('\n').slice(1);
      const stretches = lines.map((line) => {
        const [playing, , , , from, to] = line.split(',');
        return { playing: playing!, from: Math.round(Number(from) * fps), to: Math.round(Number(to) * fps) };
      });
      expect(stretches).toEqual(claimed());
      const [file] = files;
      const changed = await readFile(file!);
      changed[1000]! ^= 1;
      await writeFile(file!, changed);
      const verifyChanged = promisify(execFile)(process.execPath, [verifier, statementPath, jwksPath, file!]);
      await expect(verifyChanged).rejects.toThrow(/none of the files/);
    });
  },
);
