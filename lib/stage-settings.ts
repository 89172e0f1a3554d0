// The settings of a stage: their meaning and their allowed values.
import { faultOfConnections } from './database/connection-budget.ts';
import { databaseChecks, type DatabaseSettings, faultOfWindows } from './database-settings.ts';
import { idleChecks, type IdleSettings } from './idle-settings.ts';
import { operatingChecks, type OperatingSettings } from './operating-settings.ts';
import {
  addedZoneOf,
  type Check,
  checkValue,
  emailAddress,
  flag,
  isDomain,
  isRegion,
  orNull,
  regionsWithoutCloudFrontLogs,
  tagValue,
  taskCounts,
  text,
  wholeNumber,
  zonesOf,
} from './setting-checks.ts';
import { faultOfTaken, takenChecks, type TakenSettings } from './taken-settings.ts';

/**
 * The settings of one stage. Every field is required, so that a new field is decided for every preset
 * (`presets.ts`). Numbers are whole. `checkStage` has the allowed values of each field.
 */
export interface StageSettings extends DatabaseSettings, IdleSettings, OperatingSettings, TakenSettings {
  /**
   * The 12 digits of the stage's AWS account. A deployment to another account is refused. Null: the account of the
   * deploying user. Set it for every stage that others rely on.
   */
  readonly account: string | null;
  /**
   * The qualifier of the CDK's bootstrap that deploys the stage: up to ten letters and digits. Stages that share an
   * account have one each, with roles that can deploy this stage only. Null: the CDK's default.
   */
  readonly bootstrapQualifier: string | null;
  /** The team or person responsible for the stage: the value of the tag `owner` on all its resources. */
  readonly owner: string;
  /** The cost center of the stage: the value of the tag `cost-center` on all its resources. */
  readonly costCenter: string;
  /** The AWS region of the stage. Only copies (`recoveryRegion`) and some resources of CloudFront are elsewhere. */
  readonly region: string;
  /**
   * Two or three availability zones of the region. They are settings because a lookup would need credentials at every
   * synth. They have to offer `gpuInstanceType`.
   */
  readonly availabilityZones: readonly string[];
  /**
   * A third zone for a stage that began with two. Its subnets have addresses behind all others, so those in use stay.
   * Null: none was added.
   */
  readonly addedAvailabilityZone: string | null;
  /**
   * Number of NAT gateways. Functions call payment providers, webhooks and AWS through them. With one in each zone,
   * functions survive the loss of a zone; with a single one, the stage is cheaper.
   */
  readonly natGateways: number;
  /**
   * RDS instance class without the prefix `db.`, such as `t4g.medium`. Its memory decides how many connections Postgres
   * allows, and so how many tasks and requests the stage may have at most (`database/connection-budget.ts`).
   */
  readonly databaseInstanceClass: string;
  /** GiB of storage that the database begins with. gp3 volumes have at least 20. */
  readonly databaseStorageGiB: number;
  /** GiB of storage that the database may grow to automatically. More than `databaseStorageGiB`. */
  readonly databaseMaxStorageGiB: number;
  /**
   * Whether the database has a standby in a second zone. A failover takes about a minute, during which streams stay on
   * air. It doubles the price of the database.
   */
  readonly databaseMultiAz: boolean;
  /** Days for which backups are kept (1 to 35): the database can be restored to any second of them. */
  readonly databaseBackupDays: number;
  /**
   * A second region, to which the database's backups and users' uploads are copied, encrypted by a key there. A stage
   * that has lost its region is recovered from these copies (lib/README.md, “Recover a stage”). It requires an
   * `account`. Null: there are no copies.
   */
  readonly recoveryRegion: string | null;
  /**
   * Whether the stage's data survives the deletion of its stacks: with deletion protection, termination protection, a
   * final snapshot of the database, and retained buckets, keys and secrets. False: all data is deleted.
   */
  readonly keepData: boolean;
  /**
   * The public host name of the stage, and the id of its Route 53 hosted zone. Null: the stage has the host name that
   * CloudFront assigns.
   */
  readonly domain: { readonly name: string; readonly hostedZoneId: string } | null;
  /** Requests that the web ACL allows one address in five minutes. It answers further ones with 429. */
  readonly webRequestsPerFiveMinutes: number;
  /**
   * Requests per second that API Gateway allows all callers together. The application also limits each caller, see
   * `rateLimitFactor`.
   */
  readonly apiRequestsPerSecond: number;
  /** Requests above that rate that API Gateway allows in a burst. */
  readonly apiBurstRequests: number;
  /**
   * Factor of the application's own limit for each caller. 1 for every public stage; more for load tests.
   */
  readonly rateLimitFactor: number;
  /** Factor of every limit in `lambda/domain/shared/limits.ts`, which restrict each user. */
  readonly limitFactor: number;
  /** GiB of uploads that each user stores free of charge. More costs credits (`lambda/domain/billing/credits.ts`). */
  readonly freeStoredGiB: number;
  /**
   * EC2 type of the machines for ffmpeg agents and media workers: of the g family, x86, with one NVIDIA GPU. Each agent
   * and each worker has a machine to itself.
   */
  readonly gpuInstanceType: string;
  /**
   * GPU machines that always run. A stream that starts on one of them does not wait 3 to 5 minutes for a new machine.
   */
  readonly gpuMachinesMin: number;
  /**
   * The most GPU machines, which limits the costs. More than `ffmpegAgentsMax` and `mediaWorkersMax` together, because
   * a release starts new agents before it ends old ones: each additional machine lets one more agent move at the same
   * time. The account's quota “Running On-Demand G and VT instances” has to allow them all, with at least 4 vCPU for
   * each.
   */
  readonly gpuMachinesMax: number;
  /**
   * Million pixels per second that the GPU of `gpuInstanceType` encodes to H.264. A stream at 720p30 needs 28, at
   * 1080p30 62, at 2160p60 498. Agents measure all other costs of a stream themselves
   * (lambda/domain/fleet/capacity.ts).
   */
  readonly gpuMegapixels: number;
  /**
   * ffmpeg agents that always run. 0: none, and `gpuMachinesMin` may be 0 as well. Then agents on Fargate also encode
   * and take media commands. A stream that exceeds their capacity waits some minutes for a machine, which ends when no
   * stream has waited for a quarter of an hour.
   */
  readonly ffmpegAgentsMin: number;
  /** The most ffmpeg agents. */
  readonly ffmpegAgentsMax: number;
  /**
   * Mbit/s that a manifest agent, which sends prepared media, may send permanently. AWS documents no number for
   * Fargate; an EC2 machine of its size (c7g.medium) has 520. One stream at 720p30 needs 4.3, at 1080p30 6.4.
   */
  readonly manifestAgentNetworkMbps: number;
  /** Manifest agents that always run. */
  readonly manifestAgentsMin: number;
  /** The most manifest agents. */
  readonly manifestAgentsMax: number;
  /** The most media workers. None runs while the queue `media` is empty. */
  readonly mediaWorkersMax: number;
  /** Import workers that always run. With 0, an import waits some minutes until a worker has started. */
  readonly importWorkersMin: number;
  /** The most import workers. Each runs a few imports at the same time. */
  readonly importWorkersMax: number;
  /**
   * The units of YouTube's daily quota that Google grants the project of this stage: 10,000 unless it has been audited
   * for more. Used only if the secret has a client of YouTube.
   */
  readonly youtubeDailyUnits: number;
  /**
   * Sender address of mails to users. SES sends a mail to it, which has to be confirmed. Null: `no-reply@` at the name
   * in `domain`. A stage with neither sends no mails, so users cannot sign up.
   */
  readonly mailFrom: string | null;
  /**
   * The backend of a stream whose `streamBackend` is null when it is created. `manifest` costs about a hundredth, and a
   * first start waits until the media is prepared. Existing streams keep their backend.
   */
  readonly defaultStreamBackend: 'ffmpeg' | 'manifest';
  /**
   * Whether all users may change `streamBackend` of a stream that is not live. False: only users an operator allowed.
   */
  readonly streamBackendEdit: boolean;
  /**
   * URL of the RTMP ingest for streams that have a bare `streamKey` instead of a destination (deprecated in the API).
   * Null: there is none.
   */
  readonly legacyRtmpURL: string | null;
  /**
   * Tasks that receive contributors of live inputs behind a load balancer: those that always run, and the most. Both
   * cost money without contributors too. A task has room for two sessions at 1080p30. A stage with a `domain` receives
   * RTMPS at `ingest.` and the domain, a stage without one RTMP, which sends keys and pictures in the clear. Null: no
   * live inputs.
   */
  readonly liveIngest: { readonly minTasks: number; readonly maxTasks: number } | null;
}

