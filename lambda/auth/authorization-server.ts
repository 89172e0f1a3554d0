// The authorization server: better-auth and its OAuth provider, configured for this platform and for our own tables.
// Its packages pin each other to exact versions, so upgrade them together. It has 1.5 MB, so only this function imports
// it. Decision D32.
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { jwt } from 'better-auth/plugins/jwt';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import * as z from 'zod';
import { newID } from '../data/shared/new-id.ts';
import { framerates, qualities } from '../domain/shared/video-format.ts';
import type { Log } from '../log.ts';
import { allScopes } from '../operations/scopes.ts';
import type { Mailer } from '../ports/mailer/mailer.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { authorizationServerSecret, cookiePrefix } from '../surfaces/admission/page-sessions.ts';
import { accessTokenSeconds, audiencesOf, resourcePaths } from '../surfaces/admission/protected-resource.ts';
import { account } from './account.ts';
import { addressHeader } from './client-address.ts';
import { deviceAuthorization, disabledDevicePaths } from './device-codes.ts';
import { deviceConfirmation } from './device-confirmation.ts';
import { passwordResetMail, signUpAgainMail, verificationMail } from './mails.ts';
import { rateLimitRules } from './rate-limits.ts';
import { recordChanges, recordRequests } from './security-events.ts';
import { SignInMails } from './sign-in-mails.ts';
import { keysForSigning } from './signing-keys.ts';
import { limitTexts } from './text-limits.ts';

export interface AuthorizationServerOptions {
  /** The origin of the web page, the authorization server and the API, without a trailing slash. */
  readonly origin: string;
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly serviceSecret: string;
  /** Multiplies every rate limit. */
  readonly rateLimitFactor: number;
  readonly clock: () => Date;
  readonly log: Log;
}

/** The base path of better-auth's endpoints. */
export const authPath = '/api/auth';

const day = 86_400;
const idPrefixes: Readonly<Record<string, string>> = {
  user: 'usr',
  session: 'ses',
  account: 'crd',
  verification: 'vrf',
  oauthClient: 'app',
};

/**
 * Disabled endpoints of better-auth: only OAuth issues tokens, account.ts lists sessions without their tokens and
 * disconnects applications completely, and there are no social accounts.
 */
const disabledPaths = [
  '/token',
  '/oauth2/update-consent',
  '/oauth2/delete-consent',
  '/list-sessions',
  '/revoke-session',
  '/sign-in/social',
  '/link-social',
  '/list-accounts',
  '/unlink-account',
  '/get-access-token',
  '/refresh-token',
  '/account-info',
  ...disabledDevicePaths,
];

/** Our table names for the models of better-auth's OAuth provider. */
const oauthTables = {
  // CamelCasePlugin translates all names to snake case and back except requirePKCE.
  oauthClient: { modelName: 'oauthClients', fields: { requirePKCE: 'requirePkce' } },
  oauthResource: { modelName: 'oauthResources' },
  oauthClientResource: { modelName: 'oauthClientResources' },
  oauthRefreshToken: { modelName: 'oauthRefreshTokens' },
  oauthAccessToken: { modelName: 'oauthAccessTokens' },
  oauthConsent: { modelName: 'oauthConsents' },
  oauthClientAssertion: { modelName: 'oauthClientAssertions' },
};

export function createAuthorizationServer(options: AuthorizationServerOptions) {
  const { origin, pool, sealer, clock, log } = options;
  const mails = new SignInMails(options);
  return betterAuth({
    baseURL: origin,
    basePath: authPath,
    secret: authorizationServerSecret(options.serviceSecret),
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
        // Refusals are normal answers, so they are not logged.
        if (!isAPIError(error) || error.statusCode >= 500) log('auth_failed', { error });
      },
    },
    database: {
      // better-auth uses camel case, our schema snake case.
      db: new Kysely({
        dialect: new PostgresDialect({ pool }),
        plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
      }),
      type: 'postgres',
      transaction: true,
    },
    advanced: {
      // Our own migrations create the tables (lambda/data/migrations).
      database: { validateSchema: false, generateId: ({ model }) => newID(idPrefixes[model] ?? 'aut', clock()) },
      // Without these lines, better-auth omits the checks if NODE_ENV or TEST indicates a test. Decision D32.
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      cookiePrefix,
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
      // The link of better-auth has the token in its path. Calls are counted by path, so it would be without limit.
      sendResetPassword: ({ user, token }, request) => {
        const mail = passwordResetMail(user.email, `${origin}/new-password#${new URLSearchParams({ token })}`);
        return mails.send(mail, user, request?.headers, { isForPassword: true });
      },
      // The page answers the same as for a new address. This mail informs the owner of the address.
      onExistingUserSignUp: ({ user }, request) =>
        mails.send(signUpAgainMail(user.email, `${origin}/sign-in`), user, request?.headers),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ user, url }, request) =>
        mails.send(verificationMail(user.email, url), user, request?.headers),
    },
    databaseHooks: recordChanges(pool),
    hooks: { before: limitTexts, after: recordRequests(pool, mails) },
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
        // The sign-in and consent pages may also be open for this long.
        codeExpiresIn: 600,
        // Users cannot create clients or resources: applications register themselves.
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
      deviceAuthorization(origin),
      account({ pool, clock }),
      deviceConfirmation({ pool, clock, rateLimitFactor: options.rateLimitFactor }),
    ],
  });
}
