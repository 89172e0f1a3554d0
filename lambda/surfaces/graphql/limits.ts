// Limits of one request: its depth, and the number of resources it may load. They are checked before anything is read.
import { getNamedType, isObjectType, Kind, valueFromASTUntyped } from 'graphql';
import type { FieldNode, GraphQLObjectType, GraphQLSchema, SelectionSetNode } from 'graphql';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Query } from './read-query.ts';

/** The most resources that one request may load, counted as if every page were full. */
export const maxCost = 5000;
/** The deepest nesting of fields. Fragments do not count. */
export const maxDepth = 14;
/** The cost of a mutation, in resources: it locks, writes and sends. */
export const mutationCost = 50;
/** The cost of introspection, in resources: it loads none, but takes as long, and needs no credential. */
export const introspectionCost = 500;
/** The most values of an answer. With more, its JSON would almost always be too large to be sent. */
export const maxValues = 500_000;
/**
 * The most resources that a request may really load, if lists are longer than estimated. The estimate is made before
 * anything is read; real resources are counted before each statement.
 */
export const maxLoaded = 10_000;
/** The assumed length of a list inside a resource, to estimate the resources that its entries load. */
const listLength = 10;

export interface Cost {
  /** The number of resources that the field itself loads, per parent. */
  readonly own: number;
  /** The number of entries of the field, per parent. For a page, the query gives the number. */
  readonly times: number | 'list' | { readonly unlessAsked: number; readonly atMost: number };
}

/** The `extensions` of a field with a cost. */
export function costOf(cost: Cost): { readonly cost: Cost } {
  return { cost };
}

export interface Selection {
  /** Every field that the query selects, such as `Stream.replicas`. */
  readonly fields: ReadonlySet<string>;
  /** The selected fields of Query or Mutation. Each calls an operation. */
  readonly calls: readonly FieldNode[];
}

type Extent = { readonly cost: number; readonly depth: number };

/**
 * Measures a valid query.
 * @throws {ProblemError} query_too_large
 */
export function selectionOf(schema: GraphQLSchema, { document, operation, variables }: Query): Selection {
  const definitions = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(definitions.map((definition) => [definition.name.value, definition]));
  const measured = new Map<string, Extent>();
  const fields = new Set<string>();
  const calls: FieldNode[] = [];
  const root = schema.getRootType(operation.operation)!;
  const { cost, depth } = extentOf(operation.selectionSet, root);
  if (depth > maxDepth)
    throw new ProblemError(
      'query_too_large',
      `The query is ${depth} levels deep, but the limit is ${maxDepth}. Request the deeper fields in a second ` +
        'query.',
    );
  if (cost > maxCost)
    throw new ProblemError(
      'query_too_large',
      `The query may load ${cost} resources, but the limit is ${maxCost}. Request smaller pages (first), or fewer ` +
        'relations at once.',
    );
  return { fields, calls };

  function extentOf({ selections }: SelectionSetNode, type: GraphQLObjectType): Extent {
    const extents = selections.map((selection): Extent => {
      if (selection.kind === Kind.FIELD) return extentOfField(selection, type);
      // The schema has no interfaces or unions, so a fragment has the type of the surrounding selection.
      if (selection.kind === Kind.INLINE_FRAGMENT) return extentOf(selection.selectionSet, type);
      const { name, selectionSet } = fragments.get(selection.name.value)!;
      // Each fragment is measured once, however often it is used, so that its fields and calls are recorded once too.
      const extent = measured.get(name.value) ?? extentOf(selectionSet, type);
      measured.set(name.value, extent);
      return extent;
    });
    return {
      cost: extents.reduce((sum, extent) => sum + extent.cost, 0),
      depth: Math.max(0, ...extents.map((extent) => extent.depth)),
    };
  }

  function extentOfField(node: FieldNode, parent: GraphQLObjectType): Extent {
    const name = node.name.value;
    // The validation rules limit the depth of introspection. `__typename` under an alias has a cost, because a query
    // could otherwise request it under very many names.
    if (name.startsWith('__'))
      return { cost: name === '__typename' ? Number(node.alias !== undefined) : introspectionCost, depth: 1 };
    const field = parent.getFields()[name]!;
    fields.add(`${parent.name}.${name}`);
    if (parent === root) calls.push(node);
    const type = getNamedType(field.type);
    const below = node.selectionSet && isObjectType(type) ? extentOf(node.selectionSet, type) : { cost: 0, depth: 0 };
    const { own, times } = (field.extensions as { cost?: Cost }).cost ?? { own: 0, times: 1 };
    return { cost: countOf(node, times) * (own + below.cost), depth: 1 + below.depth };
  }

  function countOf(node: FieldNode, times: Cost['times']): number {
    if (times === 'list') return listLength;
    if (typeof times === 'number') return times;
    return Math.min(askedFor(node) ?? times.unlessAsked, times.atMost);
  }

  /**
   * The number of rows of a page that a query requests; null if it gives none. Infinity, which the page size then
   * bounds, if it lists rows by ID or has a value that the operation will refuse.
   */
  function askedFor(node: FieldNode): number | null {
    const given = (node.arguments ?? []).map(({ name, value }) => ({
      name: name.value,
      value: valueFromASTUntyped(value, variables),
    }));
    if (given.some(({ value }) => Array.isArray(value))) return Infinity;
    const first = given.find(({ name }) => name === 'first')?.value;
    if (first == null) return null;
    return typeof first === 'number' && first >= 1 ? first : Infinity;
  }
}
