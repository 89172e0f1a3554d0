// The reference of the API: a searchable list of operations and events, with a page for each.
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { operationsOf } from '../../surfaces/openapi/described.ts';
import type { Document } from '../../surfaces/openapi/described.ts';
import { call } from '../app/api.ts';
import { Link, setParameter, useParameter } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import { DevelopersParts } from './developers-parts.tsx';
import { developersWords } from '#words/developers.ts';
import { EventPage } from './event-page.tsx';
import { OperationPage } from './operation-page.tsx';

let read: Document | null = null;

export function DevelopersPage({ id }: ScreenProps): ReactNode {
  const [document, setDocument] = useState(read);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if (read) return;
    call<Document>('GET', '/openapi.json').then(
      (answer) => setDocument((read = answer)),
      (failure: Error) => setError(failure.message),
    );
  }, []);
  if (error !== null) return <p className="screen error">{error}</p>;
  if (!document) return <div className="skeleton" />;
  return <div className="screen">{shownOf(document, id)}</div>;
}

function shownOf(document: Document, id: string): ReactNode {
  if (id === '') return <Index document={document} />;
  const operation = operationsOf(document).find(({ operationId }) => operationId === id);
  if (operation) return <OperationPage key={id} document={document} operation={operation} />;
  const event = Object.entries(document.webhooks).find(([, { post }]) => post.operationId === id);
  return event ? <EventPage document={document} type={event[0]} event={event[1].post} /> : developersWords.missing;
}

function Index({ document }: { readonly document: Document }): ReactNode {
  const search = useParameter('q').toLowerCase();
  const fits = (...texts: readonly string[]) =>
    search.split(/\s+/).every((word) => texts.join(' ').toLowerCase().includes(word));
  const operations = operationsOf(document).filter((one) =>
    fits(one.summary, one.operationId, one.path, one.method, one.description),
  );
  const events = Object.entries(document.webhooks).filter(([type, { post }]) =>
    fits(type, post.summary, post.description),
  );
  const groups = document.tags
    .map((tag) => ({ ...tag, operations: operations.filter(({ tags }) => tags.includes(tag.name)) }))
    .filter((group) => group.operations.length > 0);
  return (
    <>
      <h1>{developersWords.title}</h1>
      <DevelopersParts />
      <p className="hint">{developersWords.intro}</p>
      <p className="links">
        <a href="/v1/reference">{developersWords.plain}</a>
        <a href="/v1/openapi.json">OpenAPI 3.1</a>
      </p>
      <label>
        <span className="hidden">{developersWords.search}</span>
        <input
          type="search"
          placeholder={developersWords.search}
          defaultValue={search}
          onChange={(event) => setParameter('q', event.target.value)}
        />
      </label>
      <p className="hint" role="status">
        {developersWords.found(operations.length + events.length)}
      </p>
      {groups.map((group) => (
        <section key={group.name} aria-labelledby={`tag-${group.name}`}>
          <h2 id={`tag-${group.name}`}>{group.name}</h2>
          <p className="hint">{group.description}</p>
          <ul className="rows">
            {group.operations.map(({ operationId, summary, method, path }) => (
              <li key={operationId}>
                <Link href={`/developers/${operationId}`}>{summary}</Link>
                <code className="hint">
                  {method} {path}
                </code>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {events.length > 0 && (
        <section aria-labelledby="events">
          <h2 id="events">{developersWords.events}</h2>
          <p className="hint">{developersWords.eventsText}</p>
          <ul className="rows">
            {events.map(([type, { post }]) => (
              <li key={type}>
                <Link href={`/developers/${post.operationId}`}>{post.summary}</Link>
                <code className="hint">{type}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
