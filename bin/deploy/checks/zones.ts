// Availability zones: an account's letters stand for other zones than its neighbour's, and not every zone offers all.
import { DescribeAvailabilityZonesCommand, DescribeInstanceTypeOfferingsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { zonesOfStage } from '../../../lib/stage-settings.ts';
import { type Check, found, type Finding } from '../check.ts';

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
    const [there, gpuZones, stacks] = await Promise.all([
      zonesOfRegion(client),
      zonesWithType(settings.gpuInstanceType, client),
      context.ownStacks(),
    ]);
    const offers: readonly Offer[] = [
      ...documentedOffers,
      { what: settings.gpuInstanceType, isLackingIn: ({ name }) => !gpuZones.has(name) },
    ];
    const complete = there.filter((zone) => !offers.some(({ isLackingIn }) => isLackingIn(zone)));
    const choose = [
      `In lib/stages.ts, give ${settingsOf} availabilityZones out of: ` +
        `${complete.map(({ name }) => name).join(', ') || 'none: choose another region or gpuInstanceType'}.`,
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
      ...offers.map(({ what, isLackingIn, isForFirstZones }): Finding => {
        const without = known.filter(isLackingIn);
        const shown = without.map(({ name, id }) => `not in ${name}, which is ${id}`).join(', ');
        const row = { what: `Zones with ${what}`, needed, found: shown || 'all' };
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
