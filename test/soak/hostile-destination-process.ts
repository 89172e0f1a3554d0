// The hostile destinations as a separate process, which reports its sent bytes on request.
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { startHostileDestination } from './hostile-destination.ts';
import { startHostileWays } from './hostile-ways.ts';
import type { HostileWays } from './hostile-ways.ts';

export interface HostileOptions {
  /** Rate for each connection. */
  readonly bytesPerSecond: number;
}

export interface HostileAddresses {
  /** URL of the RTMP server. Its applications are the kinds. */
  readonly rtmpURL: string;
  /** Null without openssl. */
  readonly ways: HostileWays | null;
}

// These servers run elsewhere in reality: they take no processor time from the agent.
setPriority(constants.priority.PRIORITY_LOW);
const [{ bytesPerSecond }] = (await once(process, 'message')) as [HostileOptions];
const destination = await startHostileDestination(bytesPerSecond);
const ways = await startHostileWays(bytesPerSecond);
process.send!({ rtmpURL: destination.rtmpURL, ways } satisfies HostileAddresses);
process.on('message', () => process.send!({ bytesSent: destination.bytesSent }));
process.on('disconnect', () => process.exit());
