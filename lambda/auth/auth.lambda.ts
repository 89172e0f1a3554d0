// The identity function: handles API Gateway's events with sign-in and OAuth.
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { versionedLog } from '../log.ts';
import { connectCore } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { followOrigin } from '../ports/aws/public-origin.ts';
import { createSESMailer } from '../ports/mailer/ses-mailer.ts';
import { createAuthHandler } from './auth-handler.ts';
import { readAuthEnvironment } from './environment.ts';
import { createEventHandler } from './event-handler.ts';

const log = versionedLog(process.env);
const { mailFrom, mailSets, rateLimitFactor, ...environment } = readAuthEnvironment(process.env);
// better-auth needs further connections while it has a transaction open.
const connections = await connectCore(environment, poolSizes.identity);
const mailer = createSESMailer(new SESv2Client(), mailFrom, mailSets);

export const handler = await followOrigin(environment, (origin) => {
  const auth = createAuthHandler({ ...connections, origin, mailer, rateLimitFactor, clock: () => new Date(), log });
  return createEventHandler(auth, origin);
});
