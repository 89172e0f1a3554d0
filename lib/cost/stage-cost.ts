// What a stage costs in a month before anyone uses it, and what use costs.
import { fargateTaskOf, groupOf, machineOf } from './agent-machines.ts';
import { byUse, hoursPerMonth, type ListPrice, standing } from './list-prices.ts';
import { free, paidByUse, priced, type StandingCost } from './resource-prices.ts';
import { resourcesOf, type Template } from './stage-resources.ts';

/** Every type of which it is said what it costs. */
export const knownTypes: ReadonlySet<string> = new Set([...Object.keys(priced), ...Object.keys(paidByUse), ...free]);

/**
 * What a stage costs while nothing is on air, in the same order for every stage.
 * @param templates of all stacks of the stage
 * @throws if a type is neither priced, nor paid by use, nor free: what it costs has to be decided; or if a size has no price
 */
export function standingCostsOf(templates: readonly Template[]): StandingCost[] {
  const resources = resourcesOf(templates);
  const forgotten = new Set(resources.map(({ type }) => type).filter((type) => !knownTypes.has(type)));
  if (forgotten.size > 0)
    throw new Error(
      `lib/cost/resource-prices.ts does not say what ${[...forgotten].join(', ')} costs: name it there as priced, paid by use or free`,
    );
  return Object.entries(priced).flatMap(([type, pricings]) => {
    const ofType = resources.filter((resource) => resource.type === type);
    return ofType.length === 0 ? [] : pricings.map((pricing) => pricing(ofType));
  });
}

/** What use costs in the stage, by what is used. */
export function pricesByUse(templates: readonly Template[]): [what: string, price: ListPrice][] {
  const types = new Set(resourcesOf(templates).map(({ type }) => type));
  return Object.entries(paidByUse).flatMap(([type, prices]) => (types.has(type) ? Object.entries(prices) : []));
}

/** Of the logs that the stage keeps longest: for how many days, and dollars for a GB from its arrival to its end. */
export function longestLogs(templates: readonly Template[]): { readonly days: number; readonly usdPerGB: number } {
  const groups = resourcesOf(templates).filter(({ type }) => type === 'AWS::Logs::LogGroup');
  const days = Math.max(...groups.map(({ properties }) => properties.RetentionInDays));
  return { days, usdPerGB: byUse.logsTakenIn.usd + byUse.logsKept.usd * ((days * 24) / hoursPerMonth) };
}

/** Dollars for an hour of each kind of machine and task that load or a deployment may add, with its disks and address. */
export function hoursOfMore(templates: readonly Template[]): [what: string, usdPerHour: number][] {
  const resources = resourcesOf(templates);
  const machines = resources.filter(({ type }) => type === 'AWS::AutoScaling::AutoScalingGroup').map(machineOf);
  const tasks = resources
    .filter((resource) => resource.type === 'AWS::ECS::Service' && groupOf(resource) === null)
    .map(fargateTaskOf);
  return [
    ...machines.map(({ type, usdPerHour }): [string, number] => [
      `A ${type} more`,
      usdPerHour + standing.publicAddress.usd,
    ]),
    ...tasks.map(({ vcpus, memoryGB, usdPerHour }): [string, number] => [
      `A Fargate task of ${vcpus} vCPU and ${memoryGB} GB more`,
      usdPerHour + standing.publicAddress.usd,
    ]),
  ];
}
