// How an operation of the catalogue is declared: policy as data, logic last. Every surface is computed from this.
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
  /** A POST that may be repeated without a key: it changes nothing the second time. */
  readonly idempotent?: true;
  /** A POST that takes away something that was there. */
  readonly destructive?: true;
  /** It reaches out to what is neither ours nor the caller's. */
  readonly openWorld?: true;
}

interface Declaration<Params extends Shape, Query extends Shape, Body extends Schema, Answer extends Schema, Ctx> {
  /** camelCase; the OpenAPI operationId and MCP tool are its snake_case, the GraphQL field is itself. */
  readonly id: string;
  readonly summary: string;
  /** What a client has to know beyond the summary: units, effects, what to call next. */
  readonly description?: string;
  readonly tag:
    | 'account'
    | 'service'
    | 'streams'
    | 'uploads'
    | 'playlists'
    | 'destinations'
    | 'billing'
    | 'crypto'
    | 'webhooks';
  readonly method: Method;
  /** Relative to the base URL, with {name} for each of `params`. */
  readonly path: `/${string}`;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly output: {
    readonly status: 200 | 201 | 202 | 204;
    readonly body?: Answer;
    /** The path of what was made, for the Location header. */
    readonly location?: (answer: z.output<Answer>) => string;
    /** It holds a secret: where it is kept to be repeated, it is sealed. */
    readonly isSecret?: boolean;
  };
  /** Beyond those that every operation has: 401, 403, 422 for its input, 429, 500 and 502. */
  readonly errors: readonly ProblemCode[];
  /** What agents are told beyond what the method says. */
  readonly hints?: Hints;
  readonly handle: (ctx: Ctx, input: Input<Params, Query, Body>) => Promise<z.input<Answer>>;
}

/** One operation, as the surfaces see it. */
export interface Operation extends Omit<
  Declaration<Shape, Shape, Schema, Schema, Context>,
  'handle' | 'params' | 'query' | 'output'
> {
  /** Any one of these is enough; `public` needs no credential at all. */
  readonly scopes: readonly [Scope, ...Scope[]] | 'public';
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly output: {
    readonly status: 200 | 201 | 202 | 204;
    readonly body?: Schema;
    readonly location?: (answer: unknown) => string;
    readonly isSecret?: boolean;
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
  return seal(scopes, declaration);
}

/** Declares an operation that needs no credential. */
export function publicOperation<Answer extends Schema>(
  declaration: Declaration<Record<never, never>, Record<never, never>, z.ZodUndefined, Answer, PublicContext>,
): Operation {
  return seal('public', declaration);
}

/** Builds the schemas once, never per request. */
function seal<
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
