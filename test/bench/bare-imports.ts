// The packages that every API on Postgres with checked inputs needs: the baseline for the REST function's import.
import pg from 'pg';
import * as z from 'zod';

export const bare = { Pool: pg.Pool, strictObject: z.strictObject, toJSONSchema: z.toJSONSchema };
