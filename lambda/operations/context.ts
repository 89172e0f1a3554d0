// The context of operations: the caller, the database, the ports and the settings.
import type { Database } from '../data/database.ts';
import type { Offers } from '../orchestration/playout/guest-requests.ts';
import type { StreamingSettings } from '../orchestration/streams/stream-parts.ts';
import type { CryptoProcessor } from '../ports/payments/crypto-processor.ts';
import type { Consents } from '../ports/managed-platforms/consents.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { PaymentProvider } from '../ports/payments/payment.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import type { SettingsFor } from '../settings.ts';
import type { Scope } from './scopes.ts';

export interface Caller {
  readonly userID: string;
  /** The OAuth application that calls on behalf of the user; null for an API key. */
  readonly clientID: string | null;
  readonly scopes: readonly Scope[];
  /** Reason why the account is on hold; null: it is not; absent: not read yet. */
  readonly hold?: string | null;
  /** Present when the web page calls with the session of its signed-in user. */
  readonly isOnPage?: true;
}

/** The context of operations that need no credential. */
export interface PublicContext {
  readonly now: Date;
  /** Checks the parts that the service needs to work. Never throws. */
  readonly health: () => Promise<
    Record<'database' | 'storage' | 'queue', { status: 'ok' | 'failed'; latencyMs: number }>
  >;
  readonly version: string;
  /** The OpenAPI document of the whole catalogue. */
  readonly openapi: () => unknown;
}

/** The context of operations for guests: viewers of a channel, whose right is the token of a guide link. */
export interface GuestContext extends PublicContext {
  readonly data: Database;
  /** The keyed hash of the guest's address, which differs for each stream. */
  readonly guestOf: (streamID: string) => Buffer;
  readonly offers: Offers;
  readonly newID: Context['newID'];
  readonly cursors: Context['cursors'];
}

/** The context of all other operations. A GET reads outside a transaction; any other method runs in one transaction. */
export interface Context extends PublicContext {
  readonly caller: Caller;
  readonly data: Database;
  readonly objects: ObjectStore;
  readonly sealer: Sealer;
  /** Seals the credentials of watched sources. */
  readonly sourceSealer: Sealer;
  /** Seals the passphrases of live inputs. Null: the platform does not receive SRT. */
  readonly liveSealer: Sealer | null;
  readonly payment: PaymentProvider;
  readonly crypto: CryptoProcessor;
  readonly consents: Consents;
  readonly settings: StreamingSettings & SettingsFor<'api'>;
  /** The public URL of the REST API. It ends in /v1. */
  readonly baseURL: string;
  /**
   * Signs a statement with the key that signs access tokens.
   * @returns the compact form of a JWS (ES256)
   */
  readonly signStatement: (statement: Readonly<Record<string, unknown>>) => Promise<string>;
  /** A new identifier, `prefix_…`. */
  readonly newID: (prefix: string) => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Whether the caller selected a field, named like `Stream.replicas`. Fields that are not selected need not be read.
   * Only GraphQL clients select fields; the other surfaces always want every field.
   */
  readonly isWanted: (field: string) => boolean;
  /** The URL of a preview's HLS playlist. It works until `expiresAt`. */
  readonly previewURL: (streamID: string, expiresAt: Date) => string;
  /** The URL of a stream's poster. It stays the same for one day and works until the end of the next day. */
  readonly posterURL: (streamID: string) => string;
  /** Random bytes for secrets. */
  readonly randomBytes: (count: number) => Buffer;
  /**
   * Opaque cursors into the lists of one caller. `open` answers null for a
   * cursor that `seal` did not make for that list.
   */
  readonly cursors: {
    readonly seal: (listID: string, position: number) => string;
    readonly open: (listID: string, cursor: string) => number | null;
  };
}
