// The table of stages: everything that differs between them, and the only file that knows their names.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What one stage decides. Every field is required, so that a new one is a decision for every stage. */
export interface StageSettings {
  /** The AWS account's 12 digits. Null takes the account of the credentials that deploy; name it for any stage that others rely on. */
  readonly account: string | null;
  /** The AWS region everything but CloudFront's own parts lives in. */
  readonly region: string;
  /** Two or three zones of that region. Given, not looked up: a lookup needs credentials at synth. GPU publishers need zones that have them. */
  readonly availabilityZones: readonly string[];
  /** NAT gateways for the functions' calls to the outside: one per zone survives a zone's loss, one alone is cheaper. */
  readonly natGateways: number;
  /** RDS instance class without its prefix, e.g. `t4g.medium`; its memory decides how many connections there are. */
  readonly databaseInstanceClass: string;
  /** Storage the database begins with, in GiB (gp3: 20 at least). */
  readonly databaseStorageGiB: number;
  /** Storage it may grow to by itself, in GiB. */
  readonly databaseMaxStorageGiB: number;
  /** A standby in a second zone: a failover takes about a minute, and streams go on meanwhile. */
  readonly databaseMultiAz: boolean;
  /** Days that the database can be put back to any second of (1 to 35). */
  readonly databaseBackupDays: number;
  /** Whether data outlives its stack: deletion protection, termination protection, a last snapshot. False for stages one may destroy. */
  readonly keepData: boolean;
  /** Days that logs are kept: one of the figures CloudWatch Logs takes. */
  readonly logRetentionDays: RetentionDays;
  /** Requests per second that API Gateway lets through for all callers together. Callers' own limits are the application's. */
  readonly apiRequestsPerSecond: number;
  /** Requests that may arrive at once beyond that rate. */
  readonly apiBurstRequests: number;
  /** RTMP ingest for streams that carry a bare `streamKey` (deprecated by the API); null where there is none. */
  readonly legacyRtmpUrl: string | null;
}

const dev: StageSettings = {
  account: null,
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
  natGateways: 1,
  databaseInstanceClass: 't4g.medium',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 50,
  databaseMultiAz: false,
  databaseBackupDays: 1,
  keepData: false,
  logRetentionDays: RetentionDays.TWO_WEEKS,
  apiRequestsPerSecond: 100,
  apiBurstRequests: 200,
  legacyRtmpUrl: null,
};

// As prod in everything that can break by its kind (zones, standby, protection); smaller in size.
const staging: StageSettings = {
  account: null,
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
  natGateways: 1,
  databaseInstanceClass: 't4g.medium',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 100,
  databaseMultiAz: true,
  databaseBackupDays: 7,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_MONTH,
  apiRequestsPerSecond: 500,
  apiBurstRequests: 1000,
  legacyRtmpUrl: null,
};

const prod: StageSettings = {
  account: null,
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
  natGateways: 3,
  databaseInstanceClass: 'm8g.large',
  databaseStorageGiB: 100,
  databaseMaxStorageGiB: 1000,
  databaseMultiAz: true,
  databaseBackupDays: 35,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_YEAR,
  apiRequestsPerSecond: 2000,
  apiBurstRequests: 4000,
  legacyRtmpUrl: null,
};

/** The shared stages, in the order a release goes through them. */
export const stages = { dev, staging, prod };

/**
 * The stages an app is to build, by name, every field checked.
 * @param ownStage the value of `-c stage=NAME`: then only that stage, an engineer's own, with the values of dev. Undefined builds the table.
 * @throws if the name is malformed or one of the table's, or a stage has a missing or malformed field; the message names the field
 */
export function stagesToBuild(ownStage: unknown): Readonly<Record<string, StageSettings>> {
  const chosen: Readonly<Record<string, StageSettings>> = ownStage === undefined ? stages : { [checkedName(ownStage)]: dev };
  for (const [name, settings] of Object.entries(chosen)) checkStage(name, settings);
  return chosen;
}

/** @throws if a field of the stage is missing or malformed; the message names stage and field */
export function checkStage(name: string, settings: StageSettings): void {
  const values: Readonly<Record<string, unknown>> = { ...settings };
  const checks = Object.entries(checksOf(settings));
  const missing = checks.find(([field]) => values[field] === undefined);
  if (missing) throw new Error(`stage "${name}" in lib/stages.ts lacks the field ${missing[0]}`);
  for (const [field, { expected, holds }] of checks) {
    if (!holds(values[field])) throw new Error(`stage "${name}" in lib/stages.ts: ${field} must be ${expected}, not ${JSON.stringify(values[field])}`);
  }
}

function checkedName(name: unknown): string {
  // It begins the names of stacks and parameters, and S3 and RDS make lower-case names of those.
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,15}$/.test(name)) {
    throw new Error(`-c stage=NAME: NAME must be up to 16 lower-case letters, digits and hyphens, a letter first, not ${JSON.stringify(name)}`);
  }
  if (name in stages) throw new Error(`-c stage=${name}: that is a shared stage; leave -c out and name its stacks, '${name}/*'`);
  return name;
}

interface Check {
  /** Ends the sentence "FIELD must be …". */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

function checksOf({ region, databaseStorageGiB }: StageSettings): Record<keyof StageSettings, Check> {
  return {
    account: orNull(text(/^\d{12}$/, 'an account id of 12 digits')),
    region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region'),
    availabilityZones: zonesOf(region),
    natGateways: wholeNumber(1, 3),
    databaseInstanceClass: text(/^[a-z]+\d[a-z0-9]*\.[a-z0-9]+$/, 'an instance class such as "t4g.medium"'),
    databaseStorageGiB: wholeNumber(20, 65_535),
    databaseMaxStorageGiB: wholeNumber(databaseStorageGiB + 1, 65_536),
    databaseMultiAz: flag,
    databaseBackupDays: wholeNumber(1, 35),
    keepData: flag,
    logRetentionDays: { expected: 'a value of RetentionDays', holds: (value) => typeof value === 'number' && value in RetentionDays },
    apiRequestsPerSecond: wholeNumber(1, 10_000),
    apiBurstRequests: wholeNumber(1, 5_000),
    legacyRtmpUrl: orNull(text(/^rtmps?:\/\/[^\s/]+\/\S+$/, 'an rtmp:// or rtmps:// URL with an application')),
  };
}

const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };

function text(pattern: RegExp, expected: string): Check {
  return { expected, holds: (value) => typeof value === 'string' && pattern.test(value) };
}

function wholeNumber(least: number, most: number): Check {
  return {
    expected: `a whole number from ${least} to ${most}`,
    holds: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  };
}

function zonesOf(region: string): Check {
  const zone = text(new RegExp(`^${region}[a-z]$`), '');
  return {
    expected: `two or three different zones of ${region}`,
    holds: (value) => Array.isArray(value) && [2, 3].includes(value.length) && new Set(value).size === value.length && value.every(zone.holds),
  };
}

function orNull(check: Check): Check {
  return { expected: `${check.expected}, or null`, holds: (value) => value === null || check.holds(value) };
}
