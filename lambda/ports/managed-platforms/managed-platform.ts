// The port to a managed video platform: what we ask of YouTube, Twitch or Kick on behalf of somebody's channel.

import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import type { RefusalCode } from '../../domain/channels/mirror-retries.ts';
import type { Audience, Broadcasts, ChannelDescription, Ingest, IngestRequest, PlatformCall } from './broadcasts.ts';
import type { EventSubscription, PlatformEvent, SignedRequest } from './platform-event.ts';

/** What somebody gave us: rights on one channel. Sealed wherever it is kept. */
export interface Grant {
  readonly accessToken: string;
  /** Null where the platform gave none: the grant ends with its access token. */
  readonly refreshToken: string | null;
  readonly expiresAt: Date;
  /** What was granted, which may be less than what was asked for. */
  readonly scopes: readonly string[];
}

export interface AuthorizeRequest {
  readonly state: string;
  /** S256 of the verifier, for platforms that have PKCE. */
  readonly challenge: string;
  readonly redirectURI: string;
}

export interface CodeExchange {
  /** The parameters with which the person came back, `code` among them. */
  readonly parameters: URLSearchParams;
  readonly verifier: string;
  readonly redirectURI: string;
}

export interface Channel {
  readonly accountID: string;
  /** For people; it may change at any time. */
  readonly title: string;
  /** Where viewers find what is live. */
  readonly liveURL: string;
}

/** What the consent of a channel's owner takes. */
export interface ConsentPlatform {
  readonly name: PlatformName;
  /** As the platform writes itself. */
  readonly title: string;
  /** What a grant needs for all that we do. */
  readonly scopes: readonly string[];
  /** After how many days grants end by themselves; absent where they do not. */
  readonly grantDays?: number | undefined;
  /** Where a person consents. */
  authorizeURL(request: AuthorizeRequest): URL;
  /** @throws {PlatformRefusal} */
  exchange(exchange: CodeExchange): Promise<Grant>;
  /** A refresh token may be used up by this: store the grant before it is used. @throws {PlatformRefusal} */
  refresh(grant: Grant): Promise<Grant>;
  /** Ends a grant. @returns false where the platform did not answer, so that the grant may go on there */
  revoke(grant: Grant): Promise<boolean>;
  /** The channel that a grant is for. @throws {PlatformRefusal} */
  channel(accessToken: string): Promise<Channel>;
}

export interface ManagedPlatform extends ConsentPlatform {
  /** What a call takes of our daily quota, as a rule: 0 where the platform counts none. */
  readonly units: Readonly<Record<PlatformCall, number>>;
  /** The ingest of one stream, which stays the same for all of its broadcasts. @throws {PlatformRefusal} */
  ensureIngest(accessToken: string, request: IngestRequest): Promise<Ingest>;
  /** Null where a platform has no broadcasts (Twitch, Kick): live is whoever sends. */
  readonly broadcasts: Broadcasts | null;
  /** Null where broadcasts have titles. @throws {PlatformRefusal} */
  readonly describe: null | ((accessToken: string, description: ChannelDescription) => Promise<void>);
  /**
   * Who watches, by the id that was asked for: of a broadcast, or of an account where there are none. Any grant may ask
   * for all. Ids that the platform does not know are left out. @throws {PlatformRefusal}
   */
  audience(accessToken: string, ids: readonly string[]): Promise<ReadonlyMap<string, Audience>>;
  /** Has the platform send a channel's events to an address. May be asked for again. @throws {PlatformRefusal} */
  readonly subscribe: null | ((accessToken: string, subscription: EventSubscription) => Promise<void>);
  /** @throws {UnsignedEvent} @throws {PlatformRefusal} where the platform's key cannot be had */
  readonly readEvent: null | ((request: SignedRequest) => Promise<PlatformEvent>);
}

/** The platforms that a stage has set up. */
export type ManagedPlatforms = Readonly<Partial<Record<PlatformName, ManagedPlatform>>>;
/** The same as far as the API needs them, whose functions are loaded at each cold start. */
export type ConsentPlatforms = Readonly<Partial<Record<PlatformName, ConsentPlatform>>>;

/** A platform refused, or did not answer. */
export class PlatformRefusal extends Error {
  readonly code: RefusalCode;
  /** The platform's own word for it, for the log and the user; never a secret. */
  readonly reason: string;
  /** `uncertain`: the platform may have done it all the same. */
  readonly outcome: 'rejected' | 'uncertain';
  /** When the platform lets us try again; null where it does not say. */
  readonly retryAt: Date | null;

  constructor(code: RefusalCode, reason: string, options: { retryAt?: Date | null; cause?: unknown } = {}) {
    super(`${code}: ${reason}`, { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.outcome = code === 'unavailable' ? 'uncertain' : 'rejected';
    this.retryAt = options.retryAt ?? null;
  }
}
