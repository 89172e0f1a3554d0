// The reference page of one operation: its fields, example requests, and a form that sends a real request.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { problemsOf } from '../../surfaces/openapi/described.ts';
import type { Document, Listed } from '../../surfaces/openapi/described.ts';
import { Link } from '../app/router.tsx';
import { developersWords } from '#words/developers.ts';
import { CodeBlock } from './code-block.tsx';
import { curlOf, exampleValues, typescriptOf } from './request-examples.ts';
import { Fields, SchemaFields } from './schema-fields.tsx';
import { TryIt } from './try-it.tsx';

interface OperationPageProps {
  readonly document: Document;
  readonly operation: Listed;
}

export function OperationPage({ document, operation }: OperationPageProps): ReactNode {
  const [values, setValues] = useState(() => exampleValues(operation));
  const { summary, description, method, path, security, parameters, requestBody, responses } = operation;
  const baseURL = document.servers[0]!.url;
  const scopes = security.flatMap(({ oauth2 = [] }) => oauth2);
  const body = requestBody?.content['application/json'];
  const [[status, { content }], ...refusals] = Object.entries(responses) as [
    [string, Listed['responses'][string]],
    ...[string, Listed['responses'][string]][],
  ];
  const answer = content?.['application/json'];
  return (
    <>
      <Link href="/developers">{developersWords.all}</Link>
      <h1>{summary}</h1>
      <p>
        <code>
          {method} {path}
        </code>{' '}
        <span className="hint">
          {scopes.length === 0 ? developersWords.needsNothing : developersWords.needs(scopes.join(', '))}
        </span>
      </p>
      {description !== `${summary}.` && <p>{marked(description)}</p>}
      <div className="columns">
        <div className="stack">
          {parameters.length > 0 && (
            <section aria-labelledby="parameters">
              <h2 id="parameters">{developersWords.parameters}</h2>
              <Fields
                document={document}
                fields={parameters.map(({ name, schema, description: text, required }) => ({
                  name,
                  schema,
                  description: text,
                  isRequired: required,
                }))}
              />
            </section>
          )}
          {body && (
            <section aria-labelledby="body">
              <h2 id="body">{developersWords.body}</h2>
              <SchemaFields schema={body.schema} document={document} />
            </section>
          )}
          <section aria-labelledby="answer">
            <h2 id="answer">{developersWords.answer(status)}</h2>
            {answer ? <SchemaFields schema={answer.schema} document={document} /> : <p>{developersWords.noBody}</p>}
          </section>
          <section aria-labelledby="problems">
            <h2 id="problems">{developersWords.problems}</h2>
            <dl className="fields">
              {refusals.flatMap(([refusal, described]) =>
                problemsOf(described).map((code) => (
                  <div key={code}>
                    <dt>
                      <code>{code}</code> <span className="hint">{refusal}</span>
                    </dt>
                    <dd>{document.components.examples[code]?.value.detail}</dd>
                  </div>
                )),
              )}
            </dl>
          </section>
        </div>
        <div className="stack">
          <TryIt operation={operation} values={values} onChange={setValues} />
          <section aria-labelledby="examples">
            <h2 id="examples">{developersWords.examples}</h2>
            <CodeBlock name="curl" text={curlOf(operation, baseURL, values)} />
            <CodeBlock name="TypeScript" text={typescriptOf(operation, baseURL, values)} />
          </section>
        </div>
      </div>
    </>
  );
}

/** Text in which words in backticks are marked as code. */
function marked(text: string): ReactNode[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
