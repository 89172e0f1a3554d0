// GET /status: the health of the service and of its parts.
import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { publicOperation } from '../operation.ts';

const check = z.object({ status: z.enum(['ok', 'failed']), latencyMs: z.number().min(0) }).meta({ id: 'Check' });

const status = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    time: timestamp,
    checks: z.object({ database: check, storage: check, queue: check }),
  })
  .meta({ id: 'Status' });

export const getStatus = publicOperation({
  summary: 'Liveness and health of the service',
  description: 'Returns 200 even if the service is degraded: read `status`.',
  tag: 'service',
  route: 'GET /status',
  output: { status: 200, body: status },
  async handle(ctx) {
    const checks = await ctx.health();
    const healthy = Object.values(checks).every((check) => check.status === 'ok');
    return { status: healthy ? ('ok' as const) : ('degraded' as const), version: ctx.version, time: ctx.now, checks };
  },
});
