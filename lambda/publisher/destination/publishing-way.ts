// The part of a way out that uses the network: it connects to a destination, and checks one.
import type { CheckStep } from '../../domain/destinations/destination-check.ts';
import type { PublishServer } from '../../domain/destinations/ways/way-out.ts';
import type { DestinationSocketOptions } from './destination-socket.ts';
import type { Publisher, PublishOptions } from './publisher.ts';

/** Secrets and settings of a destination, beside its address. */
export interface DestinationSecrets {
  /** Empty for a destination without one. */
  readonly streamKey: string;
  /** Null for a destination of another way than SRT. */
  readonly srt: {
    readonly passphrase: string | null;
    readonly latencyMs: number;
    readonly streamID: string | null;
  } | null;
}

/** A way out, for targets that have an address and the secrets that this way sends. `publishing-ways.ts` lists all. */
export interface PublishingWay<Target> {
  readonly targetAt: (url: string, secrets: DestinationSecrets) => Target;
  /**
   * Resolves when the destination waits for media.
   * @param signal gives up when it aborts; it has no effect once this has resolved
   * @throws {DestinationError} when the destination is to blame
   */
  readonly connect: (target: Target, options: PublishOptions, signal: AbortSignal) => Promise<Publisher>;
  /** The steps of `check`, in their order. If it fails, the step after the last `onStep` is reported as failed. */
  readonly stepsTo: (server: PublishServer) => readonly [CheckStep, ...CheckStep[]];
  /**
   * Connects as far as a stream would, up to the first secret, and calls `onStep` after each step.
   * @param url as the domain's `parse` of this way accepts it
   * @throws {DestinationError} when the destination is to blame
   */
  readonly check: (url: string, options: DestinationSocketOptions, signal: AbortSignal) => Promise<void>;
  /** The result of a check that went well, for the user. */
  readonly reachedWords: string;
}
