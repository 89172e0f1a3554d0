// The resources of a stack that an update replaces, because of themselves or of others that they name.
import { isDeepStrictEqual } from 'node:util';
import { createOnly } from './resource-rules.ts';
import { referencesOf, type Template } from './stage-templates.ts';

/** Logical ids with the properties that make CloudFormation replace the resource. */
export type ReplacedResources = ReadonlyMap<string, readonly string[]>;

export function replacedResources(before: Template, after: Template): ReplacedResources {
  const replaced = new Map<string, readonly string[]>();
  const kept = Object.entries(after.Resources).filter(([id, { Type }]) => before.Resources[id]?.Type === Type);
  for (let found = true; found;) {
    found = false;
    for (const [id, { Type, Properties = {} }] of kept) {
      if (replaced.has(id)) continue;
      const old = before.Resources[id]?.Properties ?? {};
      const causes = (createOnly[Type] ?? []).filter(
        (name) => !isDeepStrictEqual(old[name], Properties[name]) || namesAny(Properties[name], replaced),
      );
      if (causes.length === 0) continue;
      replaced.set(id, causes);
      found = true;
    }
  }
  return replaced;
}

/** Whether a value names one of these resources. */
export function namesAny(value: unknown, resources: ReplacedResources): boolean {
  return resources.size > 0 && [...referencesOf(value)].some((id) => resources.has(id));
}
