// Structured logs: each event is one line of JSON. Fields never hold secrets, nor bodies of requests or answers.

export type Log = (event: string, fields: Record<string, unknown>) => void;

/** Writes to stderr, which Lambda and ECS collect. Errors among the fields are written with their stack and causes. */
export const jsonLog: Log = (event, fields) => {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields }, describeErrors)}\n`);
};

/**
 * The log of a Lambda function: each line has the version that wrote it, since a release is judged by the lines of its
 * own version (lib/shared/function-release.ts).
 */
export function versionedLog(env: NodeJS.ProcessEnv): Log {
  const version = env['AWS_LAMBDA_FUNCTION_VERSION'] ?? null;
  return (event, fields) => jsonLog(event, { version, ...fields });
}

function describeErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const { code } = value as { code?: unknown };
  return { name, message, code, stack, cause };
}
