// The settings of a stage: what each of them means, and which values it may have.
import { idleChecks, type IdleSettings } from './idle-settings.ts';
import { operatingChecks, type OperatingSettings } from './operating-settings.ts';
import {
  type Check,
  emailAddress,
  flag,
  isDomain,
  isRegion,
  orNull,
  regionsWithoutCloudFrontLogs,
  tagValue,
  text,
  wholeNumber,
  zonesOf,
} from './setting-checks.ts';
import { faultOfTaken, takenChecks, type TakenSettings } from './taken-settings.ts';

/**
 * What one stage decides. Every field is required: whoever adds a field has to decide about it for every stage.
 * Numbers are whole. What is allowed for each field stands in `checksOf` below.
 */
export interface StageSettings extends IdleSettings, OperatingSettings, TakenSettings {
  /**
   * The 12 digits of the AWS account that the stage belongs to. A deployment to another account is refused.
   * Null: the account of whoever deploys. Name the account of every stage that others rely on.
   */
  readonly account: string | null;
  /**
   * The qualifier of the CDK's bootstrap that the stage is deployed by: up to ten letters and digits. Stages that share
   * an account have one each, and with it roles that deploy them and nothing else. Null: the CDK's own.
   */
  readonly bootstrapQualifier: string | null;
  /** Who answers for the stage: the value of the tag `owner` on everything it has. */
  readonly owner: string;
  /** Who pays for the stage: the value of the tag `cost-center` on everything it has. */
  readonly costCenter: string;
  /** The AWS region of the stage. Only what CloudFront uses, and copies (`recoveryRegion`), are elsewhere. */
  readonly region: string;
  /**
   * Two or three availability zones of the region. They are written here because looking them up would need
   * credentials at every synth. They have to offer `gpuInstanceType`.
   */
  readonly availabilityZones: readonly string[];
  /**
   * How many NAT gateways there are. The functions call payment providers, webhooks and AWS through them. With one in
   * each zone, the functions go on when a zone is lost; with a single one, the stage is cheaper.
   */
  readonly natGateways: number;
  /**
   * RDS instance class without the prefix `db.`, such as `t4g.medium`. Its memory decides how many connections Postgres
   * allows.
   */
  readonly databaseInstanceClass: string;
  /** GiB of storage that the database begins with. gp3 volumes have at least 20. */
  readonly databaseStorageGiB: number;
  /** GiB of storage that the database may grow to by itself. More than `databaseStorageGiB`. */
  readonly databaseMaxStorageGiB: number;
  /**
   * Number of connections to the database at which an alarm is raised. Take about 80 % of what Postgres allows, which
   * is the memory of the instance class in bytes, divided by 9,531,392.
   */
  readonly databaseConnectionsAlarm: number;
  /**
   * Whether there is a standby of the database in a second zone. A failover to it takes about a minute, in which
   * streams stay on air. It doubles the price of the database.
   */
  readonly databaseMultiAz: boolean;
  /** Days for which backups are kept (1 to 35): the database can be restored to any second of them. */
  readonly databaseBackupDays: number;
  /**
   * A second region, to which the database's backups and users' uploads are copied, encrypted
   * by a key there: a stage that has lost its region is recovered from them (lib/README.md, “Recover a stage”). It
   * takes an `account`. Null: there are no copies.
   */
  readonly recoveryRegion: string | null;
  /**
   * Whether the data of the stage survives the deletion of its stacks: with deletion protection, termination
   * protection, a last snapshot of the database, and buckets, keys and secrets that stay. False: everything goes.
   */
  readonly keepData: boolean;
  /**
   * The public host name of the stage, and the id of the Route 53 hosted zone that the name is in.
   * Null: the stage has the name that CloudFront gives it.
   */
  readonly domain: { readonly name: string; readonly hostedZoneId: string } | null;
  /** Requests from one address in five minutes that the web ACL lets through. It answers further ones with 429. */
  readonly webRequestsPerFiveMinutes: number;
  /**
   * Requests per second that API Gateway lets through, for all callers together. The application also limits each
   * caller, see `rateLimitFactor`.
   */
  readonly apiRequestsPerSecond: number;
  /** Requests beyond that rate which API Gateway lets through when they come at once. */
  readonly apiBurstRequests: number;
  /**
   * What the application's own limit for each caller is multiplied by. 1 for every stage that strangers call; more
   * where load is tested.
   */
  readonly rateLimitFactor: number;
  /** What every limit of `lambda/domain/shared/limits.ts` is multiplied by: how much each user may have. */
  readonly limitFactor: number;
  /** GiB of uploads that each user stores free of charge. More costs credits (`lambda/domain/billing/credits.ts`). */
  readonly freeStoredGiB: number;
  /**
   * EC2 type of the machines for ffmpeg agents and media workers: of the g family, x86, with one NVIDIA GPU. Each agent
   * and each worker has a machine to itself.
   */
  readonly gpuInstanceType: string;
  /**
   * GPU machines that run even when there is nothing to do. A stream that starts on one of them does not wait the 3 to
   * 5 minutes until a new machine is there.
   */
  readonly gpuMachinesMin: number;
  /**
   * The most GPU machines there may be: this limits the costs. More than `ffmpegAgentsMax` and `mediaWorkersMax`
   * together, as a release starts new agents before it ends old ones: each machine more is an agent that moves at the
   * same time. The account's quota “Running On-Demand G and VT instances” has to allow them all, with at least 4 vCPU
   * for each.
   */
  readonly gpuMachinesMax: number;
  /**
   * Million pixels a second that the GPU of `gpuInstanceType` encodes to H.264. A stream at 720p30 takes 28, at 1080p30
   * 62, at 2160p60 498. Agents measure all other costs of a stream themselves (lambda/domain/fleet/capacity.ts).
   */
  readonly gpuMegapixels: number;
  /**
   * ffmpeg agents that always run. 0: none, and `gpuMachinesMin` may be 0 as well. Agents on Fargate then encode too,
   * and take media commands; a machine comes for a stream that they have no room for, which waits for it some minutes,
   * and goes when no stream has waited for a quarter of an hour.
   */
  readonly ffmpegAgentsMin: number;
  /** The most ffmpeg agents there may be. */
  readonly ffmpegAgentsMax: number;
  /**
   * Mbit/s that a manifest agent, which sends prepared media, may send all the time. AWS documents none for Fargate;
   * an EC2 machine of its size (c7g.medium) has 520. One stream at 720p30 takes 4.3, at 1080p30 6.4.
   */
  readonly manifestAgentNetworkMbps: number;
  /** Manifest agents that always run. */
  readonly manifestAgentsMin: number;
  /** The most manifest agents there may be. */
  readonly manifestAgentsMax: number;
  /** The most media workers there may be. None runs while the queue `media` is empty. */
  readonly mediaWorkersMax: number;
  /** Import workers that always run. With 0, an import waits some minutes until a worker has been started for it. */
  readonly importWorkersMin: number;
  /** The most import workers there may be. Each fetches a few imports at the same time. */
  readonly importWorkersMax: number;
  /**
   * The units of YouTube's daily quota that Google lets the project of this stage use: 10,000 unless it has been
   * audited for more. It counts only where the secret has a client of YouTube.
   */
  readonly youtubeDailyUnits: number;
  /**
   * Address that mails to users come from. SES sends a mail to it, which has to be confirmed.
   * Null: `no-reply@` at the name in `domain`. A stage with neither sends no mails, so nobody can sign up.
   */
  readonly mailFrom: string | null;
  /**
   * What a stream is created with whose `streamBackend` is null. `manifest` costs about a hundredth, and a first start
   * waits until the media is prepared. Streams that are there keep what they have.
   */
  readonly defaultStreamBackend: 'ffmpeg' | 'manifest';
  /** Whether everybody may change `streamBackend` of a stream that is not live. False: whom operators let. */
  readonly streamBackendEdit: boolean;
  /**
   * URL of the RTMP ingest for streams that have a bare `streamKey` instead of a destination, which the API deprecates.
   * Null: there is none.
   */
  readonly legacyRtmpURL: string | null;
}

