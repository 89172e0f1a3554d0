// The plan of a recovery in words.
import type { RecoveryPlan } from '../../lambda/migrate/recover.ts';

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

export function planText({ source, replaced, copiedBytes, isDone, obstacles }: RecoveryPlan): string {
  if (isDone) return 'The recovery is done: the rows of this source are in place.';
  const bytes = source.tables.reduce((sum, table) => sum + table.bytes, 0);
  return [
    `Source: ${source.users} users, ${source.streams} streams, ${source.tables.length} tables of ${mebibytes(bytes)}.`,
    `Last activity: ${source.lastSeen === null ? 'never' : new Date(source.lastSeen).toISOString()}.`,
    ...(copiedBytes > 0 ? [`${mebibytes(copiedBytes)} of these are copied already.`] : []),
    `Target: ${replaced.users} users and ${replaced.streams} streams, which the recovery replaces.`,
    '1. Copy each table beside those of the target, and prove that the copy is equal.',
    '2. In one transaction: put the copies in place, and declare the agents of the source dead.',
    '3. Prove that ledger, live intervals and invoices agree.',
    'Agents of the target then take the streams over. Users do not pay for the time in between.',
    ...obstacles.map((obstacle) => `✗ ${obstacle}`),
  ].join('\n');
}
