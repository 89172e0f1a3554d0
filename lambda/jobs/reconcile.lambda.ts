// The function that reconciles the books every day. EventBridge calls it.
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { reconcile } from './reconcile.ts';

const pool = connectDatabase(readDatabaseEnvironment(process.env), 1);

export async function handler(): Promise<void> {
  await reconcile(pool, jsonLog);
}
