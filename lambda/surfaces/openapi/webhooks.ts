// The events of webhooks in OpenAPI: the requests that webhooks get, and what their answers mean to us.
import { retriedForDays } from '../../domain/notices/webhook-retries.ts';
import { sentEvents, webhookPayload } from '../../operations/sent-events.ts';
import { exampleOf } from './examples.ts';
import { jsonSchema } from './schemas.ts';
import type { Json } from './schemas.ts';

/** The name of the component for the payload of an event: `stream.state_changed` → `StreamStateChangedEvent`. */
function nameOf(type: string): string {
  const words = type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** The headers of Standard Webhooks 1.0, as parameters of the requests. */
export const webhookParameters: Json = {
  'webhook-id': header(
    'webhook-id',
    'Of the event: the same in every attempt, so that repetitions can be told.',
    'evt_019c14a2f0bc7d3e8a4f6b2c1d0e9f8a',
  ),
  'webhook-timestamp': header(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970. Refuse what is older than five minutes.',
    '1896112800',
  ),
  'webhook-signature': header(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `webhook-id`.`webhook-timestamp`.body, with the bytes that follow ' +
      '`whsec_` in the secret, in base64, as key.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

const payloads = sentEvents.map((event) => ({
  event,
  payload: webhookPayload(event).meta({ id: nameOf(event.type) }),
}));

/**
 * Not the tag of the operations on webhooks: generators make one class of a tag, in which the events would replace the
 * operations.
 */
export const webhookTag = {
  name: 'webhook-events',
  description: 'What webhooks are told: requests that your program answers.',
};

/** The requests by event. @param schemas the components, to which the payloads are added */
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
  '2XX': { description: 'The event was taken.' },
  '410': { description: 'The webhook is disabled, and nothing is sent to it any more.' },
  default: { description: `The event is sent again later, for ${retriedForDays} days. Redirects are not followed.` },
};

function header(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
