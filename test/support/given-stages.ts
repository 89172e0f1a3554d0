// Settings that companies choose for stages, in combinations: every two choices meet in some stage.
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { pairwise } from './pairwise.ts';

const account = '123456789012';
const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };
const subnets = (role: string) => ['a', 'b', 'c'].map((zone) => `subnet-0123456789abcde${role}${zone}`);
const arn = (region: string, service: string, rest: string, place = region) =>
  `arn:aws:${service}:${place}:${account}:${rest}`;

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
];

const nothing: Choice = () => ({});

/** The region of copies. It has no stage. */
const copiesRegion = 'us-west-2';

/** Further choices by their subject. The first of each is the usual one. */
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
    (_region, hasDomain) => ({ certificateArn: hasDomain ? arn('us-east-1', 'acm', 'certificate/1') : null }),
  ],
  keys: [
    nothing,
    (region) => ({ sealingKeyArn: arn(region, 'kms', 'key/1') }),
    (region) => ({ sealingKeyArn: arn(region, 'kms', 'key/1'), mediaKeyArn: arn(region, 'kms', 'key/2') }),
  ],
  copies: [
    nothing,
    () => ({ account, recoveryRegion: copiesRegion }),
    () => ({ account, recoveryRegion: copiesRegion, recoveryKeyArn: arn(copiesRegion, 'kms', 'key/3') }),
  ],
  logs: [nothing, () => ({ logBucketName: 'company-log-archive' })],
  alarms: [() => ({ alarmEmail: 'ops@example.com' }), (region) => ({ alarmTopicArn: arn(region, 'sns', 'ops') })],
  boundary: [nothing, (region) => ({ permissionsBoundaryArn: arn(region, 'iam', 'policy/boundary', '') })],
  tags: [nothing, () => ({ tags: { 'data-class': 'internal', team: 'video' } })],
  bootstrap: [nothing, () => ({ bootstrapQualifier: 'company' })],
  nat: [nothing, () => ({ nat: 'instance' })],
  // Without the proxy, the tasks of both releases have connections of their own during a deployment.
  proxy: [nothing, () => ({ databaseProxy: false, databaseInstanceClass: 'm8g.xlarge' })],
  figures: [nothing, () => ({ containerInsights: false })],
  synthetic: [() => ({ syntheticStream: false }), nothing],
  exec: [nothing, () => ({ ecsExec: true })],
  traces: [nothing, () => ({ tracing: false })],
  machines: [nothing, () => ({ gpuMachinesMin: 0, ffmpegAgentsMin: 0 })],
  live: [nothing, () => ({ liveIngest: { minTasks: 1, maxTasks: 4 } })],
  data: [nothing, () => ({ keepData: false, databaseMultiAz: false })],
};

/** Settings of each stage, by its name, and everything chosen for one of them. */
export function givenStages(): readonly (readonly [name: string, settings: StageSettings])[] {
  const factors = Object.values(choices);
  return pairwise([places.length, ...factors.map(({ length }) => length)]).map(([place = 0, ...levels], index) => {
    const { region = '', domain: named = null, ...rest } = places[place]!;
    const given = factors.map((levelsOf, factor) => levelsOf[levels[factor]!]!(region, named !== null));
    return [`given-${index}`, Object.assign({}, stages.prod, { region, domain: named }, rest, ...given)] as const;
  });
}
