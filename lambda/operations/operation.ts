// How an operation of the catalogue is declared: what surfaces have to know as data, then its logic.
// REST, GraphQL, MCP and the OpenAPI document are computed from these declarations.
import * as z from 'zod';
import type { Context, PublicContext } from './context.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { Scope } from './scopes.ts';

type Schema = z.ZodType;
type Shape = z.ZodRawShape;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Input<Params extends Shape, Query extends Shape, Body extends Schema> {
  readonly params: z.output<z.ZodObject<Params>>;
  readonly query: z.output<z.ZodObject<Query>>;
  readonly body: z.output<Body>;
}

interface Hints {
  /** A POST that changes nothing the second time, so it may be repeated without an Idempotency-Key. */
  readonly idempotent?: true;
  /** A POST that may delete something that was there. */
  readonly destructive?: true;
  /** It makes us connect to systems of others. */
  readonly openWorld?: true;
}

interface Declaration<Params extends Shape, Query extends Shape, Body extends Schema, Answer extends Schema, Ctx> {
  /**
   * In camelCase, as the GraphQL field is called. The OpenAPI operationId and the MCP tool are called so in snake_case.
   */
  readonly id: string;
  readonly summary: string;
  /** What a client has to know beyond the summary: units, effects, what to call next. */
  readonly description?: string;
  readonly tag:
    | 'account'
    | 'service'
    | 'streams'
    | 'schedule'
    | 'uploads'
    | 'sources'
    | 'playlists'
    | 'destinations'
    | 'connections'
    | 'managed-settings'
    | 'billing'
    | 'crypto'
    | 'webhooks'
    | 'alert-channels'
    | 'incidents'
    | 'notifications';
  readonly method: Method;
  /** Relative to the base URL, with {name} for each of `params`. */
  readonly path: `/${string}`;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly output: {
    /** 302: REST leads on to the `url` of the answer, which other surfaces answer as it is. */
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly body?: Answer;
    /** The path of what was made, for the Location header. */
    readonly location?: (answer: z.output<Answer>) => string;
    /** The answer holds a secret, so the copy that we keep for repeated requests is sealed. */
    readonly isSecret?: boolean;
    /** The answer has the address of a picture alone, at which a model cannot look. */
    readonly isPicture?: true;
    /** The answer as a table, which REST answers where the query has format=csv. */
    readonly csv?: (answer: z.output<Answer>) => string;
  };
  /** The problems besides those of every operation, which are 401, 403, 422 for its input, 429, 500 and 502. */
  readonly errors: readonly ProblemCode[];
  /** What AI clients are told beyond what the method says. */
  readonly hints?: Hints;
  readonly handle: (ctx: Ctx, input: Input<Params, Query, Body>) => Promise<z.input<Answer>>;
}

/** One operation as the surfaces see it. */
export interface Operation extends Omit<
  Declaration<Shape, Shape, Schema, Schema, Context>,
  'handle' | 'params' | 'query' | 'output'
> {
  /** Any one of these is enough; `public` needs no credential at all. */
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

/** Declares an operation for authenticated callers. */
export function operation<
  Params extends Shape = Record<never, never>,
  Query extends Shape = Record<never, never>,
  Body extends Schema = z.ZodUndefined,
  Answer extends Schema = z.ZodUndefined,
>(scopes: readonly [Scope, ...Scope[]], declaration: Declaration<Params, Query, Body, Answer, Context>): Operation {
  return withSchemas(scopes, declaration);
}

/** Declares an operation that needs no credential. */
export function publicOperation<Answer extends Schema>(
  declaration: Declaration<Record<never, never>, Record<never, never>, z.ZodUndefined, Answer, PublicContext>,
): Operation {
  return withSchemas('public', declaration);
}

/** The schemas are built here, once, and not for each request. */
function withSchemas<
  Params extends Shape,
  Query extends Shape,
  Body extends Schema,
  Answer extends Schema,
  Ctx extends PublicContext,
>(scopes: Operation['scopes'], declaration: Declaration<Params, Query, Body, Answer, Ctx>): Operation {
  return {
    ...declaration,
    scopes,
    params: z.strictObject(declaration.params ?? {}),
    query: z.strictObject(declaration.query ?? {}),
    output: declaration.output as Operation['output'],
    handle: declaration.handle as unknown as Operation['handle'],
  };
}

/** `createStream` → `create_stream`: the OpenAPI operationId and the MCP tool name. */
export function toolName(operation: Pick<Operation, 'id'>): string {
  return operation.id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
