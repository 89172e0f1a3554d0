// The packages that every API on Postgres with checked inputs needs, to compare the REST function's import with.
import pg from 'pg';
import * as z from 'zod';

export const bare = { Pool: pg.Pool, strictObject: z.strictObject, toJSONSchema: z.toJSONSchema };
