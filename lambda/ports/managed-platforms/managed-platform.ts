// Port of a managed video platform: calls of YouTube, Twitch or Kick on behalf of a channel.

import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import type { RefusalCode } from '../../domain/channels/mirror-retries.ts';
import type { Audience, Broadcasts, ChannelDescription, Ingest, IngestRequest, PlatformCall } from './broadcasts.ts';
import type { EventSubscription, PlatformEvent, SignedRequest } from './platform-event.ts';

/** Rights on one channel, given by its owner. Sealed wherever it is stored. */
export interface Grant {
  readonly accessToken: string;
  /** Null if the platform gave none: the grant ends with its access token. */
  readonly refreshToken: string | null;
  readonly expiresAt: Date;
  /** Granted scopes, which may be fewer than requested. */
  readonly scopes: readonly string[];
}

export interface AuthorizeRequest {
  readonly state: string;
  /** S256 of the verifier, for platforms with PKCE. */
  readonly challenge: string;
  readonly redirectURI: string;
}

export interface CodeExchange {
  /** Parameters of the visitor's return, `code` among them. */
  readonly parameters: URLSearchParams;
  readonly verifier: string;
  readonly redirectURI: string;
}

export interface Channel {
  readonly accountID: string;
  /** For people; it may change at any time. */
  readonly title: string;
  /** Page on which viewers find the live broadcast. */
  readonly liveURL: string;
}

/** Consent of a channel's owner. */
export interface ConsentPlatform {
  readonly name: PlatformName;
  /** Name as the platform writes itself. */
  readonly title: string;
  /** Scopes that all calls need. */
  readonly scopes: readonly string[];
  /** Days after which grants end by themselves; absent if they do not. */
  readonly grantDays?: number | undefined;
  /** Page on which a person consents. */
  authorizeURL(request: AuthorizeRequest): URL;
  /** @throws {PlatformRefusal} */
  exchange(exchange: CodeExchange): Promise<Grant>;
  /** May use up the refresh token: store the new grant before using it. @throws {PlatformRefusal} */
  refresh(grant: Grant): Promise<Grant>;
  /** Revokes a grant. @returns false if the platform did not answer, so that the grant may still exist there */
  revoke(grant: Grant): Promise<boolean>;
  /** Channel of a grant. @throws {PlatformRefusal} */
  channel(accessToken: string): Promise<Channel>;
}

export interface ManagedPlatform extends ConsentPlatform {
  /** Usual units of a call in our daily quota; 0 if the platform counts none. */
  readonly units: Readonly<Record<PlatformCall, number>>;
  /** Ingest of one stream, constant for all of its broadcasts. @throws {PlatformRefusal} */
  ensureIngest(accessToken: string, request: IngestRequest): Promise<Ingest>;
  /** Null for a platform without broadcasts (Twitch, Kick), whose channel is live while it receives media. */
  readonly broadcasts: Broadcasts | null;
  /** Null if broadcasts have titles. @throws {PlatformRefusal} */
  readonly describe: null | ((accessToken: string, description: ChannelDescription) => Promise<void>);
  /**
   * Viewers by requested id: of a broadcast, or of an account on platforms without broadcasts. Any grant may ask for
   * all. Unknown ids are left out. @throws {PlatformRefusal}
   */
  audience(accessToken: string, ids: readonly string[]): Promise<ReadonlyMap<string, Audience>>;
  /** Subscribes an address to a channel's events. May be repeated. @throws {PlatformRefusal} */
  readonly subscribe: null | ((accessToken: string, subscription: EventSubscription) => Promise<void>);
  /** @throws {UnsignedEvent} @throws {PlatformRefusal} if the platform's key is unavailable */
  readonly readEvent: null | ((request: SignedRequest) => Promise<PlatformEvent>);
}

/** Platforms that a stage has set up. */
export type ManagedPlatforms = Readonly<Partial<Record<PlatformName, ManagedPlatform>>>;
/** Platforms as far as the API needs them, whose functions are loaded at each cold start. */
export type ConsentPlatforms = Readonly<Partial<Record<PlatformName, ConsentPlatform>>>;

/** A platform refused, or did not answer. */
export class PlatformRefusal extends Error {
  readonly code: RefusalCode;
  /** The platform's own word, for the log and the user; never a secret. */
  readonly reason: string;
  /** `uncertain`: the call may have taken effect. */
  readonly outcome: 'rejected' | 'uncertain';
  /** When the platform allows a retry; null if it does not say. */
  readonly retryAt: Date | null;

  constructor(code: RefusalCode, reason: string, options: { retryAt?: Date | null; cause?: unknown } = {}) {
    super(`${code}: ${reason}`, { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.outcome = code === 'unavailable' ? 'uncertain' : 'rejected';
    this.retryAt = options.retryAt ?? null;
  }
}
