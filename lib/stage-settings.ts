// What a stage decides, and what each of its settings may be.
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
  /** Connections at which an alarm is raised: about 80 % of what Postgres allows, which is the class’ memory in bytes / 9,531,392. */
  readonly databaseConnectionsAlarm: number;
  /** A standby in a second zone: a failover takes about a minute, and streams go on meanwhile. */
  readonly databaseMultiAz: boolean;
  /** Days that the database can be put back to any second of (1 to 35). */
  readonly databaseBackupDays: number;
  /** Whether data outlives its stack: deletion protection, termination protection, a last snapshot. False for stages one may destroy. */
  readonly keepData: boolean;
  /** Days that logs are kept: one of the figures CloudWatch Logs takes. */
  readonly logRetentionDays: RetentionDays;
  /** Host name that the public knows the stage by, and the id of the Route 53 zone it is in; null: the distribution's own name. */
  readonly domain: { readonly name: string; readonly hostedZoneId: string } | null;
  /** Requests in five minutes from one address before the web ACL refuses it. */
  readonly webRequestsPerFiveMinutes: number;
  /** Requests per second that API Gateway lets through for all callers together. Callers' own limits are the application's. */
  readonly apiRequestsPerSecond: number;
  /** Requests that may arrive at once beyond that rate. */
  readonly apiBurstRequests: number;
  /** Multiplies every caller's own rate limit, which the application counts: 1 where strangers call, more for load tests. */
  readonly rateLimitFactor: number;
  /** Machine with one NVIDIA GPU (g family, x86) that an ffmpeg agent or a media worker has to itself. The zones must offer it. */
  readonly gpuInstanceType: string;
  /** GPU machines that run even when idle: a stream that starts on one waits for no machine (3 to 5 minutes). */
  readonly gpuMachinesMin: number;
  /** GPU machines there may be: the brake on cost. The account's quota for g instances has to allow it, 4 vCPU each at least. */
  readonly gpuMachinesMax: number;
  /** Streams an ffmpeg agent takes at once, counted in slots: 1 is 720p30, 2 is 1080p30 or 720p60, up to 16 for 2160p60. */
  readonly ffmpegAgentSlots: number;
  /** ffmpeg agents there always are. */
  readonly ffmpegAgentsMin: number;
  /** ffmpeg agents there may be. */
  readonly ffmpegAgentsMax: number;
  /** Streams a manifest agent takes at once, counted in slots. */
  readonly manifestAgentSlots: number;
  /** Manifest agents there always are. */
  readonly manifestAgentsMin: number;
  /** Manifest agents there may be. */
  readonly manifestAgentsMax: number;
  /** Media workers there may be; there are none while the queue is empty. */
  readonly mediaWorkersMax: number;
  /** Import workers that run even when nothing is imported: without one an import waits for some minutes before it begins. */
  readonly importWorkersMin: number;
  /** Import workers there may be, of a few imports at a time each. */
  readonly importWorkersMax: number;
  /** Address that mails to users come from; SES asks it to confirm. Null: `no-reply@` the domain. A stage with neither sends none, so nobody can sign up. */
  readonly mailFrom: string | null;
  /** Where notifications of alarms and of the budget go; null: nowhere yet, subscribe to the topic by hand. */
  readonly alarmEmail: string | null;
  /** Dollars a month that the account may cost before a notification; nothing is switched off. */
  readonly monthlyBudgetUsd: number;
  /** RTMP ingest for streams that carry a bare `streamKey` (deprecated by the API); null where there is none. */
  readonly legacyRtmpUrl: string | null;
}

/** @throws if a field of the stage is missing or malformed; the message names stage and field */
export function checkStage(name: string, settings: StageSettings): void {
  const values: Readonly<Record<string, unknown>> = { ...settings };
  const checks = Object.entries(checksOf(settings));
  const missing = checks.find(([field]) => values[field] === undefined);
  if (missing) throw new Error(`stage "${name}" in lib/stages.ts lacks the field ${missing[0]}`);
  for (const [field, { expected, holds }] of checks) {
    if (!holds(values[field]))
      throw new Error(
        `stage "${name}" in lib/stages.ts: ${field} must be ${expected}, not ${JSON.stringify(values[field])}`,
      );
  }
}

