// The dependencies of the worker of mirrors.
import type { Pool } from 'pg';
import type { PlatformName } from '../domain/channels/managed-platforms.ts';
import type { Log } from '../log.ts';
import type { ManagedPlatforms } from '../ports/managed-platforms/managed-platform.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';

export interface MirrorOptions {
  readonly pool: Pool;
  readonly platforms: ManagedPlatforms;
  readonly sealer: Sealer;
  /** The store of thumbnails. */
  readonly objects: Pick<ObjectStore, 'read'>;
  /** The daily quota of our project by platform, in the platform's units. A platform that is left out has no quota. */
  readonly dailyUnits: Readonly<Partial<Record<PlatformName, number>>>;
  /** The URL for a platform's events; absent if platforms cannot reach us. */
  readonly eventsURL?: (platform: PlatformName) => string;
  readonly clock: () => Date;
  readonly steadyClock: () => number;
  /** A uniform number in [0, 1). */
  readonly random: () => number;
  readonly newID: (prefix: string) => string;
  readonly log: Log;
  /** Aborting it ends the work after the current step. */
  readonly signal: AbortSignal;
}
