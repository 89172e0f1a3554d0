// The faulty ingest as a process of its own, which reports its facts on request. Its argument is its address.
import { startFaultyIngest } from './faulty-ingest.ts';

const host = process.argv[2] ?? '127.0.0.1';
const ingest = await startFaultyIngest({ host });
process.send!({ rtmpURL: ingest.rtmpURL });
process.on('message', () => process.send!({ keys: [...ingest.keys], nowMs: performance.now() }));
process.on('disconnect', () => process.exit());
