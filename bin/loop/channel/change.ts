// The changes of a plan, as data.
import { isDeepStrictEqual } from 'node:util';
import type { Method } from '../client.ts';
import type { MediaFile } from '../send-files.ts';
import { isObject } from './references.ts';
import type { Plain } from './references.ts';

type PartOfStream = 'playlist' | 'programme' | 'output' | 'schedule' | 'run';
export type ChangeKind = 'upload' | 'destination' | 'collection' | 'alert' | 'stream' | PartOfStream;

export interface FieldChange {
  /** Names with dots between them, such as look.aspect. */
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** A request, or a file to send. Ids of things that the plan makes are symbols (`symbolOf`). */
export type Step =
  | { readonly method: Method; readonly path: string; readonly body?: Plain; readonly makes?: string }
  | { readonly file: MediaFile; readonly makes: string }
  | { readonly waitFor: 'off_air' | 'on_air'; readonly streamID: string }
  | { readonly compare: string };

export interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: ChangeKind;
  readonly name: string;
  readonly fields: readonly FieldChange[];
  /** The effect on viewers; empty: none. */
  readonly viewers: string;
  /** Whether the stream is off air in between. */
  readonly interrupts: boolean;
  readonly steps: readonly Step[];
}

export interface CostChange {
  readonly stream: string;
  /** Credits for an hour on air; null: there is no such stream. */
  readonly fromPerHour: number | null;
  readonly toPerHour: number;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly costs: readonly CostChange[];
  readonly uploadBytes: number;
}

/** @param makes the symbol of the thing that the request makes */
export const post = (path: string, body?: Plain, makes?: string): Step => ({ method: 'POST', path, body, makes });
export const patch = (path: string, body: Plain): Step => ({ method: 'PATCH', path, body });
export const remove = (path: string): Step => ({ method: 'DELETE', path });

/** The id of a thing that does not exist yet. */
export function symbolOf(kind: ChangeKind, name: string): string {
  return `new:${kind}:${encodeURIComponent(name)}`;
}

/** The name in a symbol; other texts stay as they are. */
export function nameOfSymbol(text: string): string {
  return text.replace(/^new:[a-z]+:(.+)$/, (_symbol, name: string) => decodeURIComponent(name));
}

/** A change that viewers do not notice and that has no fields or steps, unless others are given. */
export function changeOf(more: Partial<Change> & Pick<Change, 'action' | 'kind' | 'name'>): Change {
  return { fields: [], viewers: '', interrupts: false, steps: [], ...more };
}

export interface Wanted {
  readonly kind: ChangeKind;
  readonly name: string;
  /** The fields as the API shows them; null: there is no such thing. */
  readonly before: object | null;
  readonly after: Plain;
  /** Changes of things that the API does not show as fields. */
  readonly further?: readonly FieldChange[];
}

/**
 * The change that makes a thing, or turns it into the wanted one; none if it is so.
 * @param effect the rest of the change, by the names of the fields that differ, and by the differences
 */
export function changesTo(
  { kind, name, before, after, further = [] }: Wanted,
  effect: (changed: readonly string[], fields: readonly FieldChange[]) => Partial<Change>,
): Change[] {
  const fields = [...differences(before ?? {}, after), ...further];
  if (before !== null && fields.length === 0) return [];
  const changed = fields.map(({ field }) => field.split('.')[0]!);
  return [changeOf({ action: before === null ? 'create' : 'update', kind, name, fields, ...effect(changed, fields) })];
}

/** The fields of `to` that differ; of objects, all fields in them. Lists are compared as a whole. */
export function differences(from: object, to: Plain, names = Object.keys(to), prefix = ''): FieldChange[] {
  return names.flatMap((name) => {
    const [before, after] = [(from as Plain)[name] ?? null, to[name] ?? null];
    const field = prefix + name;
    if (isDeepStrictEqual(before, after)) return [];
    if (!isObject(before) || !isObject(after)) return [{ field, from: before, to: after }];
    return differences(before, after, Object.keys({ ...before, ...after }), `${field}.`);
  });
}
