// Sends a request of the reference with the session of the user, and shows the real answer.
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { Listed } from '../../surfaces/openapi/described.ts';
import { Field, Form } from '../form.tsx';
import { developersWords } from '#words/developers.ts';
import { CodeBlock } from './code-block.tsx';
import { pathOf } from './request-examples.ts';
import type { RequestValues } from './request-examples.ts';

interface TryItProps {
  readonly operation: Listed;
  readonly values: RequestValues;
  readonly onChange: (values: RequestValues) => void;
}

interface Answer {
  readonly status: number;
  readonly afterMs: number;
  readonly text: string;
}

export function TryIt({ operation, values, onChange }: TryItProps): ReactNode {
  const id = useId();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const fields = operation.parameters.filter((one) => one.in !== 'header');
  const change = (name: string, value: string) =>
    onChange({ ...values, parameters: { ...values.parameters, [name]: value } });
  const send = async () => setAnswer(await answerTo(operation, values));
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{developersWords.tryIt}</h2>
      <p className="hint">{operation.method === 'GET' ? developersWords.reads : developersWords.changes}</p>
      <Form action={developersWords.send} onSubmit={send}>
        {fields.map(({ name, required, in: where }) => (
          <Field
            key={name}
            name={name}
            label={where === 'path' ? developersWords.inPath(name) : name}
            required={required}
            autoComplete="off"
            value={values.parameters[name] ?? ''}
            onChange={(event) => change(name, event.target.value)}
          />
        ))}
        {operation.requestBody && (
          <div className="field">
            <label htmlFor={`${id}-body`}>{developersWords.body}</label>
            <textarea
              id={`${id}-body`}
              rows={10}
              spellCheck={false}
              value={values.body}
              onChange={(event) => onChange({ ...values, body: event.target.value })}
            />
          </div>
        )}
      </Form>
      <div role="status">
        {answer && <CodeBlock name={developersWords.came(answer.status, answer.afterMs)} text={answer.text} />}
      </div>
    </section>
  );
}

/** The answer, also if it is a refusal. @throws if there is no answer */
async function answerTo(operation: Listed, values: RequestValues): Promise<Answer> {
  const beganMs = performance.now();
  const response = await fetch(`/v1${pathOf(operation, values)}`, {
    method: operation.method,
    headers: {
      accept: 'application/json',
      ...(values.body !== '' && { 'content-type': 'application/json' }),
      ...(operation.method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(values.body !== '' && { body: values.body }),
  }).catch(() => {
    throw new Error(developersWords.noAnswer);
  });
  const afterMs = Math.round(performance.now() - beganMs);
  const isText = /json|text|xml|calendar/.test(response.headers.get('content-type') ?? '');
  const text = isText ? await response.text() : developersWords.noText;
  return { status: response.status, afterMs, text: pretty(text) };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
