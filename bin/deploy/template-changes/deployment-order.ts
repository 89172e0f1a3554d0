// The order in which stacks can be deployed: exports stay until no other stack imports them, and exist before one does.
// Decision D180.
import { isDeepStrictEqual } from 'node:util';
import { namesAny, type ReplacedResources } from './replaced-resources.ts';
import {
  exportsOf,
  importsOf,
  migrationOf,
  outputsReadBy,
  shortNameOf,
  type StageExport,
  type StageTemplates,
} from './stage-templates.ts';

export interface StageChange {
  /** The templates of the stage that stands, or of the release before. */
  readonly before: StageTemplates;
  readonly after: StageTemplates;
  /** The further stacks that the CDK deploys before each stack. */
  readonly waits?: ReadonlyMap<string, readonly string[]>;
}

/** An export that goes or changes, and a stack that imports it until it is deployed. */
export interface ExportInUse {
  readonly stack: string;
  readonly output: string;
  /** The exported value for people, such as `Queue.Arn`. */
  readonly what: string;
  readonly importer: string;
  readonly gone: boolean;
  /** Why the importer cannot be deployed first. */
  readonly because: 'still imports' | 'needs what comes' | 'needs the schema' | 'is not deployed';
}

export interface DeploymentOrder {
  /** All stacks of `after`. */
  readonly order: readonly string[];
  /** The stacks to deploy before the others in their usual order; empty for most changes. */
  readonly first: readonly string[];
  /** Exports that no order helps: CloudFormation refuses this deployment. */
  readonly conflicts: readonly ExportInUse[];
}

/** Importers of an export that goes or changes, and its exporter, which has to be deployed after them. */
interface Drop extends Omit<ExportInUse, 'because'> {
  readonly stillImports: boolean;
}

type Predecessors = ReadonlyMap<string, Set<string>>;

export function deploymentOrder(
  change: StageChange,
  replaced: ReadonlyMap<string, ReplacedResources>,
): DeploymentOrder {
  const { before, after } = change;
  const changed = changedExports(change, replaced);
  const needed = neededBefore(change, changed);
  const conflicts: ExportInUse[] = [];
  const edges = new Map([...needed].map(([stack, others]) => [stack, new Set(others)]));
  const drops = dropsOf(before, after, changed);
  for (const { stillImports, ...drop } of drops) {
    const because = reasonNotToBeFirst(change, drop, stillImports, edges);
    if (because === null) edges.get(drop.stack)?.add(drop.importer);
    else conflicts.push({ ...drop, because });
  }
  const usual = sorted([...after.keys()], usualPredecessors(change));
  const order = sorted(usual, edges);
  const early = drops
    .filter(({ stack, importer }) => edges.get(stack)?.has(importer) && !usualFirst(usual, importer, stack))
    .map(({ importer }) => importer);
  const first = new Set(early.flatMap((stack) => [stack, ...allPredecessors(stack, edges)]));
  return { order, first: order.filter((stack) => first.has(stack)), conflicts };
}

function reasonNotToBeFirst(
  change: StageChange,
  { importer, stack }: Pick<ExportInUse, 'importer' | 'stack'>,
  stillImports: boolean,
  edges: Predecessors,
): ExportInUse['because'] | null {
  if (!change.after.has(importer)) return 'is not deployed';
  if (stillImports) return 'still imports';
  if (!reaches(importer, stack, edges)) return null;
  return bringsSchema(change, stack) ? 'needs the schema' : 'needs what comes';
}

/** Exports of `before` that `after` has no longer, or with another value, by name. */
function changedExports(
  { before, after }: StageChange,
  replaced: ReadonlyMap<string, ReplacedResources>,
): ReadonlyMap<string, StageExport & { readonly gone: boolean }> {
  const kept = exportsOf(after);
  return new Map(
    [...exportsOf(before)].flatMap(([name, old]) => {
      const now = kept.get(name);
      // A stack that is no longer part of the stage keeps its exports.
      if (!now && !after.has(old.stack)) return [];
      const same =
        now && isDeepStrictEqual(now.value, old.value) && !namesAny(now.value, replaced.get(now.stack) ?? new Map());
      return same ? [] : [[name, { ...old, gone: !now }] as const];
    }),
  );
}

