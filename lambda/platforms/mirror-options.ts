// What the worker of mirrors works with.
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
  /** Where thumbnails are. */
  readonly objects: Pick<ObjectStore, 'read'>;
  /** The units that each platform lets our project use on a day; a platform that is left out counts none. */
  readonly dailyUnits: Readonly<Partial<Record<PlatformName, number>>>;
  /** Where a platform may send events to; absent where none can reach us. */
  readonly eventsURL?: (platform: PlatformName) => string;
  readonly clock: () => Date;
  readonly steadyClock: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly newID: (prefix: string) => string;
  readonly log: Log;
  /** Aborting it ends the work after the step that is under way. */
  readonly signal: AbortSignal;
}
