// Consents of channels' owners: the link that asks for one, what comes of it, and its end.
import { createHash, randomBytes } from 'node:crypto';
import { stateOfGrant } from '../../domain/channels/managed-platforms.ts';
import type { ConnectionState, PlatformName } from '../../domain/channels/managed-platforms.ts';
import { verifierPlace } from '../../domain/shared/sealed-places.ts';
import type { Sealer } from '../sealer/sealer.ts';
import { openGrant, sealGrant } from './kept-grant.ts';
import type { Channel, ConsentPlatforms } from './managed-platform.ts';

/** What is kept of a link until somebody comes back by it. */
export interface AskedConsent {
  readonly authorizeURL: string;
  /** The state in the link is its only credential, so its hash alone is kept. */
  readonly stateSHA256: Buffer;
  readonly sealedVerifier: Buffer;
}

/** The connection that a consent is for. */
interface ForConnection {
  readonly connectionID: string;
  readonly platform: PlatformName;
}

export interface GivenConsent {
  readonly state: ConnectionState;
  readonly scopes: readonly string[];
  readonly channel: Channel;
  readonly sealedGrant: Buffer;
  /** After how many days it ends by itself; null: it does not. */
  readonly grantDays: number | null;
}

export interface Consents {
  /** The platforms that are set up. */
  readonly offered: readonly PlatformName[];
  /** Where people come back to; each platform has to know this address. */
  readonly callbackURL: string;
  /** As the platform writes itself. */
  titleOf(platform: PlatformName): string;
  /** Makes a link. @throws where the platform is not set up */
  ask(connection: ForConnection): AskedConsent;
  hashOf(state: string): Buffer;
  /** Takes what somebody came back with. @throws {PlatformRefusal} */
  complete(connection: ForConnection, sealedVerifier: Buffer, parameters: URLSearchParams): Promise<GivenConsent>;
  /** Ends a consent at the platform. A platform that does not answer, or is not set up any more, is no error. */
  end(connection: ForConnection, sealedGrant: Buffer): Promise<void>;
}

export function createConsents(platforms: ConsentPlatforms, sealer: Sealer, callbackURL: string): Consents {
  const setUp = (name: PlatformName) => {
    const platform = platforms[name];
    if (!platform) throw new Error(`${name} is not set up`);
    return platform;
  };
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return {
    offered: Object.keys(platforms) as PlatformName[],
    callbackURL,
    titleOf: (name) => setUp(name).title,
    hashOf: hash,
    ask({ connectionID, platform }) {
      const state = randomBytes(32).toString('base64url');
      const verifier = randomBytes(32).toString('base64url');
      const challenge = hash(verifier).toString('base64url');
      return {
        authorizeURL: setUp(platform).authorizeURL({ state, challenge, redirectURI: callbackURL }).href,
        stateSHA256: hash(state),
        sealedVerifier: sealer.seal(verifier, verifierPlace(connectionID)),
      };
    },
    async complete({ connectionID, platform: name }, sealedVerifier, parameters) {
      const platform = setUp(name);
      const verifier = sealer.open(sealedVerifier, verifierPlace(connectionID));
      const grant = await platform.exchange({ parameters, verifier, redirectURI: callbackURL });
      return {
        state: stateOfGrant(platform.scopes, grant.scopes),
        scopes: grant.scopes,
        channel: await platform.channel(grant.accessToken),
        sealedGrant: sealGrant(sealer, connectionID, grant),
        grantDays: platform.grantDays ?? null,
      };
    },
    async end({ connectionID, platform }, sealedGrant) {
      await platforms[platform]?.revoke(openGrant(sealer, connectionID, sealedGrant));
    },
  };
}
