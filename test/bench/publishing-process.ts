// A process that sends streams for a bench, and reports the cost.
// It sends prepared media to an RTMP server, or the same number of bytes to a plain socket.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { formatOfItem } from '../../lambda/domain/playout/rendition.ts';
import type { PictureFormat } from '../../lambda/domain/playout/rendition.ts';
import type { TakeoverInterval } from '../../lambda/domain/live/takeover-intervals.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { observeAgent } from '../../lambda/publisher/agent/agent-measures.ts';
import { Figures } from '../../lambda/publisher/replica/figures.ts';
import { preparedMedia } from '../../lambda/publisher/prepared/prepared-media.ts';
import { SegmentStore } from '../../lambda/publisher/prepared/segment-store.ts';
import { SendSchedule, phaseCount, turnEveryMs } from '../../lambda/publisher/prepared/send-schedule.ts';
import { runConnection } from '../../lambda/publisher/replica/publish-connection.ts';
import { measures } from '../../lambda/telemetry/measures.ts';
import { observeProcess } from '../../lambda/telemetry/process-measures.ts';
import { beginSpan } from '../../lambda/telemetry/spans.ts';
import { startTelemetry } from '../../lambda/telemetry/telemetry.ts';

export interface PublishingOptions {
  readonly kind: 'prepared' | 'socket';
  /** The certificate of the server, for TLS. Null: streams are sent without TLS. */
  readonly tlsCa: string | null;
  readonly streams: number;
  /**
   * Start of the streams: one after the other, together as outputs of one stream, or at different places of the media,
   * as streams that started at different times.
   */
  readonly begin: 'in turn' | 'together' | 'apart';
  /** Time for which streams are sent before the measurement. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly port: number;
  /** Folder of the prepared media. */
  readonly folder: string;
  readonly items: readonly TimelineItem[];
  readonly format: PictureFormat;
  /** The names of the existing joins; undefined: none. */
  readonly joins?: readonly string[];
  /** The sessions that take the first streams over, one each, until the end; undefined: none. */
  readonly sessions?: readonly string[];
  /** The existing renditions with overlays, by `lookKey`; undefined: none. */
  readonly looks?: readonly string[];
  /** Rate of a plain socket. */
  readonly bytesPerSecond: number;
  /** Measures windows with telemetry sent to this URL, and windows without, in turns. */
  readonly collectorURL?: string;
}

export interface Consumption {
  /** The share of one core. */
  readonly cpuPercent: number;
  readonly pssMiB: number;
  readonly framesSent: number;
  readonly droppedFrames: number;
  /** The use of each window with telemetry, and of the window before it, which had none. */
  readonly withTelemetry: readonly { readonly off: number; readonly on: number }[];
}

async function publish(options: PublishingOptions): Promise<Consumption> {
  const figures = options.kind === 'prepared' ? await sendPrepared(options) : await sendPlain(options);
  await setTimeout(options.warmUpSeconds * 1000);
  const before = process.cpuUsage();
  const framesBefore = sum(figures, 'framesSent');
  await setTimeout(options.seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const memory = await readFile('/proc/self/smaps_rollup', 'utf8');
  return {
    cpuPercent: (user + system) / 1e4 / options.seconds,
    pssMiB: Number(/^Pss:\s+(\d+)/m.exec(memory)![1]) / 1024,
    framesSent: sum(figures, 'framesSent') - framesBefore,
    droppedFrames: sum(figures, 'droppedFrames'),
    withTelemetry: options.collectorURL === undefined ? [] : await measureTelemetry(options.collectorURL),
  };
}

/** The frame of a run at which its takeover begins. */
const takenOverFrom = 0;
const windows = 5;
/** One export interval of an agent, and the final export. */
const windowMs = 10_000;

async function measureTelemetry(collectorURL: string): Promise<Consumption['withTelemetry']> {
  const cpuPercent = async () => {
    const before = process.cpuUsage();
    await setTimeout(windowMs);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 10 / windowMs;
  };
  observeProcess(measures);
  observeAgent(new Map(), () => ({ usedShare: 0.5, behindReason: null, isMediaFull: false }));
  const found: { off: number; on: number }[] = [];
  for (let count = 0; count < windows; count++) {
    const off = await cpuPercent();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collectorURL };
    const telemetry = startTelemetry({ env, service: 'agent', instanceID: 'bench', log: console.error });
    // More starts than an agent has in that time once its streams run: each creates four spans.
    const starts = setInterval(() => {
      for (const name of ['load plan', 'open media', 'connect', 'start replica'])
        beginSpan(name, 'internal', { 'loop.stream.backend': 'manifest' }, null)!.end();
      measures.record('loop.agent.lease.renewal.duration', 0.002);
    }, 1000);
    found.push({ off, on: await cpuPercent() });
    clearInterval(starts);
    await telemetry![Symbol.asyncDispose]();
  }
  return found;
}

