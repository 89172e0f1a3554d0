// The function that tests starts of streams. EventBridge calls it every minute.
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { readOrigin } from '../ports/aws/public-origin.ts';
import { readSyntheticEnvironment } from './environment.ts';
import { createS3Ingest } from './s3-ingest.ts';
import { proofTimes, watchStart } from './watch-start.ts';

const environment = readSyntheticEnvironment(process.env);
const pool = connectDatabase(environment, poolSizes.synthetic);
const ingest = createS3Ingest({ bucket: environment.ingestBucket, region: environment.databaseRegion });
/** Each poll costs a request. */
const pollMs = 2000;

export async function handler(): Promise<void> {
  await watchStart({
    pool,
    apiURL: `${await readOrigin(environment)}/v1`,
    ingest,
    deadline: AbortSignal.timeout(proofTimes.withinMs),
    answerMs: proofTimes.answerMs,
    pollMs,
    steadyClock: () => performance.now(),
    log: jsonLog,
  });
}
