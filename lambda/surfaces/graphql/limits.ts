// Limits of one request: how deep it may be, and how many resources it may load.
// They are checked before anything is read.
import { getNamedType, isObjectType, Kind, valueFromASTUntyped } from 'graphql';
import type { FieldNode, GraphQLObjectType, GraphQLSchema, SelectionSetNode } from 'graphql';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Query } from './read-query.ts';

/** How many resources one request may load, counted as if every page were full. */
export const maxCost = 5000;
/** How many fields may be inside each other. Fragments do not count. */
export const maxDepth = 14;
/** A mutation locks, writes and sends, so it counts as so many resources. */
export const mutationCost = 50;
/** Introspection loads nothing, but takes as long as loading so many resources, and needs no credential. */
export const introspectionCost = 500;
/** How many values an answer may have. With more values, its JSON would almost always be larger than may be sent. */
export const maxValues = 500_000;
/**
 * How many resources a request may really load, in lists that turn out to be long. What a query may load is estimated
 * before anything is read; this is counted on the way, before each statement.
 */
export const maxLoaded = 10_000;
/** The assumed length of a list inside a resource, for estimating what its entries load. */
const listLength = 10;

export interface Cost {
  /** How many resources the field itself loads, for each parent. */
  readonly own: number;
  /** How many entries the field has, for each parent. The query itself says it for a page. */
  readonly times: number | 'list' | { readonly unlessAsked: number; readonly atMost: number };
}

/** A cost in the form of the `extensions` of a field. */
export function costOf(cost: Cost): { readonly cost: Cost } {
  return { cost };
}

export interface Selection {
  /** Every field that the query selects, such as `Stream.replicas`. */
  readonly fields: ReadonlySet<string>;
  /** The fields of Query or Mutation, each of which calls an operation. */
  readonly calls: readonly FieldNode[];
}

type Extent = { readonly cost: number; readonly depth: number };

/**
 * Measures what a valid query selects.
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
      `The query is ${depth} fields deep; ${maxDepth} is the limit. Ask for what is deeper in a second request.`,
    );
  if (cost > maxCost)
    throw new ProblemError(
      'query_too_large',
      `The query may load ${cost} resources; ${maxCost} is the limit. ` +
        'Ask for smaller pages (first), or for fewer relations at once.',
    );
  return { fields, calls };

  function extentOf({ selections }: SelectionSetNode, type: GraphQLObjectType): Extent {
    const extents = selections.map((selection): Extent => {
      if (selection.kind === Kind.FIELD) return extentOfField(selection, type);
      // There are no interfaces and unions, so a fragment has the type of the selection that it is in.
      if (selection.kind === Kind.INLINE_FRAGMENT) return extentOf(selection.selectionSet, type);
      const { name, selectionSet } = fragments.get(selection.name.value)!;
      // Each fragment is measured once, however often it is spread, so that its fields and calls are noted once too.
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
    // The rules of validation limit how deep introspection may be. `__typename` costs something under another name,
    // since a query could otherwise ask for it under very many names.
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
   * How many rows of a page a query asks for; null where it does not say. Infinity, which the page then bounds, where
   * it lists them by id, or says what the operation will refuse.
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