async function sendPrepared({
  streams,
  begin,
  port,
  folder,
  items,
  format,
  tlsCa,
  joins = [],
  looks = [],
  sessions = [],
}: PublishingOptions): Promise<Figures[]> {
  const steadyClock = () => performance.now();
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'bench' });
  const shared = {
    store: new SegmentStore({ objects, maxCachedBytes: 512 * 1024 * 1024 }),
    schedule: new SendSchedule(steadyClock),
  };
  const snapshot = { mode: 'sequential' as const, seed: 1, items };
  const entries = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];
  const url = `${tlsCa === null ? 'rtmp' : 'rtmps'}://127.0.0.1:${port}/live`;
  const contentHashes = new Map(items.map(({ uploadID }) => [uploadID, uploadID]));
  const fromTheStart = (names: readonly string[]) => new Map(names.map((name) => [name, 0]));
  const formats = new Map(items.map((item) => [item.uploadID, formatsOf(item, format)]));
  const video = { entries, contentHashes, formats, joins: fromTheStart(joins), looks: fromTheStart(looks) };
  const mediaWith = (takeovers: readonly TakeoverInterval[]) => {
    const loadTimelines = async () => ({ video: { ...video, takeovers }, audio: { entries: [], contentHashes } });
    return preparedMedia({
      ...shared,
      format,
      loadTimelines,
      currentTimelines: loadTimelines,
      onLost: (uploadID) => console.error(`${uploadID} is damaged`),
      log: (event, fields) => console.error(event, fields),
    });
  };
  const plainMedia = mediaWith([]);
  const liveMedia = sessions.map((sessionID) =>
    mediaWith([{ sessionID, fromFrame: takenOverFrom, firstSegment: 0, toFrame: null }]),
  );
  const lapMs = items.reduce((sum, { durationSeconds }) => sum + durationSeconds * 1000, 0);
  const commonBeganMs = performance.now();
  return Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await setTimeout(index * 2);
      const figures = new Figures();
      const aheadMs = begin === 'apart' ? (index * lapMs) / streams : 0;
      const beganMs = begin === 'together' ? commonBeganMs : performance.now() - aheadMs;
      const evident = Promise.withResolvers<void>();
      void runConnection(
        {
          target: { way: 'rtmp', url, streamKey: `key${index}` },
          client: { allowPrivateAddresses: true, connectTimeoutMs: 30_000, ...(tlsCa !== null && { tlsCa }) },
          takeTurn: async () => () => {},
          media: liveMedia[index] ?? plainMedia,
          figures,
          steadyClock,
          elapsedMs: null,
          connectsFirst: false,
          anchor: async () => performance.now() - beganMs,
          onEvidence: evident.resolve,
          onSlow: () => {},
          onTaking: () => {},
          onShort: () => {},
          isPlanned: false,
          prepareEnd: () => false,
          onEnding: () => {},
        },
        new AbortController().signal,
      ).catch(evident.reject);
      await evident.promise;
      return figures;
    }),
  );
}

/** The formats in which the whole item is prepared. */
function formatsOf(item: TimelineItem, format: PictureFormat): PictureFormat[] {
  return [format, formatOfItem(format, item)];
}

/** Sends with the least work in Node: from a buffer of twenty seconds of media, by one timer. */
async function sendPlain({ streams, port, bytesPerSecond, tlsCa }: PublishingOptions): Promise<Figures[]> {
  const turnBytes = Math.round((bytesPerSecond * turnEveryMs) / 1000);
  const turns = 80;
  const media = Buffer.alloc(turns * turnBytes, 1);
  const open = () => (tlsCa === null ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', ca: tlsCa }));
  const sockets = Array.from({ length: streams }, () => open().setNoDelay(true));
  await Promise.all(sockets.map((socket) => once(socket, tlsCa === null ? 'connect' : 'secureConnect')));
  let wakeUps = 0;
  setInterval(() => {
    wakeUps++;
    const phase = wakeUps % phaseCount;
    const start = (Math.floor(wakeUps / phaseCount) % turns) * turnBytes;
    for (let index = phase; index < streams; index += phaseCount)
      sockets[index]!.write(media.subarray(start, start + turnBytes));
  }, turnEveryMs / phaseCount);
  return [];
}

function sum(figures: readonly Figures[], name: 'framesSent' | 'droppedFrames'): number {
  return figures.reduce((total, each) => total + each.sample(performance.now(), new Date(), 30)[name], 0);
}

process.on('disconnect', () => process.exit());
const [options] = (await once(process, 'message')) as [PublishingOptions];
process.send!(await publish(options));
