// Existing resources of a company that a stage uses instead of creating its own.
import { type Check, isArn, isCidr, orNull, tagValue, text } from './setting-checks.ts';

/** An existing network. Each list has one subnet for each zone of the stage, or the same larger number for each. */
export interface GivenNetwork {
  readonly vpcId: string;
  /** Addresses of the whole VPC, such as `10.20.0.0/16`. */
  readonly cidr: string;
  /**
   * Subnets of agents: with a route to an internet gateway and public addresses, so that media needs no NAT gateway.
   */
  readonly publisherSubnetIds: readonly string[];
  /** Subnets of functions: with a route to the internet through NAT, for AWS, webhooks and payment providers. */
  readonly functionSubnetIds: readonly string[];
  /** Subnets of the database, which needs no route to other networks. */
  readonly databaseSubnetIds: readonly string[];
}

/** Null in a field: the stage creates its own resource. */
export interface TakenSettings {
  /** The addresses of a VPC that the stage creates: 16 to 20 bits, which no other network of yours uses. */
  readonly vpcCidr: string;
  /** An existing VPC. Its owner configures flow logs, endpoints and NAT. */
  readonly network: GivenNetwork | null;
  /**
   * ARN of a role, in the account of the hosted zone in `domain`, that lets this account delegate the name: that zone
   * is then of a parent domain, and the stage creates its own zone for its name. Null: the zone is in this account.
   */
  readonly hostedZoneRoleArn: string | null;
  /** ARN of a certificate of ACM in us-east-1 for the name in `domain`. */
  readonly certificateArn: string | null;
  /** ARN of the KMS key that wraps the keys for sealing secrets. If the key is lost, all secrets are lost. */
  readonly sealingKeyArn: string | null;
  /** ARN of the KMS key for uploads and renditions. */
  readonly mediaKeyArn: string | null;
  /** ARN of the KMS key for copies of backups and of uploads: a key of `recoveryRegion`. */
  readonly recoveryKeyArn: string | null;
  /**
   * Name of a bucket in the region for the access logs of buckets and of the distribution, below the stage's name. Its
   * policy has to let `logging.s3` write, and its ACLs CloudFront (object ownership “bucket owner preferred”).
   */
  readonly logBucketName: string | null;
  /** ARN of an SNS topic for notifications of alarms and of the budget. Its policy and its key have to allow both. */
  readonly alarmTopicArn: string | null;
  /** ARN of the policy that is the permissions boundary of every role of the stage. */
  readonly permissionsBoundaryArn: string | null;
  /** Further tags of all resources of the stage, by key. */
  readonly tags: Readonly<Record<string, string>>;
}

/** For a stage in an account of its own, which creates all its resources. */
export const nothingTaken: TakenSettings = {
  vpcCidr: '10.0.0.0/16',
  network: null,
  hostedZoneRoleArn: null,
  certificateArn: null,
  sealingKeyArn: null,
  mediaKeyArn: null,
  recoveryKeyArn: null,
  logBucketName: null,
  alarmTopicArn: null,
  permissionsBoundaryArn: null,
  tags: {},
};

/** Tags of every stage: shared/stage-tags.ts. */
const ownTags = new Set(['stage', 'owner', 'cost-center']);

export function takenChecks({
  region,
  availabilityZones,
  addedAvailabilityZone,
  recoveryRegion,
}: {
  readonly region: string;
  readonly availabilityZones: readonly string[];
  readonly addedAvailabilityZone: string | null;
  readonly recoveryRegion: string | null;
}): Readonly<Record<keyof TakenSettings, Check>> {
  const zones = (availabilityZones?.length ?? 0) + (addedAvailabilityZone === null ? 0 : 1);
  return {
    vpcCidr: isCidr(16, 20),
    network: {
      expected: `a VPC, its addresses, and for each role as many subnets as the stage has zones (${zones}), or null`,
      holds: (value) => value === null || isNetwork(value, zones),
    },
    hostedZoneRoleArn: orNull(isArn('iam', 'role/.+')),
    certificateArn: orNull(isArn('acm', 'certificate/.+')),
    sealingKeyArn: orNull(isArn('kms', 'key/.+', region)),
    mediaKeyArn: orNull(isArn('kms', 'key/.+', region)),
    recoveryKeyArn: orNull(isArn('kms', 'key/.+', recoveryRegion ?? undefined)),
    logBucketName: orNull(text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket')),
    alarmTopicArn: orNull(isArn('sns', '[\\w-]+', region)),
    permissionsBoundaryArn: orNull(isArn('iam', 'policy/.+')),
    tags: {
      expected: 'values of tags by their keys, without those that every stage has',
      holds: (value) =>
        typeof value === 'object' &&
        value !== null &&
        Object.entries(value).every(
          ([key, each]) => /^(?!aws:)[\w .:/=+@-]{1,128}$/.test(key) && !ownTags.has(key) && tagValue.holds(each),
        ),
    },
  };
}

function isNetwork(value: unknown, zones: number): boolean {
  const { vpcId, cidr, ...roles }: Readonly<Record<string, unknown>> = Object(value);
  const lists = [roles['publisherSubnetIds'], roles['functionSubnetIds'], roles['databaseSubnetIds']];
  const isSubnets = (list: unknown) =>
    Array.isArray(list) &&
    list.length > 0 &&
    list.length % zones === 0 &&
    list.every((id) => typeof id === 'string' && /^subnet-[0-9a-f]{8,17}$/.test(id));
  return (
    typeof vpcId === 'string' &&
    /^vpc-[0-9a-f]{8,17}$/.test(vpcId) &&
    isCidr(8, 28).holds(cidr) &&
    lists.every(isSubnets)
  );
}

/** The first contradiction between given resources; null if there is none. */
export function faultOfTaken(
  settings: TakenSettings & {
    readonly account: string | null;
    readonly domain: object | null;
    readonly alarmEmail: string | null;
    readonly recoveryRegion: string | null;
  },
): string | null {
  const { domain, certificateArn, hostedZoneRoleArn, network, vpcCidr, alarmTopicArn, alarmEmail } = settings;
  const { account, recoveryKeyArn, recoveryRegion } = settings;
  if (domain === null && certificateArn !== null) return 'certificateArn takes a domain that the certificate is for';
  if (domain === null && hostedZoneRoleArn !== null)
    return 'hostedZoneRoleArn takes a domain, in a zone of its account';
  if (network !== null && vpcCidr !== nothingTaken.vpcCidr)
    return 'vpcCidr is of a VPC that the stage makes, not of network';
  if (alarmTopicArn !== null && alarmEmail !== null)
    return 'alarmEmail is subscribed to a topic that the stage makes: subscribe it to alarmTopicArn by hand';
  if (recoveryRegion !== null && account === null)
    return 'recoveryRegion takes an account, as the bucket of copies has a name that is made of it';
  if (recoveryKeyArn !== null && recoveryRegion === null) return 'recoveryKeyArn takes a recoveryRegion, where it is';
  return null;
}
