// What an operation reaches the world through.
import type { Database } from '../data/database.ts';
import type { StreamingSettings } from '../orchestration/stream-parts.ts';
import type { CryptoProcessor } from '../ports/crypto-processor/crypto-processor.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { PaymentProvider } from '../ports/payment/payment.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import type { Scope } from './scopes.ts';

export interface Caller {
  readonly userID: string;
  readonly scopes: readonly Scope[];
}

/** For operations that need no credential. */
export interface PublicContext {
  readonly now: Date;
  /** Checks the parts that the service stands on; never throws. */
  readonly health: () => Promise<
    Record<'database' | 'storage' | 'queue', { status: 'ok' | 'failed'; latencyMs: number }>
  >;
  readonly version: string;
  /** The OpenAPI document of the whole catalogue. */
  readonly openapi: () => unknown;
}

/** For everything else. A GET reads outside a transaction; all that another method does is one transaction. */
export interface Context extends PublicContext {
  readonly caller: Caller;
  readonly data: Database;
  readonly objects: ObjectStore;
  readonly sealer: Sealer;
  readonly payment: PaymentProvider;
  readonly crypto: CryptoProcessor;
  readonly settings: StreamingSettings;
  /** A new identifier, `prefix_…`. */
  readonly newID: (prefix: string) => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Whether the caller asked for a field, named like `Stream.replicas`: what nobody sees need not be read. Most surfaces show everything. */
  readonly isWanted: (field: string) => boolean;
  /** For secrets. */
  readonly randomBytes: (count: number) => Buffer;
  /** Opaque cursors of one caller's list, which cannot be altered. */
  readonly cursors: {
    readonly seal: (listID: string, position: number) => string;
    readonly open: (listID: string, cursor: string) => number | null;
  };
}
