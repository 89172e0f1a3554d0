// What a stage costs in a month before anybody uses it, and what its use costs.
import { fargateTaskOf, groupOf, machineOf } from './agent-machines.ts';
import { byUse, hoursPerMonth, type ListPrice, standing } from './list-prices.ts';
import { free, paidByUse, priced, type StandingCost } from './resource-prices.ts';
import { resourcesOf, type Template } from './stage-resources.ts';

/** All types of resources whose costs are known, those that cost nothing included. */
export const knownTypes: ReadonlySet<string> = new Set([...Object.keys(priced), ...Object.keys(paidByUse), ...free]);

/**
 * What a stage costs while nothing is on air, in the same order for every stage.
 * @param templates of all stacks of the stage
 * @throws if a type is neither priced, nor paid by use, nor free: somebody has to say what it costs. Also throws if
 *   there is no price for a size
 */
export function standingCostsOf(templates: readonly Template[]): StandingCost[] {
  const resources = resourcesOf(templates);
  const forgotten = new Set(resources.map(({ type }) => type).filter((type) => !knownTypes.has(type)));
  if (forgotten.size > 0)
    throw new Error(
      `lib/cost/resource-prices.ts does not say what ${[...forgotten].join(', ')} costs: ` +
        'name it there as priced, paid by use or free',
    );
  return Object.entries(priced).flatMap(([type, pricings]) => {
    const ofType = resources.filter((resource) => resource.type === type);
    return ofType.length === 0 ? [] : pricings.map((pricing) => pricing(ofType));
  });
}

/** The prices of all that is paid by use in the stage. */
export function pricesByUse(templates: readonly Template[]): [what: string, price: ListPrice][] {
  const types = new Set(resourcesOf(templates).map(({ type }) => type));
  return Object.entries(paidByUse).flatMap(([type, prices]) => (types.has(type) ? Object.entries(prices) : []));
}

/** Of the logs that the stage keeps longest: the days, and US dollars to take in a GB and keep it for these days. */
export function longestLogs(templates: readonly Template[]): { readonly days: number; readonly usdPerGB: number } {
  const groups = resourcesOf(templates).filter(({ type }) => type === 'AWS::Logs::LogGroup');
  const days = Math.max(...groups.map(({ properties }) => properties.RetentionInDays));
  return { days, usdPerGB: byUse.logsTakenIn.usd + byUse.logsKept.usd * ((days * 24) / hoursPerMonth) };
}

/**
 * What load or a deployment may add: each kind of machine and task, and US dollars for an hour of one, with its disks
 * and its public address.
 */
export function hoursOfMore(templates: readonly Template[]): [what: string, usdPerHour: number][] {
  const resources = resourcesOf(templates);
  const machines = resources.filter(({ type }) => type === 'AWS::AutoScaling::AutoScalingGroup').map(machineOf);
  const tasks = resources
    .filter((resource) => resource.type === 'AWS::ECS::Service' && groupOf(resource) === null)
    .map(fargateTaskOf);
  const added = [
    ...machines.map(({ type, usdPerHour }) => ({ what: `A ${type} more`, usdPerHour })),
    ...tasks.map(({ vcpus, memoryGB, usdPerHour }) => ({
      what: `A Fargate task of ${vcpus} vCPU and ${memoryGB} GB more`,
      usdPerHour,
    })),
  ];
  return added.map(({ what, usdPerHour }) => [what, usdPerHour + standing.publicAddress.usd]);
}
