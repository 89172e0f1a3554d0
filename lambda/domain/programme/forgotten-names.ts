// The bound of a planner's state: places that the rules have no name for any more are forgotten, the oldest first.
import { cursorOfInsert, cursorOfStep } from './cursor-names.ts';
import type { PlannerState, StatePlace } from './planned-row.ts';
import type { Insert, ItemSource, ProgrammeRules } from './programme-rules.ts';

/** Places without a name in the rules, and their values together: those of the series of a full collection fit. */
const mostUnnamed = { places: 500, values: 6000 };

/**
 * Forgets the oldest of the places that the rules have no name for any more, beyond a number of them. The latest stay:
 * who takes an edit back finds each list at its place.
 */
export function forgetNames(state: PlannerState, rules: ProgrammeRules): void {
  const kept: StatePlace[] = [];
  let values = 0;
  for (const place of unnamedPlaces(state, rules).toReversed()) {
    values += valuesAt(state, place);
    if (kept.length < mostUnnamed.places && values <= mostUnnamed.values) kept.unshift(place);
    else forget(state, place);
  }
  if (kept.length > 0) state.unnamed = kept;
  else delete state.unnamed;
}

function forget(state: PlannerState, [part, name]: StatePlace): void {
  const values: Record<string, unknown> = state[part];
  delete values[name];
}

/** The places of a state that the rules have no name for, those that lost it first in front. */
function unnamedPlaces(state: PlannerState, rules: ProgrammeRules): StatePlace[] {
  const named = namesIn(rules);
  const unnamed = partNames.flatMap((part) =>
    Object.keys(state[part]).flatMap((name): StatePlace[] => (named[part].has(name) ? [] : [[part, name]])),
  );
  const before = new Map((state.unnamed ?? []).map(([part, name], place) => [`${part}/${name}`, place]));
  const placeOf = ([part, name]: StatePlace) => before.get(`${part}/${name}`) ?? before.size;
  return unnamed.toSorted((one, other) => placeOf(one) - placeOf(other));
}

const partNames = ['cursors', 'turns', 'blocks', 'breaks'] as const satisfies readonly StatePlace[0][];

function namesIn({ blocks, inserts }: ProgrammeRules): Readonly<Record<StatePlace[0], ReadonlySet<string>>> {
  const blockIDs = new Set(blocks.map(({ id }) => id));
  const cursors = [
    ...blocks.flatMap((block) => block.steps.map((step) => cursorOfStep(block, step))),
    ...inserts.flatMap((insert) => sourcesOfInsert(insert).map((from) => cursorOfInsert(insert, from))),
  ];
  const breaks = new Set(inserts.map(({ id }) => id));
  return { cursors: new Set(cursors), turns: blockIDs, blocks: blockIDs, breaks };
}

function sourcesOfInsert({ from, introUploadID, outroUploadID }: Insert): ItemSource[] {
  return [from, ...[introUploadID, outroUploadID].flatMap((uploadID) => (uploadID === null ? [] : [{ uploadID }]))];
}

/** The values at a place: a cursor has one for each member or group that it remembers. */
function valuesAt({ cursors }: PlannerState, [part, name]: StatePlace): number {
  if (part !== 'cursors') return 1;
  const { passed = [], groups = {} } = cursors[name]!;
  return 1 + passed.length + Object.keys(groups).length;
}
