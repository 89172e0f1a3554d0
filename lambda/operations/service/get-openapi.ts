// GET /openapi.json: returns the OpenAPI 3.1 document of this API.
import * as z from 'zod';
import { publicOperation } from '../operation.ts';

export const getOpenapi = publicOperation({
  summary: 'The OpenAPI document of this API',
  tag: 'service',
  route: 'GET /openapi.json',
  output: { status: 200, body: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenAPIDocument' }) },
  handle: async (ctx) => ctx.openapi() as { openapi: string },
});
