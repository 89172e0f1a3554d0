// GET /streams/{id}/outputs/{outputID}: returns one output with its measurements.
import { operation } from '../operation.ts';
import { figuresOf, findOutput, outputSchema, presentOutput } from './output-schema.ts';

export const getStreamOutput = operation(['service:read'], {
  summary: 'Get an output of a stream',
  description: 'Returns the output with its measurements. Poll it until state is live.',
  tag: 'streams',
  route: 'GET /streams/{id}/outputs/{outputID}',
  output: { status: 200, body: outputSchema },
  async handle(ctx, { params }) {
    const { stream, output } = await findOutput(ctx, params);
    return presentOutput(output, await ctx.data.replicas.ofStream(stream.id), await figuresOf(ctx, output));
  },
});
