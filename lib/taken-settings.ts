// What a company has already, and gives to a stage that would make it otherwise.
import { type Check, isArn, isCidr, orNull, tagValue, text } from './setting-checks.ts';

/** A network that is there. Each list has one subnet, or several of the same number, for each zone of the stage. */
export interface GivenNetwork {
  readonly vpcId: string;
  /** Of the whole VPC, such as `10.20.0.0/16`. */
  readonly cidr: string;
  /** Where agents are: a route to an internet gateway, and public addresses, as media does not pass a NAT gateway. */
  readonly publisherSubnetIds: readonly string[];
  /** Where functions are: a route to the internet through NAT, for AWS, webhooks and payment providers. */
  readonly functionSubnetIds: readonly string[];
  /** Where the database is: no route to outside is needed. */
  readonly databaseSubnetIds: readonly string[];
}

/** Each of them is null where the stage makes its own. */
export interface TakenSettings {
  /** The addresses of the VPC that the stage makes: a block of 16 to 20 bits that no other network of yours has. */
  readonly vpcCidr: string;
  /** A VPC that is there. Its flow logs, endpoints and NAT are yours. */
  readonly network: GivenNetwork | null;
  /**
   * ARN of a role, in the account of the hosted zone in `domain`, that lets this account delegate the name: the zone
   * is then that of a parent domain, and the stage makes one of its own for its name. Null: it is in this account.
   */
  readonly hostedZoneRoleArn: string | null;
  /** ARN of a certificate of ACM in us-east-1 for the name in `domain`. */
  readonly certificateArn: string | null;
  /** ARN of the KMS key that wraps the keys which secrets are sealed with. Whoever loses it loses them all. */
  readonly sealingKeyArn: string | null;
  /** ARN of the KMS key for uploads and renditions. */
  readonly mediaKeyArn: string | null;
  /** ARN of the KMS key for copies of backups and of uploads: a key of `recoveryRegion`. */
  readonly recoveryKeyArn: string | null;
  /**
   * Name of a bucket in the region that takes the access logs of buckets and of the distribution, below the stage's
   * name.
   * Its policy lets `logging.s3` write, and its ACLs CloudFront (object ownership “bucket owner preferred”).
   */
  readonly logBucketName: string | null;
  /** ARN of an SNS topic that gets notifications of alarms and of the budget. Its policy and its key let both in. */
  readonly alarmTopicArn: string | null;
  /** ARN of a policy that every role of the stage has as its permissions boundary. */
  readonly permissionsBoundaryArn: string | null;
  /** Further tags of everything that the stage has, by key. */
  readonly tags: Readonly<Record<string, string>>;
}

/** A stage in an account of its own makes everything. */
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
  recoveryRegion,
}: {
  readonly region: string;
  readonly availabilityZones: readonly string[];
  readonly recoveryRegion: string | null;
}): Readonly<Record<keyof TakenSettings, Check>> {
  const zones = availabilityZones?.length ?? 0;
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

/** What is wrong with things that are given together; null if nothing is. */
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
