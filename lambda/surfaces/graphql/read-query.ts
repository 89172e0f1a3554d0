// Reads the GraphQL document and the variables of a request, and validates them against the schema before execution.
import { getOperationAST, GraphQLError, Lexer, parse, Source, TokenKind, validate, valueFromASTUntyped } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { ProblemError } from '../../operations/problem-codes.ts';
import { readJSON } from '../read-body.ts';

/**
 * The most tokens of a document. Anyone may send a document, and the time to validate it grows with the square of its
 * length. Clients put long lists into variables.
 */
const maxTokens = 2000;
/** The most brackets that may be open at once: the parser recurses for each of them. */
const maxOpenBrackets = 100;
/** The most errors that validation reports: more help no reader and take time to find. */
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
  /** The code of all of these errors. */
  readonly code: 'query_malformed' | 'validation_failed';
  readonly errors: readonly GraphQLError[];

  constructor(code: QueryRefused['code'], errors: readonly GraphQLError[]) {
    super('the query is refused');
    this.code = code;
    this.errors = errors;
  }
}

/**
 * Reads and validates a query.
 * @throws {ProblemError} if the request is not a GraphQL request
 * @throws {QueryRefused} if the query does not fit the schema
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
      ? 'The document has several operations. Name one of them in operationName.'
      : `The document has no operation ${JSON.stringify(operationName)}.`;
  throw new QueryRefused('query_malformed', [new GraphQLError(detail)]);
}

/**
 * Refuses deep nesting before the parser could overflow the stack.
 * @throws {ProblemError} query_too_large
 */
function assertShallow(query: string): void {
  const lexer = new Lexer(new Source(query));
  try {
    for (let open = 0, tokens = 0; tokens < maxTokens; tokens++) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) return;
      open += bracketing.get(kind) ?? 0;
      if (open > maxOpenBrackets)
        throw new ProblemError('query_too_large', `The query nests more than ${maxOpenBrackets} brackets.`);
    }
  } catch (error) {
    // The parser refuses invalid tokens, and names their place.
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

/** The fields of a request, as in the section "JSON encoding" of GraphQL over HTTP. */
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
