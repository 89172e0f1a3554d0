// The codes and tokens that the stand-in for YouTube issues: signed, so that they outlive a restart.
import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import type { StateStore } from './state.ts';

/** A person's consent. */
export interface Consent {
  readonly channelID: string;
  readonly scopes: readonly string[];
}

interface Code extends Consent {
  readonly challenge: string | null;
  readonly redirectURI: string;
}

const lifetimeSeconds = { code: 60, access: 3600, refresh: 180 * 86_400 } as const;
type Kind = keyof typeof lifetimeSeconds;

const claims = z.object({
  jti: z.string(),
  grant: z.string(),
  generation: z.int().default(0),
  channelID: z.string(),
  scopes: z.array(z.string()),
  challenge: z.string().nullable().default(null),
  redirectURI: z.string().default(''),
});

/** @param signingKey key of the local run @param store stores which grants were revoked */
export function createTokens(signingKey: string, clock: () => Date, store: StateStore) {
  const key = new TextEncoder().encode(`youtube stand-in ${signingKey}`);
  /** Codes that were used since the start. They are short-lived. */
  const used = new Set<string>();
  const hasEnded = ({ channelID, generation }: z.output<typeof claims>) =>
    store.channel(channelID).grantGeneration !== generation;

  const sign = (kind: Kind, grant: string, content: Consent | Code): Promise<string> => {
    const seconds = Math.floor(clock().getTime() / 1000);
    const generation = store.channel(content.channelID).grantGeneration;
    return new SignJWT({ ...content, grant, generation })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(kind)
      .setJti(randomUUID())
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifetimeSeconds[kind])
      .sign(key);
  };
  const open = async (kind: Kind, token: string) => {
    try {
      const { payload } = await jwtVerify(token, key, { subject: kind, currentDate: clock() });
      const opened = claims.parse(payload);
      return used.has(opened.jti) || hasEnded(opened) ? null : opened;
    } catch {
      return null;
    }
  };
  const answer = async (grant: string, consent: Consent, refreshToken: string | null) => ({
    access_token: await sign('access', grant, consent),
    expires_in: lifetimeSeconds.access,
    token_type: 'Bearer',
    scope: consent.scopes.join(' '),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  });

  return {
    code: (code: Code) => sign('code', randomUUID(), code),
    /** The consent of a code; null for an invalid, expired or used code. It can be used once. */
    async useCode(text: string) {
      const code = await open('code', text);
      if (code) used.add(code.jti);
      return code;
    },
    async grant({ channelID, scopes }: Consent) {
      const grant = randomUUID();
      const consent = { channelID, scopes };
      return answer(grant, consent, await sign('refresh', grant, consent));
    },
    /** A new access token. As with Google, the answer has no refresh token: the previous one stays valid. */
    async refresh(token: string) {
      const held = await open('refresh', token);
      return held && answer(held.grant, { channelID: held.channelID, scopes: held.scopes }, null);
    },
    /** Revokes all grants of the account of an access or refresh token. @returns whether there were any */
    async revoke(token: string) {
      const held = (await open('refresh', token)) ?? (await open('access', token));
      if (held) {
        store.channel(held.channelID).grantGeneration++;
        store.save();
      }
      return held !== null;
    },
    /** The consent of an access token; null for an invalid, expired or revoked one. */
    access: (token: string): Promise<Consent | null> => open('access', token),
  };
}

export type Tokens = ReturnType<typeof createTokens>;
