// GET /streams/{id}/outputs/{outputID}: answers one output with its figures.
import { pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentFigures } from '../streams/stream-figures.ts';
import { findOutput, outputSchema, presentOutput } from './output-schema.ts';

export const getStreamOutput = operation(['service:read'], {
  id: 'getStreamOutput',
  summary: 'Get an output of a stream',
  description: 'With its figures; poll it until live.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/outputs/{outputID}',
  params: { id: pathID, outputID: pathID },
  output: { status: 200, body: outputSchema },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const { stream, output } = await findOutput(ctx, params);
    const { figures } = ctx.data;
    const stats = await (output.is_first ? figures.ofStream(stream.id) : figures.ofOutput(output.id));
    return {
      ...presentOutput(output, await ctx.data.replicas.ofStream(stream.id)),
      stats: presentFigures(stats),
    };
  },
});
