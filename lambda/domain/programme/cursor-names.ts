// The names of cursors, by the part of the rules that moves them.
import { sourceKey } from './programme-rules.ts';
import type { Block, Insert, ItemSource, Step } from './programme-rules.ts';

/** Cursors with this prefix begin again at each occurrence of their block. */
const rerunPrefix = 'rerun/';

/** Whether a cursor begins again at each occurrence of its block. */
export const isRerun = (name: string) => name.startsWith(rerunPrefix);

/** The name of the cursor of a step. */
export function cursorOfStep({ id }: Pick<Block, 'id'>, step: Step): string {
  if (step.cursor === 'shared') return `shared/${sourceKey(step.from)}`;
  const prefix = step.cursor === 'rerun' ? rerunPrefix : 'step/';
  return `${prefix}${id}/${step.id}/${sourceKey(step.from)}`;
}

/** The name of the cursor of an insert in one of its sources. */
export function cursorOfInsert({ id }: Pick<Insert, 'id'>, from: ItemSource): string {
  return `insert/${id}/${sourceKey(from)}`;
}
