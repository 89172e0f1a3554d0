// The daily proof of the books: called by EventBridge.
import { readEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { reconcile } from './reconcile.ts';

const { pool } = await connectAws(readEnvironment(process.env), 1, jsonLog);

export async function handler(): Promise<void> {
  await reconcile(pool, jsonLog);
}
