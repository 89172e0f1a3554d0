// The schemas of answers as GraphQL types, with additional fields for related resources.
// Whole numbers beyond 32 bits are Float: code generators would type a custom scalar as `any`.
import { GraphQLBoolean, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql';
import type {
  GraphQLEnumType,
  GraphQLFieldConfig,
  GraphQLFieldConfigMap,
  GraphQLOutputType,
  GraphQLScalarType,
} from 'graphql';
import type { Relation } from '../../operations/relations.ts';
import type { Execution } from './execution.ts';
import { costOf } from './limits.ts';
import { areNames, componentOf, descriptionOf, nameAt, scalarOf, withoutNull } from './json-types.ts';
import type { Components, Enums, Schema, Wording } from './json-types.ts';

type Source = Readonly<Record<string, unknown>>;
type Fields = GraphQLFieldConfigMap<Source, Execution>;

interface Page {
  readonly data: readonly unknown[];
  readonly page: { readonly hasMore: boolean; readonly nextCursor: string };
}

type Present = GraphQLObjectType | GraphQLEnumType | GraphQLScalarType | GraphQLList<GraphQLOutputType>;

/** The GraphQL type of the schema of an answer. */
export type AnswerTypes = (schema: Schema, name: string) => GraphQLOutputType;

const pageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'Position of the page in the list.',
  fields: {
    hasNextPage: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: 'true: the list has more nodes after this page.',
    },
    endCursor: { type: GraphQLString, description: 'Value of `after` for the next page. null on the last page.' },
  },
});

/**
 * Creates the types of answers.
 * @param components all schemas that other schemas refer to, by name
 */
export function createAnswerTypes(
  components: Components,
  relations: readonly Relation[],
  enums: Enums,
  wording: Wording,
): AnswerTypes {
  const objects = new Map<string, GraphQLObjectType>();
  for (const component of Object.keys(components)) presentTypeAt({ $ref: `#/components/schemas/${component}` }, '', '');
  // Creates the fields now, before any arguments, so that enums are named after answers and not after arguments.
  for (const type of objects.values()) type.getFields();
  return (schema, name) => typeAt(schema, name, '');

  function typeAt(schema: Schema, parent: string, field: string): GraphQLOutputType {
    const { present, nullable: mayBeNull } = withoutNull(schema);
    const type = presentTypeAt(present, parent, field);
    return mayBeNull ? type : new GraphQLNonNull(type);
  }

  function presentTypeAt(schema: Schema, parent: string, field: string): Present {
    const component = componentOf(schema);
    if (component !== null) {
      const referred = components[component]!;
      return isPage(referred) ? connection(component, referred) : presentTypeAt(referred, component, '');
    }
    if (schema.items) return new GraphQLList(typeAt(schema.items, parent, field.replace(/s$/, '')));
    const name = nameAt(parent, field);
    if (schema.enum && areNames(schema.enum)) return enums(schema.enum, name);
    const isClosed = schema.properties && !schema.additionalProperties;
    return isClosed ? object(name, schema) : scalarOf(schema, field);
  }

  function object(name: string, { properties = {}, required = [], description }: Schema): GraphQLObjectType {
    const fields = (): Fields => {
      const own = Object.entries(properties).map(([field, schema]) => {
        const type = typeAt(schema, name, field);
        return [field, ownField(schema, required.includes(field) ? type : nullable(type))] as const;
      });
      const followed = relations.filter(({ from }) => from === name);
      const related = followed.map((relation) => [relation.field, relatedField(relation)] as const);
      return Object.fromEntries([...own, ...related]);
    };
    return memoized(name, () => ({ description: wording(description), fields }));
  }

  function ownField(schema: Schema, type: GraphQLOutputType): GraphQLFieldConfig<Source, Execution> {
    return {
      type,
      description: wording(descriptionOf(schema)),
      ...(schema.type === 'array' ? { extensions: costOf({ own: 0, times: 'list' }) } : {}),
    };
  }

  function relatedField(relation: Relation): GraphQLFieldConfig<Source, Execution> {
    const { description, ids, to, usually } = relation;
    const type = presentTypeAt({ $ref: `#/components/schemas/${to}` }, '', '');
    return {
      type: usually === null ? type : new GraphQLList(new GraphQLNonNull(type)),
      description,
      extensions: costOf({ own: 1, times: usually ?? 1 }),
      resolve: (source, _args, execution) => execution.follow(relation, source[ids]),
    };
  }

  /** A page of a list as a connection, the form that clients know how to page through. */
  function connection(component: string, { properties }: Schema): GraphQLObjectType {
    const name = component.replace(/Page$/, '');
    const node = typeAt(properties!['data']!.items!, name, '');
    const edge = memoized(`${name}Edge`, () => ({
      description: 'Node of a page with its cursor.',
      fields: {
        node: { type: node, description: 'Resource of this edge.' },
        cursor: {
          type: GraphQLString,
          description: 'Cursor of the last edge of a page that another page follows. null on all other edges.',
        },
      },
    }));
    return memoized(`${name}Connection`, () => ({
      description: 'Page of a list.',
      fields: {
        nodes: { type: listOf(node), description: 'All resources of this page.', resolve: ({ data }: Page) => data },
        edges: {
          type: listOf(edge),
          description: 'All resources of this page, each with its cursor.',
          resolve: edgesOf,
        },
        pageInfo: {
          description: 'Position of the page in the list.',
          type: new GraphQLNonNull(pageInfo),
          resolve: ({ page }: Page) => ({ hasNextPage: page.hasMore, endCursor: page.nextCursor || null }),
        },
      } as unknown as Fields,
    }));
  }

  function memoized(
    name: string,
    config: () => { description?: string | undefined; fields: Fields | (() => Fields) },
  ): GraphQLObjectType {
    const known = objects.get(name);
    if (known) return known;
    const type = new GraphQLObjectType({ name, ...config() });
    objects.set(name, type);
    return type;
  }
}

/** The nullable form of a type. */
export function nullable(type: GraphQLOutputType): GraphQLOutputType {
  return type instanceof GraphQLNonNull ? (type.ofType as GraphQLOutputType) : type;
}

/** Whether a schema is a page, as made by `pageOf` in operations/fields.ts. */
export function isPage({ properties = {} }: Schema): boolean {
  return Object.keys(properties).join(' ') === 'data page';
}

function listOf(type: GraphQLOutputType): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(type instanceof GraphQLNonNull ? type : new GraphQLNonNull(type)));
}

function edgesOf({ data, page }: Page) {
  return data.map((node, index) => ({
    node,
    cursor: index === data.length - 1 && page.hasMore ? page.nextCursor : null,
  }));
}
