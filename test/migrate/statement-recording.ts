// Statements as code sent them to Postgres, for replay on another schema.
import { Client } from 'pg';
import type { Pool, PoolClient } from 'pg';

/** A statement with its values, and the number of its connection, from 0. */
export type SentStatement = readonly [connection: number, text: string, values: readonly RecordedValue[]];

/** A value as JSON: bytes, which JSON cannot represent, as hexadecimal digits. */
type RecordedValue =
  | string
  | number
  | boolean
  | null
  | readonly RecordedValue[]
  | { readonly bytes: string }
  | { readonly json: unknown };

/** Statements of tests, and of connections that only wait for notifications. */
const notRecorded = /^(?:truncate|listen)\b/i;

/** Records the statements of every client in this process, until it is stopped. Failing statements are omitted. */
export function recordStatements(): { stop(): SentStatement[] } {
  const connections = new Map<Client, number>();
  const sent: { readonly statement: SentStatement; hasFailed: boolean }[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- applied to the client that it is called on
  const original = Client.prototype.query;
  Client.prototype.query = function record(this: Client, ...args: unknown[]) {
    const [first, values] = args;
    const text = typeof first === 'string' ? first : (first as { text?: string }).text;
    const result: unknown = Reflect.apply(original, this, args);
    if (text === undefined || notRecorded.test(text)) return result;
    if (!connections.has(this)) connections.set(this, connections.size);
    const entry = {
      statement: [connections.get(this)!, text, Array.isArray(values) ? values.map(recorded) : []] as SentStatement,
      hasFailed: false,
    };
    sent.push(entry);
    if (result instanceof Promise) result.catch(() => (entry.hasFailed = true));
    return result;
  } as typeof original;
  return {
    stop() {
      Client.prototype.query = original;
      const statements = sent.filter(({ hasFailed }) => !hasFailed).map(({ statement }) => statement);
      return JSON.parse(withNumberedIDs(JSON.stringify(statements))) as SentStatement[];
    },
  };
}

/** Replaces random identifiers by numbered ones of the same form, so that two recordings have the same. */
function withNumberedIDs(text: string): string {
  const numbered = new Map<string, string>();
  return text.replaceAll(/\b([a-z]{3,5})_[0-9a-z]{25}\b/g, (id, prefix: string) => {
    const known = numbered.get(id);
    if (known !== undefined) return known;
    const made = `${prefix}_${String(numbered.size + 1).padStart(25, '0')}`;
    numbered.set(id, made);
    return made;
  });
}

/** Sends recorded statements again, in order. @throws with the first failing statement */
export async function replayStatements(pool: Pool, statements: readonly SentStatement[]): Promise<void> {
  const clients = new Map<number, PoolClient>();
  try {
    for (const [connection, text, values] of statements) {
      if (!clients.has(connection)) clients.set(connection, await pool.connect());
      const sent = clients.get(connection)!.query(text, values.map(replayed));
      await sent.catch((error: unknown) => Promise.reject(new Error(`${String(error)} in: ${text}`, { cause: error })));
    }
  } finally {
    for (const client of clients.values()) client.release(true);
  }
}

function recorded(value: unknown): RecordedValue {
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return { bytes: value.toString('hex') };
  if (Array.isArray(value)) return value.map(recorded);
  if (typeof value === 'object' && value !== null) return { json: value };
  return (value ?? null) as RecordedValue;
}

function replayed(value: RecordedValue): unknown {
  if (Array.isArray(value)) return value.map(replayed);
  if (typeof value !== 'object' || value === null) return value;
  return 'bytes' in value ? Buffer.from(value.bytes, 'hex') : 'json' in value ? value.json : value;
}
