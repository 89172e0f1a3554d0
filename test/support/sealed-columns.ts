// Users' secrets as the tables have them: sealed, in columns that the API never shows.
import { one } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

const columns = {
  destinations: 'sealed_stream_key',
  streams: 'sealed_stream_key',
  webhooks: 'sealed_secret',
  alert_channels: 'sealed_target',
} as const;

/** The sealed secret of a destination, stream, webhook or alert channel. */
export async function sealedSecretOf({ pool }: WithPool, table: keyof typeof columns, id: string): Promise<Buffer> {
  const row = await one<{ sealed: Buffer }>(pool(), `select ${columns[table]} as sealed from ${table} where id = $1`, [
    id,
  ]);
  return row!.sealed;
}
