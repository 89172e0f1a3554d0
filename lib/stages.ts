// The table of stages: it has all differences between them, and is the only file that knows their names.
import { checkStage, faultOfName, type StageSettings } from './stage-settings.ts';
import { presets } from './presets.ts';

const threeZones = { region: 'us-east-1', availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'] };

/** The stages that all engineers share, in the order in which a release is deployed to them. */
export const stages: Readonly<Record<keyof typeof presets, StageSettings>> = {
  dev: { ...presets.dev, region: 'us-east-1', availabilityZones: ['us-east-1a', 'us-east-1b'] },
  staging: { ...presets.staging, ...threeZones, bootstrapQualifier: 'lssstaging' },
  prod: { ...presets.prod, ...threeZones, bootstrapQualifier: 'lssprod' },
};

/**
 * The stages that an app has to build, by name, with every setting checked.
 * @param ownStage the value of `-c stage=NAME`, an engineer's own stage: then only that stage is built, with the
 *   settings of dev. Undefined: the stages of the table
 * @throws if the name is malformed or is in the table, or if a setting is missing or invalid; the message names it
 */
export function stagesToBuild(ownStage: unknown): Readonly<Record<string, StageSettings>> {
  const chosen: Readonly<Record<string, StageSettings>> =
    ownStage === undefined ? stages : { [checkedName(ownStage)]: stages.dev };
  for (const [name, settings] of Object.entries(chosen)) checkStage(name, settings);
  return chosen;
}

/**
 * The shared stages of one account, by name.
 * @param names the value of `-c stages=NAME,NAME`. Undefined: all shared stages
 * @throws if a name is not that of a shared stage; the message contains the name
 */
export function stagesOfAccount(names: unknown): Readonly<Record<string, StageSettings>> {
  if (names === undefined) return stages;
  const known: Readonly<Record<string, StageSettings>> = stages;
  return Object.fromEntries(
    (typeof names === 'string' ? names : '').split(',').map((name) => {
      const settings = Object.hasOwn(known, name) ? known[name] : undefined;
      if (!settings) throw new Error(`-c stages=NAME,NAME: there is no shared stage ${JSON.stringify(name)}`);
      return [name, settings];
    }),
  );
}

function checkedName(name: unknown): string {
  const fault = faultOfName(name);
  if (fault !== null) throw new Error(`-c stage=NAME: ${fault}`);
  if (String(name) in stages)
    throw new Error(`-c stage=${name}: that is a shared stage; leave -c out and name its stacks, '${name}/*'`);
  return String(name);
}
