// Availability zones: an account's letters stand for other zones than its neighbour's, and not every zone offers all.
import { DescribeAvailabilityZonesCommand, DescribeInstanceTypeOfferingsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { paginateDescribeOrderableDBInstanceOptions, RDSClient } from '@aws-sdk/client-rds';
import { zonesOfStage } from '../../../lib/stage-settings.ts';
import { type Check, type CheckContext, found, type Finding, itemsOf } from '../check.ts';
import type { NeededDatabase } from '../stage-needs.ts';

interface Zone {
  /** With the letter of this account. */
  readonly name: string;
  /** Zone id, equal in every account, such as `use1-az3`. */
  readonly id: string;
}

/** An offer that not every zone has. */
interface Offer {
  readonly what: string;
  readonly isLackingIn: (zone: Zone) => boolean;
  /** Whether a zone that is added does without it; absent: it does not. */
  readonly isForFirstZones?: true;
  /** The number of the stage's zones that have to offer it; absent: all. */
  readonly zonesNeeded?: number;
}

/**
 * https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-proxy.html#rds-proxy.limitations
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/AWS_Fargate-Regions.html
 */
const documentedOffers: readonly Offer[] = [
  { what: 'RDS Proxy', isLackingIn: ({ id }) => ['use1-az3', 'usw1-az2'].includes(id), isForFirstZones: true },
  { what: 'Fargate on arm64', isLackingIn: ({ id }) => ['use1-az3', 'usw1-az2', 'apne1-az3'].includes(id) },
];

export const zones: Check = {
  name: 'Availability zones',
  async run(context) {
    const { settings, settingsOf } = context.command;
    const client = new EC2Client(context.aws);
    const [there, offers, stacks] = await Promise.all([
      zonesOfRegion(client),
      offersOf(context, client),
      context.ownStacks(),
    ]);
    const complete = there.filter((zone) => !offers.some(({ isLackingIn }) => isLackingIn(zone)));
    const choose = [
      `In lib/stages.ts, give ${settingsOf} availabilityZones out of: ` +
        `${complete.map(({ name }) => name).join(', ') || 'none: choose another region, or other types of machines'}.`,
    ];
    const used = zonesOfStage(settings).map((name) => there.find((zone) => zone.name === name) ?? name);
    const known = used.filter((zone) => typeof zone !== 'string');
    const needed = zonesOfStage(settings).join(', ');
    const named = used.map((zone) => (typeof zone === 'string' ? `no ${zone}` : `${zone.name} is ${zone.id}`));
    return [
      found(
        { what: 'Availability zones', needed, found: named.join(', ') },
        known.length === used.length ? 'there' : 'missing',
        choose,
      ),
      ...offers.map(({ what, isLackingIn, isForFirstZones, zonesNeeded = Infinity }): Finding => {
        const lacking = known.filter(isLackingIn);
        const without = known.length - lacking.length < zonesNeeded ? lacking : [];
        const notIn = without.map(({ name, id }) => `not in ${name}, which is ${id}`).join(', ');
        const shown = notIn || (lacking.length === 0 ? 'all' : `${known.length - lacking.length}, which is enough`);
        const row = { what: `Zones with ${what}`, needed, found: shown };
        if (without.length === 0) return found(row, 'there');
        // The subnets of a stage that stands cannot move to other zones, so it can still be deployed. A zone that is
        // added can be another one.
        const isOfAdded = !isForFirstZones && without.some(({ name }) => name === settings.addedAvailabilityZone);
        return stacks.length > 0 && !isOfAdded
          ? found(row, 'warning', ['This stage uses these zones. Create a new stage in others.'])
          : found(row, 'missing', choose);
      }),
    ];
  },
};

async function offersOf({ needs, aws }: CheckContext, client: EC2Client): Promise<readonly Offer[]> {
  const { machineTypes, databases } = needs;
  const rds = new RDSClient(aws);
  const [ofMachines, ofDatabases] = await Promise.all([
    Promise.all(machineTypes.map((type) => zonesWithType(type, client))),
    Promise.all(databases.map((database) => zonesWithDatabase(database, rds))),
  ]);
  const isLackingIn = (names: ReadonlySet<string | undefined>) => (zone: Zone) => !names.has(zone.name);
  return [
    ...documentedOffers,
    ...machineTypes.map((type, index) => ({ what: type, isLackingIn: isLackingIn(ofMachines[index]!) })),
    // RDS chooses the zones of a database out of those of the stage.
    ...databases.map(({ instanceClass, majorVersion, zoneCount }, index) => ({
      what: `${instanceClass} for Postgres ${majorVersion}`,
      isLackingIn: isLackingIn(ofDatabases[index]!),
      zonesNeeded: zoneCount,
    })),
  ];
}

async function zonesOfRegion(client: EC2Client): Promise<readonly Zone[]> {
  const filter = { Filters: [{ Name: 'zone-type', Values: ['availability-zone'] }] };
  const { AvailabilityZones = [] } = await client.send(new DescribeAvailabilityZonesCommand(filter));
  return AvailabilityZones.filter(({ State }) => State === 'available').map(({ ZoneName = '', ZoneId = '' }) => ({
    name: ZoneName,
    id: ZoneId,
  }));
}

async function zonesWithType(type: string, client: EC2Client): Promise<ReadonlySet<string | undefined>> {
  const { InstanceTypeOfferings = [] } = await client.send(
    new DescribeInstanceTypeOfferingsCommand({
      LocationType: 'availability-zone',
      Filters: [{ Name: 'instance-type', Values: [type] }],
    }),
  );
  return new Set(InstanceTypeOfferings.map(({ Location }) => Location));
}

/** Zones that offer a database's class for its version of Postgres, with volumes of type gp3. */
async function zonesWithDatabase(
  { instanceClass, majorVersion }: NeededDatabase,
  client: RDSClient,
): Promise<ReadonlySet<string | undefined>> {
  const asked = { Engine: 'postgres', DBInstanceClass: instanceClass, Vpc: true };
  const pages = paginateDescribeOrderableDBInstanceOptions({ client }, asked);
  const options = await itemsOf(pages, ({ OrderableDBInstanceOptions }) => OrderableDBInstanceOptions);
  const fitting = options.filter(
    ({ EngineVersion, StorageType }) => EngineVersion?.split('.')[0] === majorVersion && StorageType === 'gp3',
  );
  return new Set(fitting.flatMap(({ AvailabilityZones = [] }) => AvailabilityZones.map(({ Name }) => Name)));
}
