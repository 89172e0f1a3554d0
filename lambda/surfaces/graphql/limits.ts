// What one request may ask for: how deep, and how many resources at most, known before anything is read.
import { getNamedType, isObjectType, Kind, valueFromASTUntyped } from 'graphql';
import type { FieldNode, GraphQLObjectType, GraphQLSchema, SelectionSetNode } from 'graphql';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Query } from './read-query.ts';

/** Resources that one request may load, counted as if every page were full. */
export const maxCost = 5000;
/** Fields inside each other; fragments do not count. */
export const maxDepth = 14;
/** A change locks, writes and sends: it counts as much as this many resources. */
export const mutationCost = 50;
/** Describing the schema loads nothing, but takes as long as this many resources; and anybody may ask for it. */
export const introspectionCost = 500;
/** Values in an answer. As JSON, more than these are hardly ever less than what may be sent. */
export const maxValues = 500_000;
/** Lists inside a resource are in its row; they count as this long where something hangs on their entries. */
const listLength = 10;

export interface Cost {
  /** What the field itself adds for each parent. */
  readonly own: number;
  /** How often what is below it is there for each parent; a page's is asked for. */
  readonly times: number | 'list' | { readonly unlessAsked: number; readonly atMost: number };
}

/** For the `extensions` of a field. */
export function costOf(cost: Cost): { readonly cost: Cost } {
  return { cost };
}

export interface Selection {
  /** Every field that the request shows, as `Stream.replicas`. */
  readonly fields: ReadonlySet<string>;
  /** The first fields: each is a call of an operation. */
  readonly calls: readonly FieldNode[];
}

type Extent = { readonly cost: number; readonly depth: number };

/**
 * What a valid query selects.
 * @throws {ProblemError} query_too_large
 */
export function selectionOf(schema: GraphQLSchema, { document, operation, variables }: Query): Selection {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
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
      `The query may load ${cost} resources; ${maxCost} is the limit. Ask for smaller pages (first), or for fewer relations at once.`,
    );
  return { fields, calls };

  function extentOf({ selections }: SelectionSetNode, type: GraphQLObjectType): Extent {
    const extents = selections.map((selection): Extent => {
      if (selection.kind === Kind.FIELD) return extentOfField(selection, type);
      // All types are objects: a fragment is on the type that it stands in.
      if (selection.kind === Kind.INLINE_FRAGMENT) return extentOf(selection.selectionSet, type);
      const { name, selectionSet } = fragments.get(selection.name.value)!;
      // Once for each fragment, however often it is spread. The calls in a fragment on Query are those of its first place.
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
    // How deep introspection may go is among the rules of validation. Asked for by many names, a type's name would be an answer without end.
    if (name.startsWith('__'))
      return { cost: name === '__typename' ? Number(node.alias !== undefined) : introspectionCost, depth: 1 };
    const field = parent.getFields()[name]!;
    fields.add(`${parent.name}.${name}`);
    if (parent === root) calls.push(node);
    const type = getNamedType(field.type);
    const below = node.selectionSet && isObjectType(type) ? extentOf(node.selectionSet, type) : { cost: 0, depth: 0 };
    const { own, times } = (field.extensions as { cost?: Cost }).cost ?? { own: 0, times: 1 };
    const count =
      times === 'list'
        ? listLength
        : typeof times === 'number'
          ? times
          : Math.min(askedFor(node) ?? times.unlessAsked, times.atMost);
    return { cost: count * (own + below.cost), depth: 1 + below.depth };
  }

  /** Rows of a page. What is no number is refused later; a page that names its rows holds all of them. */
  function askedFor(node: FieldNode): number | null {
    const given = (node.arguments ?? []).map(
      ({ name, value }) => [name.value, valueFromASTUntyped(value, variables)] as const,
    );
    if (given.some(([, value]) => Array.isArray(value))) return Infinity;
    const first = given.find(([name]) => name === 'first')?.[1];
    if (first == null) return null;
    return typeof first === 'number' && first >= 1 ? first : Infinity;
  }
}
