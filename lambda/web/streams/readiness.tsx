// The issues that block a start, each with its remedy; nothing if the stream can start.
import type { ReactNode } from 'react';
import type { ReadinessCode } from '../../domain/readiness/readiness-issues.ts';
import { useLive } from '../app/live-data.ts';
import { words } from '../words/en.ts';

export interface ReadinessAnswer {
  readonly ready: boolean;
  readonly issues: readonly { readonly code: ReadinessCode; readonly error: string; readonly suggestion: string }[];
}

export function Readiness({ streamID }: { readonly streamID: string }): ReactNode {
  const { data } = useLive<ReadinessAnswer>(`/streams/${streamID}/readiness`, 4000);
  if (!data || data.issues.length === 0) return null;
  return (
    <div role="status" className="notice">
      <h3>{data.ready ? words.stream.leftOut : words.stream.readiness}</h3>
      <ul>
        {data.issues.map(({ code, error, suggestion }) => (
          <li key={error + suggestion}>
            {error} <span className="hint">{words.remedies[code] ?? suggestion}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
