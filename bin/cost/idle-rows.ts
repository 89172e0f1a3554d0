// Computes what each thing costs in a month that a stage may do without: the stage with it, less the stage without it.
import { has, idleOptions } from '../../lib/cost/idle-options.ts';
import type { IdleRow } from '../../lib/cost/cost-tables.ts';
import { standingCostsOf } from '../../lib/cost/stage-cost.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { templatesOf } from './stage-templates.ts';

/** @param stages by name; each is synthesized once for each option */
export function idleRows(stages: readonly (readonly [name: string, settings: StageSettings])[]): IdleRow[] {
  const asTheyAre = stages.map(([name, settings]) => usdOf(name, settings));
  return idleOptions.map((option) => ({
    what: option.what,
    takesAway: option.takesAway,
    stages: stages.map(([name, settings], index) => {
      const isThere = has(option, settings);
      const otherwise = usdOf(name, { ...settings, ...(isThere ? option.without : option.having) });
      return { isThere, usdPerMonth: Math.abs(otherwise - asTheyAre[index]!) };
    }),
  }));
}

function usdOf(name: string, settings: StageSettings): number {
  return standingCostsOf(templatesOf(name, settings)).reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0);
}
