// The services and settings that every surface needs to answer calls.
// They are created once per process, in AWS and in a local run.
import type { Pool } from 'pg';
import type { ChangeBounds } from '../data/shared/change-bounds.ts';
import type { Log } from '../log.ts';
import type { Operation } from '../operations/operation.ts';
import type { Context, GuestContext, PublicContext } from '../operations/context.ts';
import type { CryptoProcessor } from '../ports/payments/crypto-processor.ts';
import type { Consents } from '../ports/managed-platforms/consents.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { PaymentProvider } from '../ports/payments/payment.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import type { AccessTokens } from './admission/access-tokens.ts';
import type { UncountedWorks } from './admission/uncounted-work.ts';

/** The version of the API, as in GET /status, the OpenAPI document and the MCP server. */
export const apiVersion = '1.0.0';

/** A stream, and the user who is watching it. */
export interface LookedAt {
  readonly userID: string;
  readonly streamID: string;
  /**
   * Pays in advance for a read of the timeline, or for a wait, until the look has its answer. Only the first call pays:
   * a process that keeps what it needs, and does not wait, has nothing to pay.
   * @throws {ProblemError} rate_limited
   */
  readonly reserve: () => Promise<void>;
}

/**
 * Finds a stream, then returns the HLS playlist of its preview. Both are null while it cannot be previewed. The first
 * step reads the timeline, whose length is up to the user; the second one waits for media.
 */
export type PreviewPlaylist = (stream: LookedAt) => Promise<(() => Promise<string | null>) | null>;

/** A small JPEG of a stream a few seconds ago. */
export interface FoundPoster {
  /** Seconds until a newer one exists. */
  readonly freshSeconds: number;
  /**
   * Waits until it is made, and returns its URL; null: it cannot be made.
   * @throws {ProblemError} if it is not made in time
   */
  readonly url: () => Promise<string | null>;
}

/** Finds the poster of a stream; null if there is none. */
export type StreamPoster = (stream: LookedAt) => Promise<FoundPoster | null>;

export interface Service {
  readonly operations: readonly Operation[];
  /** The public URL of the REST API. It ends in /v1. */
  readonly baseURL: string;
  readonly version: string;
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly sealer: Sealer;
  /** Seals the credentials of watched sources. */
  readonly sourceSealer: Sealer;
  readonly liveSealer: Sealer | null;
  readonly accessTokens: AccessTokens;
  readonly payment: PaymentProvider;
  readonly crypto: CryptoProcessor;
  readonly consents: Consents;
  readonly settings: Context['settings'];
  /** The key that signs cursors and preview links. */
  readonly serviceSecret: string;
  readonly signStatement: Context['signStatement'];
  readonly clock: () => Date;
  /** Does a change once a turn of its subject is free in this process. */
  readonly inTurn: <Result>(bounds: ChangeBounds, change: () => Promise<Result>) => Promise<Result>;
  readonly uncountedWorks: UncountedWorks;
  /** In ms, for durations. */
  readonly steadyClock: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly health: PublicContext['health'];
  readonly offers: GuestContext['offers'];
  /** Sends the commands that a committed transaction wrote to the outbox. Never throws. */
  readonly relay: () => Promise<void>;
  readonly log: Log;
}

/** The service of the surface that shows pictures to anyone with a link. */
export interface RestService extends Service {
  readonly previewPlaylist: PreviewPlaylist;
  readonly poster: StreamPoster;
}
