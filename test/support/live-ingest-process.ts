// A live ingest as a process of its own. Arguments: the URL of the database, and the folder of the objects.
// It answers each message of its parent with its measures since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { LiveIngest } from '../../lambda/live/live-ingest.ts';
import { openRtmpListener } from '../../lambda/live/rtmp-listener.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { asLiveIngest } from './live-ingest-role.ts';
import { fastEncoder } from './media-samples.ts';

/** Measures since the last ones. */
export interface IngestMeasures {
  readonly residentBytes: number;
  readonly mostResidentBytes: number;
  /** Delays of the event loop. */
  readonly delayMs: { readonly p99: number; readonly most: number };
  readonly admitted: number;
  readonly refused: number;
}

const [connectionString, folder] = process.argv.slice(2) as [string, string];
const pool = createPool({ connectionString, max: 5, options: asLiveIngest });
// Its connections break with the database, and the next statement opens others.
pool.on('error', () => {});
const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1:3999/objects', signingKey: 'test' });
const clock = () => new Date();
const steadyClock = () => performance.now();
const log = () => {};
const door = new LiveIngest({
  pool,
  sealer: null,
  objects,
  tools: await findMediaTools(process.env),
  encoderFor: async () => fastEncoder,
  places: { count: 5, ofUser: 5, ofUnfunded: 5, ofSession: 5 },
  newID: (prefix) => newID(prefix, clock()),
  clock,
  steadyClock,
  log,
});
const listener = await openRtmpListener({ door, port: 0, tls: null, proxyProtocol: false, log, steadyClock });
process.send!(`rtmp://127.0.0.1:${listener.port}/live`);
const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();
let mostResidentBytes = 0;
setInterval(() => {
  mostResidentBytes = Math.max(mostResidentBytes, process.memoryUsage.rss());
}, 20);
process.on('message', () => {
  const residentBytes = process.memoryUsage.rss();
  const delayMs = { p99: loop.percentile(99) / 1e6, most: loop.max / 1e6 };
  const { admitted, refused } = listener.figures();
  process.send!({ residentBytes, mostResidentBytes, delayMs, admitted, refused } satisfies IngestMeasures);
  mostResidentBytes = residentBytes;
  loop.reset();
});
process.on('disconnect', () => process.exit());
