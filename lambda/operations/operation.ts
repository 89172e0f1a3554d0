// The declaration of an operation: its logic, and the data that surfaces need.
// REST, GraphQL, MCP and the OpenAPI document are derived from these declarations.
import * as z from 'zod';
import type { Context, GuestContext, PublicContext } from './context.ts';
import { pathID } from './fields.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { Scope } from './scopes.ts';

type Schema = z.ZodType;
type Shape = z.ZodRawShape;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Route = `${Method} /${string}`;

/** The parameters of the path of a route: an ID for each {name}. */
type IDsOf<Of extends string> = Of extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, typeof pathID> & IDsOf<Rest>
  : Record<never, never>;

interface Input<Params extends Shape, Query extends Shape, Body extends Schema> {
  readonly params: z.output<z.ZodObject<Params>>;
  readonly query: z.output<z.ZodObject<Query>>;
  readonly body: z.output<Body>;
}

interface Hints {
  /** A POST that is safe to repeat without an Idempotency-Key: a second call changes nothing. */
  readonly idempotent?: true;
  /** A POST that may delete existing data. */
  readonly destructive?: true;
  /** The operation makes the platform connect to systems of third parties. */
  readonly openWorld?: true;
}

interface Declaration<
  Of extends Route,
  Params extends Shape,
  Query extends Shape,
  Body extends Schema,
  Answer extends Schema,
  Ctx,
> {
  readonly summary: string;
  /** Facts that a client needs beyond the summary: units, effects, and the next call. */
  readonly description?: string;
  readonly tag:
    | 'account'
    | 'service'
    | 'streams'
    | 'guides'
    | 'schedule'
    | 'uploads'
    | 'sources'
    | 'playlists'
    | 'collections'
    | 'programmes'
    | 'destinations'
    | 'connections'
    | 'managed-settings'
    | 'billing'
    | 'crypto'
    | 'webhooks'
    | 'alert-channels'
    | 'incidents'
    | 'live-inputs'
    | 'notifications';
  /** The method and the path, relative to the base URL. Each {name} of the path is an ID, unless it is in `params`. */
  readonly route: Of;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Requests may leave the body out. It is an empty object then. */
  readonly isBodyOptional?: true;
  readonly output: {
    /** 302: REST redirects to the `url` of the answer; other surfaces return the answer itself. */
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly body?: Answer;
    /** The path of the created resource, for the Location header. */
    readonly location?: (answer: z.output<Answer>) => string;
    /** The answer contains a secret, so the copy stored for repeated requests is sealed. */
    readonly isSecret?: boolean;
    /** The answer contains only the URL of a picture, which a model cannot open. */
    readonly isPicture?: true;
    /** Formats the answer as CSV. REST returns it if the query has format=csv. */
    readonly csv?: (answer: z.output<Answer>) => string;
  };
  /**
   * The problem codes of this operation, beside those that follow from its input: `not_found` for an ID in its path,
   * and `invalid_cursor` for a `cursor`. Every operation can also end with 401, 403, 422 for invalid input, 429, 500
   * and 502.
   */
  readonly errors?: readonly ProblemCode[];
  /** Hints for AI clients that the method does not imply. */
  readonly hints?: Hints;
  /** A read that may take long although its caller does not choose how much it reads. */
  readonly readsMuch?: true;
  readonly handle: (
    ctx: Ctx,
    input: Input<Params, Query, Body>,
  ) => Promise<Answer extends z.ZodUndefined ? void : z.input<Answer>>;
}

/** An operation as surfaces see it. */
export interface Operation extends Omit<
  Declaration<Route, Shape, Shape, Schema, Schema, Context>,
  'route' | 'handle' | 'params' | 'query' | 'output' | 'errors'
> {
  /**
   * The name of the GraphQL field, in camelCase. The OpenAPI operationId and the MCP tool have the same name in
   * snake_case.
   */
  readonly id: string;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly errors: readonly ProblemCode[];
  /** Whether guests call it, which only REST offers: a document of GraphQL would send many requests as one. */
  readonly isForGuests?: true;
  /** One of these scopes is enough; `public` operations need no credential. */
  readonly scopes: readonly [Scope, ...Scope[]] | 'public';
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly output: {
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly body?: Schema;
    readonly location?: (answer: unknown) => string;
    readonly isSecret?: boolean;
    readonly isPicture?: true;
    readonly csv?: (answer: unknown) => string;
  };
  readonly handle: (ctx: Context, input: { params: unknown; query: unknown; body: unknown }) => Promise<unknown>;
}

/** An operation as its file declares it. Its id is its name in the catalogue. */
export type DeclaredOperation = Omit<Operation, 'id'>;

/** Declares an operation for authenticated callers. */
export function operation<
  const Of extends Route,
  Params extends Shape = IDsOf<Of>,
  Query extends Shape = Record<never, never>,
  Body extends Schema = z.ZodUndefined,
  Answer extends Schema = z.ZodUndefined,
>(
  scopes: readonly [Scope, ...Scope[]],
  declaration: Declaration<Of, Params, Query, Body, Answer, Context>,
): DeclaredOperation {
  return withSchemas(scopes, declaration);
}

/** Declares an operation that needs no credential. */
export function publicOperation<Answer extends Schema>(
  declaration: Declaration<Route, Record<never, never>, Record<never, never>, z.ZodUndefined, Answer, PublicContext>,
): DeclaredOperation {
  return withSchemas('public', declaration);
}

/** Declares an operation for guests, who have the token of a guide link. */
export function guestOperation<
  const Of extends Route,
  Params extends Shape,
  Query extends Shape = Record<never, never>,
  Body extends Schema = z.ZodUndefined,
  Answer extends Schema = z.ZodUndefined,
>(declaration: Declaration<Of, Params, Query, Body, Answer, GuestContext>): DeclaredOperation {
  return { ...withSchemas('public', declaration), isForGuests: true };
}

/** Builds the schemas once, and not for each request. */
function withSchemas<
  Params extends Shape,
  Query extends Shape,
  Body extends Schema,
  Answer extends Schema,
  Ctx extends PublicContext,
>(
  scopes: Operation['scopes'],
  { route, ...declaration }: Declaration<Route, Params, Query, Body, Answer, Ctx>,
): DeclaredOperation {
  const [method, path] = route.split(' ') as [Method, `/${string}`];
  const { params = {}, query = {}, errors = [] } = declaration;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => !(name in params));
  return {
    ...declaration,
    method,
    path,
    scopes,
    params: z.strictObject({ ...Object.fromEntries(ids.map((name) => [name, idIn(path, name)])), ...params }),
    query: z.strictObject(query),
    errors: [
      ...(ids.length > 0 ? ['not_found' as const] : []),
      ...('cursor' in query ? ['invalid_cursor' as const] : []),
      ...errors,
    ],
    output: declaration.output as Operation['output'],
    handle: declaration.handle as unknown as Operation['handle'],
  };
}

/** The ID of a path, described by the resource that it belongs to. */
function idIn(path: string, name: string): typeof pathID {
  const [, collection = ''] = new RegExp(`/([a-z-]+)/\\{${name}\\}`).exec(path) ?? [];
  const thing = name === 'id' ? collection.replaceAll('-', ' ').replace(/(?<!managed setting)s$/, '') : wordsOf(name);
  return pathID.describe(`ID of the ${thing}.`);
}

/** `queuedItemID` → `queued item` */
function wordsOf(name: string): string {
  return name.replace(/ID$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** `createStream` → `create_stream`: the OpenAPI operationId and the MCP tool name. */
export function toolName(operation: Pick<Operation, 'id'>): string {
  return operation.id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
