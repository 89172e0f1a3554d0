// Settings of the database's upkeep: its version, and the hours in which RDS works on it.
import { type Check, flag, text, wholeNumber } from './setting-checks.ts';

export interface DatabaseSettings {
  /**
   * The major version of Postgres. A change takes `databaseMajorUpgrade`, and the way in lib/README.md (“Upgrade
   * Postgres”). RDS chooses the minor version, and updates it in the maintenance window.
   */
  readonly databaseMajorVersion: number;
  /** Whether a deployment may change the major version, which stops the database for minutes. False otherwise. */
  readonly databaseMajorUpgrade: boolean;
  /**
   * The weekly hour in UTC in which RDS may update and restart the database, as `sun:07:00-sun:08:00`: half an hour at
   * least. With a standby this is a failover of a minute.
   */
  readonly databaseMaintenanceWindow: string;
  /** The daily half hour or more in UTC in which RDS makes the snapshot, as `05:00-05:30`, outside the one above. */
  readonly databaseBackupWindow: string;
}

/** Hours of little traffic in Europe and America, apart from the weekly comparison with the templates. */
export const usualDatabase: DatabaseSettings = {
  databaseMajorVersion: 18,
  databaseMajorUpgrade: false,
  databaseMaintenanceWindow: 'sun:07:00-sun:08:00',
  databaseBackupWindow: '05:00-05:30',
};

const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const day = '(?:mon|tue|wed|thu|fri|sat|sun)';

export const databaseChecks: Readonly<Record<keyof DatabaseSettings, Check>> = {
  // Below 15, every user may create objects in the schema `public`.
  databaseMajorVersion: wholeNumber(15, 30),
  databaseMajorUpgrade: flag,
  databaseMaintenanceWindow: text(
    new RegExp(`^${day}:${time}-${day}:${time}$`),
    'days and times in UTC such as "sun:07:00-sun:08:00"',
  ),
  databaseBackupWindow: text(new RegExp(`^${time}-${time}$`), 'times in UTC such as "05:00-05:30"'),
};

/** The reason why RDS would refuse the hours of a stage; null if it does not. */
export function faultOfWindows(settings: DatabaseSettings): string | null {
  const { databaseMaintenanceWindow: maintenance, databaseBackupWindow: backup } = settings;
  const [begin = '', end = ''] = maintenance.split('-').map((point) => point.slice(4));
  const [backupBegin = '', backupEnd = ''] = backup.split('-');
  for (const [window, from, to] of [
    [maintenance, begin, end],
    [backup, backupBegin, backupEnd],
  ] as const)
    if (lengthMinutes(from, to) < 30) return `RDS needs half an hour at least, not ${window}`;
  const apart =
    lengthMinutes(begin, backupBegin) >= lengthMinutes(begin, end) &&
    lengthMinutes(backupBegin, begin) >= lengthMinutes(backupBegin, backupEnd);
  return apart ? null : `databaseBackupWindow ${backup} cannot overlap databaseMaintenanceWindow ${maintenance}`;
}

/** Minutes from one time of day to the next occurrence of another. */
function lengthMinutes(from: string, to: string): number {
  const minutes = (point: string) => Number(point.slice(0, 2)) * 60 + Number(point.slice(3));
  return (minutes(to) - minutes(from) + 1440) % 1440;
}
