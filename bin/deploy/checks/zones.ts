// Availability zones: their letters differ between accounts, and not every zone offers all services.
import { z } from 'zod';
import { Unanswered } from '../ask-aws.ts';
import { type Check, type CheckContext, type Finding, orWhyNot, unansweredFinding, xmlList } from '../check.ts';
import { stageStands } from '../standing-stage.ts';
import { zoneOffers } from '../zone-offers.ts';

const zonesAnswer = z.object({
  DescribeAvailabilityZonesResponse: z.object({
    availabilityZoneInfo: xmlList(
      'item',
      z.object({ zoneName: z.string(), zoneId: z.string(), zoneState: z.string(), zoneType: z.string().optional() }),
    ),
  }),
});
const offeringsAnswer = z.object({
  DescribeInstanceTypeOfferingsResponse: z.object({
    instanceTypeOfferingSet: xmlList('item', z.object({ location: z.string() })),
  }),
});

/** A need of a stage in its zones, and the zones that lack it. */
interface Offer {
  readonly what: string;
  readonly isLackingIn: (zone: Zone) => boolean;
}

interface Zone {
  /** Name with the letter of this account. */
  readonly name: string;
  readonly id: string;
}

export const zones: Check = {
  name: 'Availability zones',
  async run(context) {
    const { settings, settingsOf } = context.command;
    const [there, gpuZones, stands] = await Promise.all([
      zonesOfRegion(context),
      orWhyNot(zonesWithType(settings.gpuInstanceType, context)),
      stageStands(context),
    ]);
    const offers: Offer[] = [
      ...zoneOffers.map(({ what, lackingIn }) => ({ what, isLackingIn: ({ id }: Zone) => lackingIn.has(id) })),
      ...(gpuZones instanceof Unanswered
        ? []
        : [{ what: settings.gpuInstanceType, isLackingIn: ({ name }: Zone) => !gpuZones.has(name) }]),
    ];
    const complete = there.filter((zone) => !offers.some(({ isLackingIn }) => isLackingIn(zone)));
    const choose = [
      `In lib/stages.ts, give ${settingsOf} availabilityZones out of: ` +
        `${complete.map(({ name }) => name).join(', ') || 'none: take another region or gpuInstanceType'}.`,
    ];
    // The subnets of an existing stage cannot move to other zones, so it can still be deployed.
    const lacking = stands
      ? { state: 'warning' as const, remedy: ['This stage stands in these zones: make a new one in others.'] }
      : { state: 'missing' as const, remedy: choose };
    const used = settings.availabilityZones.map((name) => there.find((zone) => zone.name === name) ?? name);
    const row = { needed: settings.availabilityZones.join(', '), state: 'there' as const, remedy: [] };
    const unknown = used.filter((zone) => typeof zone === 'string');
    const exist: Finding = {
      ...row,
      what: 'Availability zones',
      found: used.map((zone) => (typeof zone === 'string' ? `no ${zone}` : `${zone.name} is ${zone.id}`)).join(', '),
      ...(unknown.length > 0 && { state: 'missing', remedy: choose }),
    };
    return [
      exist,
      ...offers.map(({ what, isLackingIn }): Finding => {
        const without = used.filter((zone) => typeof zone !== 'string').filter(isLackingIn);
        const named = without.map(({ name, id }) => `not in ${name}, which is ${id}`).join(', ');
        return { ...row, what: `Zones with ${what}`, found: named || 'all', ...(without.length > 0 && lacking) };
      }),
      ...(gpuZones instanceof Unanswered
        ? [unansweredFinding(`Zones with ${settings.gpuInstanceType}`, gpuZones)]
        : []),
    ];
  },
};

async function zonesOfRegion({ ask }: CheckContext): Promise<readonly Zone[]> {
  const { DescribeAvailabilityZonesResponse: answer } = await ask({
    service: 'ec2',
    action: 'DescribeAvailabilityZones',
    answer: zonesAnswer,
  });
  return answer.availabilityZoneInfo
    .filter(
      ({ zoneState, zoneType }) =>
        zoneState === 'available' && (zoneType ?? 'availability-zone') === 'availability-zone',
    )
    .map(({ zoneName, zoneId }) => ({ name: zoneName, id: zoneId }));
}

async function zonesWithType(type: string, { ask }: CheckContext): Promise<ReadonlySet<string>> {
  const { DescribeInstanceTypeOfferingsResponse: answer } = await ask({
    service: 'ec2',
    action: 'DescribeInstanceTypeOfferings',
    input: { LocationType: 'availability-zone', 'Filter.1.Name': 'instance-type', 'Filter.1.Value.1': type },
    answer: offeringsAnswer,
  });
  return new Set(answer.instanceTypeOfferingSet.map(({ location }) => location));
}
