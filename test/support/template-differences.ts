// Differences between the templates of two stages of one name, as lines for reviewers.
import { isDeepStrictEqual } from 'node:util';
import type { Resource, SynthesizedStage } from './synth.ts';

/** A longer value is cut. */
const valueLengthMax = 90;
const absent = Symbol('absent');

/** Resources that only one stage has, then the properties in which common resources differ. */
export function differenceLines(from: SynthesizedStage, to: SynthesizedStage): readonly string[] {
  const [before, after] = [resourcesOf(from), resourcesOf(to)];
  const only = (sign: string, these: typeof before, others: typeof before) =>
    [...these].flatMap(([id, { Type }]) => (others.has(id) ? [] : [`${sign} ${id} (${Type})`]));
  const differing = [...before].flatMap(([id, old]) => {
    const now = after.get(id);
    const lines = now ? differencesOf(old, now, []) : [];
    return lines.length === 0 ? [] : [{ id, type: old.Type, lines }];
  });
  const alike = Map.groupBy(differing, ({ type, lines }) => [type, ...lines].join('\n'));
  return [
    ...only('-', before, after),
    ...only('+', after, before),
    ...[...alike.values()].flatMap((group) => [
      ...group.map(({ id, type }) => `  ${id} (${type})`),
      ...group[0]!.lines.map((line) => `      ${line}`),
    ]),
  ];
}

/** All resources by stack and logical id. */
function resourcesOf(stage: SynthesizedStage): ReadonlyMap<string, Resource> {
  return new Map(
    [...stage.stacks.keys()].flatMap((stack) =>
      stage.resources(stack).map(([id, resource]) => [`${stack}/${id}`, resource] as const),
    ),
  );
}

function differencesOf(old: unknown, now: unknown, path: readonly string[]): readonly string[] {
  if (isDeepStrictEqual(old, now)) return [];
  if (isObject(old) && isObject(now) && Array.isArray(old) === Array.isArray(now)) {
    if (Array.isArray(old) && Array.isArray(now) && old.length !== now.length)
      return differencesOfLists(old, now, path);
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) =>
      differencesOf(name in old ? old[name] : absent, name in now ? now[name] : absent, [...path, name]),
    );
  }
  const name = path.filter((part) => part !== 'Properties').join('.');
  if (old === absent) return [`${name}: + ${shown(now)}`];
  return now === absent ? [`${name}: - ${shown(old)}`] : [`${name}: ${shown(old)} → ${shown(now)}`];
}

/** The items that only one of two lists has. */
function differencesOfLists(old: readonly unknown[], now: readonly unknown[], path: readonly string[]): string[] {
  const name = path.filter((part) => part !== 'Properties').join('.');
  const only = (items: readonly unknown[], others: readonly unknown[]) =>
    items.filter((item) => !others.some((other) => isDeepStrictEqual(item, other)));
  return [
    ...only(old, now).map((item) => `${name}: - ${shown(item)}`),
    ...only(now, old).map((item) => `${name}: + ${shown(item)}`),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text;
}
