// Consents of channels' owners: the link, its outcome, and the end of a consent.
import { createHash, randomBytes } from 'node:crypto';
import { stateOfGrant } from '../../domain/channels/managed-platforms.ts';
import type { ConnectionState, PlatformName } from '../../domain/channels/managed-platforms.ts';
import { verifierPlace } from '../../domain/shared/sealed-places.ts';
import type { Sealer } from '../sealer/sealer.ts';
import { openGrant, sealGrant } from './kept-grant.ts';
import type { Channel, ConsentPlatforms } from './managed-platform.ts';

/** Record of a link until its visitor returns. */
export interface AskedConsent {
  readonly authorizeURL: string;
  /** The state in the link is its only credential, so only its hash is stored. */
  readonly stateSHA256: Buffer;
  readonly sealedVerifier: Buffer;
}

/** Connection of a consent. */
interface ForConnection {
  readonly connectionID: string;
  readonly platform: PlatformName;
}

export interface GivenConsent {
  readonly state: ConnectionState;
  readonly scopes: readonly string[];
  readonly channel: Channel;
  readonly sealedGrant: Buffer;
  /** Days after which it ends by itself; null if it does not. */
  readonly grantDays: number | null;
}

export interface Consents {
  /** Platforms that are set up. */
  readonly offered: readonly PlatformName[];
  /** Address that visitors return to; each platform has to know it. */
  readonly callbackURL: string;
  /** Name as the platform writes itself. */
  titleOf(platform: PlatformName): string;
  /** Creates a link. @throws {Error} if the platform is not set up */
  ask(connection: ForConnection): AskedConsent;
  hashOf(state: string): Buffer;
  /** Completes a consent with the parameters of the returned visitor. @throws {PlatformRefusal} */
  complete(connection: ForConnection, sealedVerifier: Buffer, parameters: URLSearchParams): Promise<GivenConsent>;
  /** Revokes a consent at the platform. A platform that does not answer, or is not set up any more, is no error. */
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