/**
 * @throws if the name is malformed, or if a setting of the stage is missing or invalid; the message names the stage and
 *   the setting
 */
export function checkStage(name: string, settings: StageSettings): void {
  const nameFault = faultOfName(name);
  if (nameFault !== null) throw new Error(nameFault);
  const values: Readonly<Record<string, unknown>> = { ...settings };
  const missing = Object.keys(checksOf(settings)).find((field) => values[field] === undefined);
  if (missing !== undefined) throw new Error(`stage "${name}" lacks the setting ${missing}`);
  checkSettings(`stage "${name}"`, settings);
  const fault = faultOfTaken(settings) ?? faultOfConnections(settings) ?? faultOfWindows(settings);
  if (fault !== null) throw new Error(`stage "${name}": ${fault}`);
}

/**
 * Checks some settings of a stage, for constructs that are used alone.
 * @param owner the beginning of the message
 * @throws if a setting is invalid; the message names it
 */
export function checkSettings(owner: string, settings: Partial<StageSettings>): void {
  const values: Readonly<Record<string, unknown>> = { ...settings };
  for (const [field, check] of Object.entries(checksOf(settings as StageSettings)))
    if (field in values) checkValue(owner, field, values[field], check);
}

/** All zones of a stage, in the order of its subnets. */
export function zonesOfStage(settings: Pick<StageSettings, 'availabilityZones' | 'addedAvailabilityZone'>): string[] {
  const { availabilityZones, addedAvailabilityZone: added } = settings;
  return [...availabilityZones, ...(added === null ? [] : [added])];
}

