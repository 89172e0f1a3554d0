// The reference page of one webhook event, with its fields.
import type { ReactNode } from 'react';
import type { DescribedEvent, Document } from '../../surfaces/openapi/described.ts';
import { Link } from '../app/router.tsx';
import { developersWords } from '#words/developers.ts';
import { SchemaFields } from './schema-fields.tsx';

interface EventPageProps {
  readonly document: Document;
  readonly type: string;
  readonly event: DescribedEvent;
}

export function EventPage({ document, type, event }: EventPageProps): ReactNode {
  return (
    <>
      <Link href="/developers">{developersWords.all}</Link>
      <h1>{event.summary}</h1>
      <p>
        <code>{type}</code>
      </p>
      <p>{event.description}</p>
      <section aria-labelledby="payload">
        <h2 id="payload">{developersWords.payload}</h2>
        <SchemaFields schema={event.requestBody.content['application/json']!.schema} document={document} />
      </section>
    </>
  );
}