function dropsOf(
  before: StageTemplates,
  after: StageTemplates,
  changed: ReturnType<typeof changedExports>,
): readonly Drop[] {
  const drops: Drop[] = [];
  for (const [importer, template] of before) {
    const next = after.get(importer);
    const nextImports = next ? importsOf(next) : new Set<string>();
    for (const name of importsOf(template)) {
      const export_ = changed.get(name);
      if (!export_) continue;
      const { stack, output, value, gone } = export_;
      const what = shortNameOf(value) ?? output;
      drops.push({ stack, output, what, importer, gone, stillImports: nextImports.has(name) });
    }
  }
  return drops;
}

/** The stacks that must be deployed before each stack, because it needs what they only then have. */
function neededBefore(change: StageChange, changed: ReturnType<typeof changedExports>): Predecessors {
  const { before, after } = change;
  const standing = exportsOf(before);
  const coming = exportsOf(after);
  return new Map(
    [...after].map(([stack, template]) => {
      const names = [...importsOf(template)].filter((name) => !standing.has(name) || changed.has(name));
      const producers = names.flatMap((name) => coming.get(name)?.stack ?? []);
      const read = outputsReadBy(template).filter(
        (output) => before.get(output.stack)?.Outputs?.[output.output] === undefined,
      );
      const schemas = producersOf(stack, after).filter((producer) => bringsSchema(change, producer));
      return [stack, new Set([...producers, ...read.map((output) => output.stack), ...schemas])];
    }),
  );
}

/** Whether a stack may bring a newer schema, which the code in others needs. The output `Schema` has its number. */
function bringsSchema({ before, after }: StageChange, stack: string): boolean {
  const next = after.get(stack);
  if (!next || migrationOf(next) === undefined) return false;
  const [old, now] = [before.get(stack)?.Outputs?.['Schema']?.Value, next.Outputs?.['Schema']?.Value];
  return typeof old !== 'string' || typeof now !== 'string' || Number(now) > Number(old);
}

/** The stacks of `templates` that a stack imports from or reads. */
function producersOf(stack: string, templates: StageTemplates): readonly string[] {
  const template = templates.get(stack);
  if (!template) return [];
  const exports = exportsOf(templates);
  const imported = [...importsOf(template)].flatMap((name) => exports.get(name)?.stack ?? []);
  return [...new Set([...imported, ...outputsReadBy(template).map((read) => read.stack)])];
}

/** The order of the CDK: each stack after those that it imports from, reads, or waits for. */
function usualPredecessors({ after, waits }: StageChange): Predecessors {
  return new Map(
    [...after.keys()].map((stack) => [stack, new Set([...producersOf(stack, after), ...(waits?.get(stack) ?? [])])]),
  );
}

function allPredecessors(stack: string, edges: Predecessors, seen = new Set<string>()): ReadonlySet<string> {
  for (const other of edges.get(stack) ?? []) {
    if (seen.has(other)) continue;
    seen.add(other);
    allPredecessors(other, edges, seen);
  }
  return seen;
}

function reaches(from: string, to: string, edges: Predecessors): boolean {
  return allPredecessors(from, edges).has(to);
}

function usualFirst(usual: readonly string[], one: string, other: string): boolean {
  return usual.indexOf(one) < usual.indexOf(other);
}

/** The stacks in the given order, but each after its predecessors, as far as these do not wait for each other. */
function sorted(stacks: readonly string[], edges: Predecessors): readonly string[] {
  const done = new Set<string>();
  const left = [...stacks];
  while (left.length > 0) {
    const next = left.findIndex((stack) =>
      [...(edges.get(stack) ?? [])].every((other) => done.has(other) || !left.includes(other)),
    );
    done.add(left.splice(Math.max(0, next), 1)[0]!);
  }
  return [...done];
}