/** The fault of a stage's name, which begins the names of its stacks and parameters; null if there is none. */
export function faultOfName(name: unknown): string | null {
  // S3 and RDS derive lower-case names from it.
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,15}$/.test(name)) {
    const expected = 'up to 16 lower-case letters, digits and hyphens, a letter first';
    return `the name of a stage must be ${expected}, not ${JSON.stringify(name)}`;
  }
  // AWS reserves these prefixes of parameters.
  // https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
  return /^(aws|ssm)/.test(name) ? `the name of a stage cannot begin with "aws" or "ssm", as ${name} does` : null;
}

function checksOf(settings: StageSettings): Record<keyof StageSettings, Check> {
  const {
    region,
    availabilityZones,
    databaseStorageGiB,
    gpuMachinesMin,
    ffmpegAgentsMin,
    manifestAgentsMin,
    importWorkersMin,
  } = settings;
  const tasksOnGpusMax = settings.ffmpegAgentsMax + settings.mediaWorkersMax;
  return {
    ...databaseChecks,
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
    addedAvailabilityZone: addedZoneOf(availabilityZones, region),
    natGateways: wholeNumber(1, 3),
    databaseInstanceClass: text(/^[a-z]+\d[a-z0-9]*\.[a-z0-9]+$/, 'an instance class such as "t4g.medium"'),
    databaseStorageGiB: wholeNumber(20, 65_535),
    databaseMaxStorageGiB: wholeNumber(databaseStorageGiB + 1, 65_536),
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
    liveIngest: orNull(taskCounts(1, 20)),
    legacyRtmpURL: orNull(text(/^rtmps?:\/\/[^\s/]+\/\S+$/, 'an rtmp:// or rtmps:// URL with an application')),
  };
}
