// Webhook events in OpenAPI: the requests that webhooks receive, and the meaning of their answers.
import { retriedForDays } from '../../domain/notices/webhook-retries.ts';
import { sentEvents, webhookPayload } from '../../operations/sent-events.ts';
import { exampleOf } from './examples.ts';
import { jsonSchema } from './schemas.ts';
import type { Json } from './schemas.ts';

/** The name of the component of an event's payload: `stream.state_changed` → `StreamStateChangedEvent`. */
function nameOf(type: string): string {
  const words = type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** The headers of Standard Webhooks 1.0, as parameters of the requests. */
export const webhookParameters: Json = {
  'webhook-id': header(
    'webhook-id',
    'ID of the event. It is the same in every attempt, so that your program can recognize repeated events.',
    'evt_019c14a2f0bc7d3e8a4f6b2c1d0e9f8a',
  ),
  'webhook-timestamp': header(
    'webhook-timestamp',
    'Time of this attempt, in seconds since 1970. Refuse requests that are older than five minutes.',
    '1896112800',
  ),
  'webhook-signature': header(
    'webhook-signature',
    '`v1,` and the Base64 of the HMAC-SHA256 of `webhook-id`.`webhook-timestamp`.body. The key is the ' +
      'Base64-decoded part of the secret after `whsec_`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

const payloads = sentEvents.map((event) => ({
  event,
  payload: webhookPayload(event).meta({ id: nameOf(event.type) }),
}));

/** A tag of its own: code generators make one class per tag, and events would replace the operations on webhooks. */
export const webhookTag = {
  name: 'webhook-events',
  description: 'Events sent to webhooks: requests that your program answers.',
};

/**
 * The requests by event.
 * @param schemas the components; the payloads are added to them
 */
export function webhooksOf(schemas: Json): Json {
  return Object.fromEntries(
    payloads.map(({ event: { type, summary, description }, payload }) => {
      const schema = jsonSchema(payload, 'output', schemas);
      const component = schemas[nameOf(type)] as Json;
      component['examples'] = [{ ...(exampleOf(component, '', schemas) as Json), type }];
      return [
        type,
        {
          post: {
            operationId: `on_${type.replaceAll('.', '_')}`,
            summary,
            description,
            tags: [webhookTag.name],
            security: [],
            parameters: Object.keys(webhookParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
            requestBody: { required: true, content: { 'application/json': { schema } } },
            responses: answers,
          },
        },
      ];
    }),
  );
}

const answers: Json = {
  '2XX': { description: 'The event was accepted.' },
  '410': { description: 'The webhook is disabled, and receives no more events.' },
  default: { description: `The event is retried for ${retriedForDays} days. Redirects are not followed.` },
};

function header(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
