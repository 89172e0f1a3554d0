// What every surface needs to answer calls; built once per process, in the cloud and here.
import type { Pool } from 'pg';
import type { Operation } from '../operations/operation.ts';
import type { PublicContext } from '../operations/context.ts';
import type { StreamingSettings } from '../orchestration/stream-parts.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';

export interface Service {
  readonly operations: readonly Operation[];
  /** {base_url} of the specification, ending in /v1. */
  readonly baseURL: string;
  readonly version: string;
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly sealer: Sealer;
  readonly settings: StreamingSettings;
  /** Multiplies every rate limit. */
  readonly rateLimitFactor: number;
  /** Keys of cursors are derived from it. */
  readonly serviceSecret: string;
  readonly clock: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly health: PublicContext['health'];
  /** Sends on what a committed transaction left in the outbox. Never throws. */
  readonly relay: () => Promise<void>;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}
