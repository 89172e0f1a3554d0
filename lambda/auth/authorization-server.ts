// The authorization server: better-auth and its OAuth provider, set up for this platform on tables of our own.
import { hkdfSync } from 'node:crypto';
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { jwt } from 'better-auth/plugins/jwt';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import * as z from 'zod';
import { newID } from '../data/new-id.ts';
import { framerates, qualities } from '../domain/video-format.ts';
import type { Log } from '../log.ts';
import { allScopes } from '../operations/scopes.ts';
import type { Mailer } from '../ports/mailer/mailer.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { accessTokenSeconds, audiencesOf, resourcePaths } from '../surfaces/protected-resource.ts';
import { account } from './account.ts';
import { addressHeader } from './client-address.ts';
import { passwordResetMail, signUpAgainMail, verificationMail } from './mails.ts';
import { rateLimitRules } from './rate-limits.ts';
import { recordChanges, recordRequests } from './security-events.ts';
import { keysForSigning } from './signing-keys.ts';

export interface AuthorizationServerOptions {
  /** One origin for site, authorization server and API, without a trailing slash. */
  readonly origin: string;
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly serviceSecret: string;
  /** Multiplies the rate limits. */
  readonly rateLimitFactor: number;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Where better-auth's endpoints are. */
export const authPath = '/api/auth';

const day = 86_400;
const idPrefixes: Readonly<Record<string, string>> = {
  user: 'usr',
  session: 'ses',
  account: 'crd',
  verification: 'vrf',
  oauthClient: 'app',
};

/** Only OAuth makes tokens; sessions are shown without theirs, by ids (account.ts); there are no social accounts. */
const disabledPaths = [
  '/token',
  '/list-sessions',
  '/revoke-session',
  '/sign-in/social',
  '/link-social',
  '/list-accounts',
  '/unlink-account',
  '/get-access-token',
  '/refresh-token',
  '/account-info',
];

/** What better-auth calls its models, in our schema. */
const oauthTables = {
  // The one name that CamelCasePlugin does not translate both ways.
  oauthClient: { modelName: 'oauthClients', fields: { requirePKCE: 'requirePkce' } },
  oauthResource: { modelName: 'oauthResources' },
  oauthClientResource: { modelName: 'oauthClientResources' },
  oauthRefreshToken: { modelName: 'oauthRefreshTokens' },
  oauthAccessToken: { modelName: 'oauthAccessTokens' },
  oauthConsent: { modelName: 'oauthConsents' },
  oauthClientAssertion: { modelName: 'oauthClientAssertions' },
};

export function createAuthorizationServer(options: AuthorizationServerOptions) {
  const { origin, pool, sealer, mailer, clock, log } = options;
  const send = (mail: Parameters<Mailer['send']>[0]) =>
    mailer.send(mail).catch((error: unknown) => log('mail_failed', { subject: mail.subject, error }));
  return betterAuth({
    baseURL: origin,
    basePath: authPath,
    secret: Buffer.from(hkdfSync('sha256', options.serviceSecret, '', 'authorization server', 32)).toString(
      'base64url',
    ),
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    logger: {
      disableColors: true,
      level: 'warn',
      log: (level, message, ...details) => log('auth_library', { level, message, details }),
    },
    onAPIError: {
      errorURL: `${origin}/error`,
      onError: (error) => {
        // Refusals are answers, not faults.
        if (!isAPIError(error) || error.statusCode >= 500) log('auth_failed', { error });
      },
    },
    database: {
      // camelCase there, snake_case in our schema.
      db: new Kysely({
        dialect: new PostgresDialect({ pool }),
        plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
      }),
      type: 'postgres',
      transaction: true,
    },
    advanced: {
      // The schema is ours: lambda/data/migrations.
      database: { validateSchema: false, generateId: ({ model }) => newID(idPrefixes[model] ?? 'aut', clock()) },
      // Said here, because better-auth leaves these checks out where NODE_ENV or TEST says that it is tested.
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      cookiePrefix: 'loop',
      defaultCookieAttributes: { sameSite: 'lax', httpOnly: true, path: '/' },
    },
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'authRateLimits',
      ...rateLimitRules(options.rateLimitFactor),
    },
    user: {
      modelName: 'users',
      additionalFields: {
        defaultStreamDurationSeconds: { type: 'number', required: false, validator: { input: z.int32().min(0) } },
        defaultQuality: { type: 'string', required: false, validator: { input: z.enum(qualities) } },
        defaultFramerate: { type: 'string', required: false, validator: { input: z.enum(framerates) } },
        disabledAt: { type: 'date', required: false, input: false, returned: false },
      },
    },
    session: { modelName: 'authSessions', expiresIn: 30 * day, updateAge: day },
    account: { modelName: 'authCredentials' },
    verification: { modelName: 'authVerifications', storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      minPasswordLength: 10,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, url }) => send(passwordResetMail(user.email, url)),
      // The page says the same as to a new address; the owner of this one is told.
      onExistingUserSignUp: ({ user }) => send(signUpAgainMail(user.email, `${origin}/sign-in`)),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ user, url }) => send(verificationMail(user.email, url)),
    },
    databaseHooks: recordChanges(pool),
    hooks: { after: recordRequests(pool) },
    disabledPaths,
    plugins: [
      jwt({
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: 'ES256' }, disablePrivateKeyEncryption: true },
        jwt: { issuer: origin },
        adapter: {
          getJwks: () => keysForSigning(pool, sealer, clock()),
          createJwk: () => Promise.reject(new Error('there is no signing key: the migration makes the first')),
        },
      }),
      oauthProvider({
        loginPage: `${origin}/sign-in`,
        consentPage: `${origin}/consent`,
        scopes: ['openid', 'profile', 'email', 'offline_access', ...allScopes],
        grantTypes: ['authorization_code', 'refresh_token'],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        resources: [...new Set(resourcePaths.flatMap((path) => audiencesOf(origin, path)))],
        enforcePerClientResources: false,
        accessTokenExpiresIn: accessTokenSeconds,
        idTokenExpiresIn: accessTokenSeconds,
        refreshTokenExpiresIn: 30 * day,
        // Also how long the sign-in and consent pages may be open.
        codeExpiresIn: 600,
        // Clients come by registration only.
        clientPrivileges: () => false,
        resourcePrivileges: () => false,
        rateLimit: {
          token: false,
          authorize: false,
          introspect: false,
          revoke: false,
          register: false,
          userinfo: false,
        },
        schema: oauthTables,
      }),
      account({ pool, clock }),
    ],
  });
}
