// GraphQL with the session of the user: an editor with completion, the answer, and a searchable schema.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';
import { DevelopersParts } from './developers-parts.tsx';
import { developersWords } from '#words/developers.ts';
import { CodeBlock } from './code-block.tsx';
import type * as EditorModule from './graphql-editor.ts';

const firstQuery = `query Streams($first: Int) {
  listStreams(first: $first) {
    nodes {
      id
      name
      state
      destination { name }
      playlists {
        name
        draft { items { upload { name durationSeconds } } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;
const firstVariables = '{ "first": 10 }';
const storageKey = 'graphql';
const mostTypesShown = 20;

interface Answer {
  readonly status: number;
  readonly afterMs: number;
  readonly text: string;
}

export function GraphqlPage(): ReactNode {
  const [variables, setVariables] = useState(() => kept().variables);
  const query = useRef(kept().query);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const run = useCallback(async (): Promise<void> => {
    setError(null);
    sessionStorage.setItem(storageKey, JSON.stringify({ query: query.current, variables }));
    try {
      setAnswer(await ask(query.current, variables));
    } catch (failure) {
      setError((failure as Error).message);
    }
  }, [variables]);
  const place = useRef<HTMLDivElement>(null);
  const loaded = useEditor(place, query, run);
  return (
    <div className="screen">
      <h1>{developersWords.graphql}</h1>
      <DevelopersParts />
      <p className="hint">{developersWords.runHint}</p>
      <div className="columns">
        <div className="stack">
          <h2>{developersWords.query}</h2>
          <div className="editor" ref={place} />
          {!loaded && <div className="skeleton" />}
          <div className="field">
            <label htmlFor="variables">{developersWords.variables}</label>
            <textarea
              id="variables"
              rows={4}
              spellCheck={false}
              value={variables}
              onChange={(event) => setVariables(event.target.value)}
            />
          </div>
          <p>
            <button type="button" className="primary" onClick={() => void run()}>
              {developersWords.run}
            </button>
          </p>
          <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
        </div>
        <div className="stack">
          <h2>{developersWords.result}</h2>
          <div role="status">
            {answer && <CodeBlock name={developersWords.came(answer.status, answer.afterMs)} text={answer.text} />}
          </div>
        </div>
      </div>
      {loaded?.schema && <SchemaSearch editor={loaded.module} schema={loaded.schema} />}
    </div>
  );
}

interface LoadedEditor {
  readonly module: typeof EditorModule;
  /** Null until it is loaded. */
  readonly schema: GraphQLSchema | null;
}

function useEditor(
  place: RefObject<HTMLDivElement | null>,
  query: RefObject<string>,
  onRun: () => Promise<void>,
): LoadedEditor | null {
  const [loaded, setLoaded] = useState<LoadedEditor | null>(null);
  const run = useRef(onRun);
  useEffect(() => {
    run.current = onRun;
  }, [onRun]);
  useEffect(() => {
    let editor: EditorModule.GraphqlEditor | null = null;
    let isGone = false;
    const begin = async (): Promise<void> => {
      const module = await import('./graphql-editor.ts');
      if (isGone) return;
      editor = module.openEditor(place.current!, {
        text: query.current,
        label: developersWords.query,
        onChange: (text) => void (query.current = text),
        onRun: () => void run.current(),
      });
      setLoaded({ module, schema: null });
      const { text } = await ask(module.getIntrospectionQuery(), '');
      if (isGone) return;
      const schema = module.schemaOf((JSON.parse(text) as { data: IntrospectionQuery }).data);
      editor.setSchema(schema);
      setLoaded({ module, schema });
    };
    void begin();
    return () => {
      isGone = true;
      editor?.end();
    };
  }, [place, query]);
  return loaded;
}

function SchemaSearch({
  editor,
  schema,
}: {
  readonly editor: typeof EditorModule;
  readonly schema: GraphQLSchema;
}): ReactNode {
  const [sought, setSought] = useState('');
  const found = sought.trim() === '' ? [] : editor.typesWith(schema, sought.trim()).slice(0, mostTypesShown);
  return (
    <section aria-labelledby="schema">
      <h2 id="schema">{developersWords.schema}</h2>
      <label>
        <span className="hidden">{developersWords.schemaSearch}</span>
        <input
          type="search"
          placeholder={developersWords.schemaSearch}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      </label>
      <div role="status">
        {sought !== '' && found.length === 0 && <p className="hint">{developersWords.schemaNone}</p>}
      </div>
      {found.length > 0 && (
        <pre tabIndex={0} role="group" aria-label={developersWords.schema}>
          {found.join('\n\n')}
        </pre>
      )}
    </section>
  );
}

/** @throws if the variables are not JSON, or there is no answer */
async function ask(query: string, variables: string): Promise<Answer> {
  const beganMs = performance.now();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: parsed(variables) }),
  }).catch(() => {
    throw new Error(developersWords.noAnswer);
  });
  const answer: unknown = await response.json();
  const afterMs = Math.round(performance.now() - beganMs);
  return { status: response.status, afterMs, text: JSON.stringify(answer, null, 2) };
}

function parsed(variables: string): unknown {
  try {
    return JSON.parse(variables.trim() === '' ? '{}' : variables);
  } catch {
    throw new Error(developersWords.notJSON);
  }
}

/** The last query of this tab, with its variables. */
function kept(): { readonly query: string; readonly variables: string } {
  try {
    return { query: firstQuery, variables: firstVariables, ...JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') };
  } catch {
    return { query: firstQuery, variables: firstVariables };
  }
}
