// Reads the GraphQL document and the variables of a request, and checks them by the schema before anything runs.
import { getOperationAST, GraphQLError, Lexer, parse, Source, TokenKind, validate, valueFromASTUntyped } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { ProblemError } from '../../operations/problem-codes.ts';
import { readJSON } from '../read-body.ts';

/**
 * How long a document may be. The time to check it grows with the square of its length, and anybody may send
 * one. Clients put long lists into variables.
 */
const maxTokens = 2000;
/** How many brackets may be open at once: the library reads each in a call inside the one before. */
const maxOpenBrackets = 100;
/** After so many errors the library stops searching, since more help nobody and take time to find. */
const maxErrors = 10;

export interface Query {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | null;
  /** The variables of the request, or the default values of the document. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The GraphQL library found errors in a query or its variables. */
export class QueryRefused extends Error {
  /** The code of each of these errors. */
  readonly code: 'query_malformed' | 'validation_failed';
  readonly errors: readonly GraphQLError[];

  constructor(code: QueryRefused['code'], errors: readonly GraphQLError[]) {
    super('the query is refused');
    this.code = code;
    this.errors = errors;
  }
}

/**
 * @throws {ProblemError} for what is no GraphQL request
 * @throws {QueryRefused} for what the schema does not answer
 */
export async function readQuery(schema: GraphQLSchema, request: Request): Promise<Query> {
  const { query, variables, operationName } = fieldsOf(await readJSON(request));
  assertShallow(query);
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens });
  } catch (error) {
    throw error instanceof GraphQLError ? new QueryRefused('query_malformed', [error]) : error;
  }
  const errors = validate(schema, document, undefined, { maxErrors });
  if (errors.length > 0) throw new QueryRefused('query_malformed', errors);
  const operation = getOperationAST(document, operationName);
  if (operation) return { document, operation, operationName, variables: { ...defaultsOf(operation), ...variables } };
  const detail =
    operationName === null
      ? 'The document has several operations: name one in operationName.'
      : `The document has no operation ${JSON.stringify(operationName)}.`;
  throw new QueryRefused('query_malformed', [new GraphQLError(detail)]);
}

/** @throws {ProblemError} query_too_large, before the library would overflow the stack */
function assertShallow(query: string): void {
  const lexer = new Lexer(new Source(query));
  try {
    for (let open = 0, tokens = 0; tokens < maxTokens; tokens++) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) return;
      open += bracketing.get(kind) ?? 0;
      if (open > maxOpenBrackets)
        throw new ProblemError('query_too_large', `More than ${maxOpenBrackets} brackets are inside each other.`);
    }
  } catch (error) {
    // What is no token of GraphQL is refused by the parser, with its place.
    if (!(error instanceof GraphQLError)) throw error;
  }
}

const bracketing: ReadonlyMap<TokenKind, number> = new Map([
  [TokenKind.PAREN_L, 1],
  [TokenKind.BRACKET_L, 1],
  [TokenKind.BRACE_L, 1],
  [TokenKind.PAREN_R, -1],
  [TokenKind.BRACKET_R, -1],
  [TokenKind.BRACE_R, -1],
]);

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
}

interface RequestFields {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** The fields of a request, as the section "JSON encoding" of GraphQL over HTTP has them. */
function fieldsOf(body: unknown): RequestFields {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(body)) throw refusal('', 'Must be an object with the field query.');
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== 'string') throw refusal('/query', 'Must be text: a GraphQL document.');
  if (variables != null && !isObject(variables)) throw refusal('/variables', 'Must be an object.');
  if (operationName != null && typeof operationName !== 'string') throw refusal('/operationName', 'Must be text.');
  if (extensions != null && !isObject(extensions)) throw refusal('/extensions', 'Must be an object.');
  return { query, variables: variables ?? {}, operationName: operationName ?? null };
}

function refusal(path: string, detail: string): ProblemError {
  return new ProblemError('query_malformed', `${path || 'The body'}: ${detail}`, {
    errors: [{ path, code: 'query_malformed', detail }],
  });
}
