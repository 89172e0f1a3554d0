// GET /streams/{id}/outputs: lists the outputs of a stream.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { outputSchema, presentOutput } from './output-schema.ts';

export const listStreamOutputs = operation(['service:read'], {
  summary: 'List the outputs of a stream',
  description: 'Returns the outputs with their states. The first output comes first.',
  tag: 'streams',
  route: 'GET /streams/{id}/outputs',
  output: { status: 200, body: z.object({ data: z.array(outputSchema) }) },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const outputs = await ctx.data.outputs.ofStreams([id]);
    const replicas = await ctx.data.replicas.ofStream(id);
    return { data: outputs.map((output) => presentOutput(output, replicas)) };
  },
});
