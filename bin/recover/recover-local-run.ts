// Recovers the local run from the folder of another: its database, its keys, its objects.
import { readFile } from 'node:fs/promises';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { planRecovery, recover } from '../../lambda/migrate/recover.ts';
import { exactText } from '../../lambda/migrate/recovery-source.ts';
import type { DataKeyWrappers } from '../../lambda/migrate/take-place.ts';
import { createFileKeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import { DataFolder } from '../local/data-folder.ts';
import { openDatabase } from '../local/open-database.ts';
import type { RecoverArguments } from './command-line.ts';
import { copyObjects } from './copy-objects.ts';
import { planText } from './plan-text.ts';

/** @throws if one of the runs does not exist, or the recovery is refused */
export async function recoverLocalRun({ from, dataFolder, carryOut }: RecoverArguments): Promise<void> {
  const [there, here] = [DataFolder.at(from), DataFolder.at(dataFolder)];
  if (there.path === here.path) throw new Error('--from and --data are the same folder.');
  if (process.env['DATABASE_URL'])
    throw new Error('DATABASE_URL names one database for both folders. Unset it: each folder has its own.');
  await using started = new AsyncDisposableStack();
  const open = async (folder: DataFolder) => {
    const connectionString = await openDatabase(folder.path, started);
    const pool = createPool({ connectionString, max: 4, options: exactText });
    started.defer(() => pool.end());
    return pool;
  };
  const [source, target] = [await open(there), await open(here)];
  const plan = await planRecovery({ source, target });
  console.log(planText(plan));
  if (!carryOut) {
    console.log(plan.isDone ? '' : 'Nothing was changed. Add --carry-out to carry the plan out.');
    return;
  }
  const beganMs = performance.now();
  const objects = await copyObjects(there.objects, here.objects);
  console.log(`${objects} objects copied`);
  const onProgress = (step: string) => console.log(step);
  const isDone = await recover({ source, target, rewrap: await rewrapBetween(there, here), onProgress });
  if (!isDone) throw new Error('Another recovery of this run is running. Wait until it ends.');
  const differences = await databaseOn(target).reconciliation.differences();
  if (differences.length > 0) throw new Error(`The books differ: ${JSON.stringify(differences)}`);
  console.log(`The books agree. It took ${((performance.now() - beganMs) / 60_000).toFixed(2)} minutes.`);
}

async function rewrapBetween(there: DataFolder, here: DataFolder): Promise<DataKeyWrappers> {
  const [theirs, ours] = [await readFile(there.masterKeyFile), await readFile(here.masterKeyFile)];
  return async (purpose, wrapped) => {
    const dataKey = await createFileKeyWrapper(theirs, purpose).unwrap(wrapped);
    return await createFileKeyWrapper(ours, purpose).wrap(dataKey);
  };
}