interface Check {
  /** Ends the sentence "FIELD must be …". */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

function checksOf(settings: StageSettings): Record<keyof StageSettings, Check> {
  const { region, databaseStorageGiB, gpuMachinesMin, ffmpegAgentsMin, manifestAgentsMin, importWorkersMin } = settings;
  return {
    account: orNull(text(/^\d{12}$/, 'an account id of 12 digits')),
    region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region'),
    availabilityZones: zonesOf(region),
    natGateways: wholeNumber(1, 3),
    databaseInstanceClass: text(/^[a-z]+\d[a-z0-9]*\.[a-z0-9]+$/, 'an instance class such as "t4g.medium"'),
    databaseStorageGiB: wholeNumber(20, 65_535),
    databaseMaxStorageGiB: wholeNumber(databaseStorageGiB + 1, 65_536),
    databaseConnectionsAlarm: wholeNumber(10, 5000),
    databaseMultiAz: flag,
    databaseBackupDays: wholeNumber(1, 35),
    keepData: flag,
    logRetentionDays: {
      expected: 'a value of RetentionDays',
      holds: (value) => typeof value === 'number' && value in RetentionDays,
    },
    domain: { expected: 'a name and a hosted zone id, or null', holds: (value) => value === null || isDomain(value) },
    webRequestsPerFiveMinutes: wholeNumber(100, 2_000_000),
    apiRequestsPerSecond: wholeNumber(1, 10_000),
    apiBurstRequests: wholeNumber(1, 5_000),
    rateLimitFactor: wholeNumber(1, 1000),
    gpuInstanceType: text(/^g\d[a-z0-9]*\.\d*xlarge$/, 'a type of the g family such as "g4dn.xlarge"'),
    gpuMachinesMin: wholeNumber(0, 1000),
    gpuMachinesMax: wholeNumber(Math.max(1, gpuMachinesMin), 1000),
    // With fewer, no agent could ever take a stream at 2160p60.
    ffmpegAgentSlots: wholeNumber(16, 1000),
    // Scaling follows what agents report, so one has to be there.
    ffmpegAgentsMin: wholeNumber(1, 1000),
    ffmpegAgentsMax: wholeNumber(ffmpegAgentsMin, 1000),
    manifestAgentSlots: wholeNumber(1, 1000),
    manifestAgentsMin: wholeNumber(1, 1000),
    manifestAgentsMax: wholeNumber(manifestAgentsMin, 1000),
    mediaWorkersMax: wholeNumber(1, 1000),
    importWorkersMin: wholeNumber(0, 1000),
    importWorkersMax: wholeNumber(Math.max(1, importWorkersMin), 1000),
    mailFrom: orNull(emailAddress),
    alarmEmail: orNull(emailAddress),
    monthlyBudgetUsd: wholeNumber(1, 10_000_000),
    legacyRtmpUrl: orNull(text(/^rtmps?:\/\/[^\s/]+\/\S+$/, 'an rtmp:// or rtmps:// URL with an application')),
  };
}

const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };

const emailAddress = text(/^[^@\s]+@[^@\s]+\.[^@\s]+$/, 'an e-mail address');

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
    holds: (value) =>
      Array.isArray(value) &&
      [2, 3].includes(value.length) &&
      new Set(value).size === value.length &&
      value.every(zone.holds),
  };
}

function orNull(check: Check): Check {
  return { expected: `${check.expected}, or null`, holds: (value) => value === null || check.holds(value) };
}

function isDomain(value: unknown): boolean {
  const { name, hostedZoneId }: { name?: unknown; hostedZoneId?: unknown } = Object(value);
  return (
    typeof name === 'string' &&
    /^([a-z0-9-]+\.)+[a-z]+$/.test(name) &&
    typeof hostedZoneId === 'string' &&
    /^Z[A-Z0-9]+$/.test(hostedZoneId)
  );
}
