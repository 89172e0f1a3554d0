// The function that reconciles the books every day. EventBridge calls it.
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { reconcile } from './reconcile.ts';

const pool = connectDatabase(readDatabaseEnvironment(process.env), poolSizes.reconcile);

export async function handler(): Promise<void> {
  await reconcile(pool, jsonLog);
}
