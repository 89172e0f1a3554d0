// The function behind the queue 'platforms'.
import { newID } from '../data/shared/new-id.ts';
import { jsonLog } from '../log.ts';
import type { PlatformName } from '../domain/channels/managed-platforms.ts';
import { readSecret } from '../ports/aws/call-aws.ts';
import { connectDatabase, connectSealer } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { followOrigin } from '../ports/aws/public-origin.ts';
import { platformEventsPath } from '../ports/managed-platforms/configured-events.ts';
import { createManagedPlatforms } from '../ports/managed-platforms/configured-platforms.ts';
import { createS3ObjectStore } from '../ports/object-store/s3-object-store.ts';
import { measuredFunction } from '../telemetry/telemetry.ts';
import { tracedRecords } from '../telemetry/traced-records.ts';
import { readPlatformsEnvironment } from './environment.ts';
import { createPlatformsHandler } from './platforms.ts';

const environment = readPlatformsEnvironment(process.env);
// Several connections are worked at the same time.
const pool = connectDatabase(environment, poolSizes.platforms);
const clock = () => new Date();
const connections = {
  pool,
  sealer: await connectSealer(pool, environment),
  platforms: createManagedPlatforms(await readSecret(environment.secretARN), clock),
  objects: createS3ObjectStore({ bucket: environment.uploadsBucket }),
  dailyUnits: { youtube: environment.youtubeDailyUnits },
  clock,
  steadyClock: () => performance.now(),
  random: Math.random,
  newID: (prefix: string) => newID(prefix, clock()),
  log: jsonLog,
  signal: new AbortController().signal,
};

export const handler = measuredFunction(
  { env: process.env, service: 'jobs', log: jsonLog },
  await followOrigin(environment, (origin) => {
    const eventsURL = (platform: PlatformName) => `${origin}/v1${platformEventsPath(platform)}`;
    return tracedRecords('platforms', createPlatformsHandler({ ...connections, eventsURL }));
  }),
);
