// What companies give to stages, in combinations: every two of these choices meet in one of the stages.
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { type AWSPartition, partitionOf } from '../../lambda/domain/aws-partition.ts';
import { pairwise } from './pairwise.ts';

const account = '123456789012';
const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };
const subnets = (role: string) => ['a', 'b', 'c'].map((zone) => `subnet-0123456789abcde${role}${zone}`);
const arn = (region: string, service: string, rest: string, place = region) =>
  `arn:${partitionOf(region)}:${service}:${place}:${account}:${rest}`;

type Choice = (region: string, hasDomain: boolean) => Partial<StageSettings>;

const placeOf = (region: string, more: Partial<StageSettings> = {}): Partial<StageSettings> => ({
  region,
  availabilityZones: ['a', 'b', 'c'].map((zone) => region + zone),
  ...more,
});
const delegated = (region: string) => ({ domain, hostedZoneRoleArn: arn(region, 'iam', 'role/dns', '') });

const places: readonly Partial<StageSettings>[] = [
  placeOf('us-east-1'),
  placeOf('us-east-1', delegated('us-east-1')),
  placeOf('eu-central-1', { domain }),
  placeOf('ap-southeast-2', delegated('ap-southeast-2')),
  placeOf('eu-west-1', { frontDoor: 'gateway', domain }),
  placeOf('us-gov-west-1', { frontDoor: 'gateway', domain, monthlyBudgetUsd: null }),
  placeOf('cn-north-1', { frontDoor: 'gateway', ...delegated('cn-north-1') }),
];

const nothing: Choice = () => ({});

/** Where copies go: a second region of each partition, in which no stage is. */
const secondRegions: Readonly<Record<AWSPartition, string>> = {
  aws: 'us-west-2',
  'aws-cn': 'cn-northwest-1',
  'aws-us-gov': 'us-gov-east-1',
};
const secondOf = (region: string) => secondRegions[partitionOf(region)];

/** Further choices, by what they are about. The first of each is the usual one. */
const choices: Readonly<Record<string, readonly Choice[]>> = {
  network: [
    nothing,
    () => ({ vpcCidr: '10.20.0.0/18' }),
    () => ({
      network: {
        vpcId: 'vpc-0123456789abcdef0',
        cidr: '10.30.0.0/16',
        publisherSubnetIds: subnets('a'),
        functionSubnetIds: subnets('b'),
        databaseSubnetIds: subnets('c'),
      },
    }),
  ],
  certificate: [
    nothing,
    (region, hasDomain) => ({
      certificateArn: hasDomain
        ? arn(region, 'acm', 'certificate/1', partitionOf(region) === 'aws' ? 'us-east-1' : region)
        : null,
    }),
  ],
  keys: [
    nothing,
    (region) => ({ sealingKeyArn: arn(region, 'kms', 'key/1') }),
    (region) => ({ sealingKeyArn: arn(region, 'kms', 'key/1'), mediaKeyArn: arn(region, 'kms', 'key/2') }),
  ],
  copies: [
    nothing,
    (region) => ({ account, recoveryRegion: secondOf(region) }),
    (region) => ({ account, recoveryRegion: secondOf(region), recoveryKeyArn: arn(secondOf(region), 'kms', 'key/3') }),
  ],
  logs: [nothing, () => ({ logBucketName: 'company-log-archive' })],
  alarms: [() => ({ alarmEmail: 'ops@example.com' }), (region) => ({ alarmTopicArn: arn(region, 'sns', 'ops') })],
  boundary: [nothing, (region) => ({ permissionsBoundaryArn: arn(region, 'iam', 'policy/boundary', '') })],
  roles: [nothing, () => ({ rolePrefix: 'app-' })],
  tags: [nothing, () => ({ tags: { 'data-class': 'internal', team: 'video' } })],
  bootstrap: [nothing, () => ({ bootstrapQualifier: 'company' })],
  nat: [nothing, () => ({ nat: 'instance' })],
  proxy: [nothing, () => ({ databaseProxy: false })],
  figures: [nothing, () => ({ containerInsights: false })],
  synthetic: [() => ({ syntheticStream: false }), nothing],
  exec: [nothing, () => ({ ecsExec: true })],
  traces: [nothing, () => ({ tracing: false })],
  machines: [nothing, () => ({ gpuMachinesMin: 0, ffmpegAgentsMin: 0 })],
  data: [nothing, () => ({ keepData: false, databaseMultiAz: false })],
};

/** Settings of each stage, by its name, and all that is given to one of them. */
export function givenStages(): readonly (readonly [name: string, settings: StageSettings])[] {
  const factors = Object.values(choices);
  return pairwise([places.length, ...factors.map(({ length }) => length)]).map(([place = 0, ...levels], index) => {
    const { region = '', domain: named = null, ...rest } = places[place]!;
    const given = factors.map((levelsOf, factor) => levelsOf[levels[factor]!]!(region, named !== null));
    return [`given-${index}`, Object.assign({}, stages.prod, { region, domain: named }, rest, ...given)] as const;
  });
}

/** A stage to which everything is given, in a region. */
export function everythingGiven(region: string): StageSettings {
  const given = Object.values(choices).map((levels) => levels.at(-1)!(region, true));
  return Object.assign({}, stages.prod, placeOf(region, delegated(region)), ...given);
}