/**
 * @throws if a setting of the stage is missing or has a wrong value; the message names the stage and the setting
 */
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
  const fault = faultOfTaken(settings);
  if (fault !== null) throw new Error(`stage "${name}" in lib/stages.ts: ${fault}`);
}

function checksOf(settings: StageSettings): Record<keyof StageSettings, Check> {
  const { region, databaseStorageGiB, gpuMachinesMin, ffmpegAgentsMin, manifestAgentsMin, importWorkersMin } = settings;
  const tasksOnGpusMax = settings.ffmpegAgentsMax + settings.mediaWorkersMax;
  return {
    ...idleChecks,
    ...operatingChecks,
    ...takenChecks(settings),
    account: orNull(text(/^\d{12}$/, 'an account id of 12 digits')),
    bootstrapQualifier: orNull(text(/^[a-z0-9]{1,10}$/, 'up to ten small letters and digits')),
    owner: tagValue,
    costCenter: tagValue,
    region: {
      expected: 'an AWS region with CloudFront, whose buckets it can write its logs to',
      holds: (value) => isRegion.holds(value) && !regionsWithoutCloudFrontLogs.has(String(value)),
    },
    availabilityZones: zonesOf(region),
    natGateways: wholeNumber(1, 3),
    databaseInstanceClass: text(/^[a-z]+\d[a-z0-9]*\.[a-z0-9]+$/, 'an instance class such as "t4g.medium"'),
    databaseStorageGiB: wholeNumber(20, 65_535),
    databaseMaxStorageGiB: wholeNumber(databaseStorageGiB + 1, 65_536),
    databaseConnectionsAlarm: wholeNumber(10, 5000),
    databaseMultiAz: flag,
    databaseBackupDays: wholeNumber(1, 35),
    recoveryRegion: {
      expected: 'another AWS region, not of China or GovCloud, or null',
      holds: (value) => value === null || (isRegion.holds(value) && value !== region),
    },
    keepData: flag,
    domain: { expected: 'a name and a hosted zone id, or null', holds: (value) => value === null || isDomain(value) },
    webRequestsPerFiveMinutes: wholeNumber(100, 2_000_000),
    apiRequestsPerSecond: wholeNumber(1, 10_000),
    apiBurstRequests: wholeNumber(1, 5_000),
    rateLimitFactor: wholeNumber(1, 1000),
    limitFactor: wholeNumber(1, 1000),
    freeStoredGiB: wholeNumber(0, 1_000_000),
    gpuInstanceType: text(/^g\d[a-z0-9]*\.\d*xlarge$/, 'a type of the g family such as "g4dn.xlarge"'),
    gpuMachinesMin: wholeNumber(0, 1000),
    gpuMachinesMax: wholeNumber(Math.max(tasksOnGpusMax + 1, gpuMachinesMin), 3000),
    // An agent with less could never take a stream at 2160p60.
    gpuMegapixels: wholeNumber(498, 100_000),
    ffmpegAgentsMin: wholeNumber(0, 1000),
    ffmpegAgentsMax: wholeNumber(Math.max(1, ffmpegAgentsMin), 1000),
    // An agent with less could never take a stream at 2160p60.
    manifestAgentNetworkMbps: wholeNumber(50, 100_000),
    // Scaling follows the numbers that agents report, so at least one agent has to run.
    manifestAgentsMin: wholeNumber(1, 1000),
    manifestAgentsMax: wholeNumber(manifestAgentsMin, 1000),
    mediaWorkersMax: wholeNumber(1, 1000),
    importWorkersMin: wholeNumber(0, 1000),
    importWorkersMax: wholeNumber(Math.max(1, importWorkersMin), 1000),
    youtubeDailyUnits: wholeNumber(100, 100_000_000),
    mailFrom: orNull(emailAddress),
    defaultStreamBackend: text(/^(?:ffmpeg|manifest)$/, 'ffmpeg or manifest'),
    streamBackendEdit: flag,
    legacyRtmpURL: orNull(text(/^rtmps?:\/\/[^\s/]+\/\S+$/, 'an rtmp:// or rtmps:// URL with an application')),
  };
}
