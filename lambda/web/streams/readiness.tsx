// The issues that block a start, each with its remedy; nothing if the stream can start.
import type { ReactNode } from 'react';
import type { ReadinessCode } from '../../domain/readiness/readiness-issues.ts';
import { useLive } from '../app/live-data.ts';
import { words } from '#words';
import { remediesWords } from '#words/readiness.ts';

export interface ReadinessAnswer {
  readonly ready: boolean;
  readonly issues: readonly { readonly code: ReadinessCode; readonly error: string; readonly suggestion: string }[];
}

export const readinessPath = (streamID: string) => `/streams/${streamID}/readiness`;
/** Uploads and plans change it, which `GET /changes` reports for none of its paths. */
const everyMs = 4000;

export function Readiness({ streamID }: { readonly streamID: string }): ReactNode {
  const { data } = useLive<ReadinessAnswer>(readinessPath(streamID), everyMs);
  if (!data || data.issues.length === 0) return null;
  return (
    <div role="status" className="notice">
      <h2>{data.ready ? words.stream.leftOut : words.stream.readiness}</h2>
      <ul>
        {data.issues.map(({ code, error, suggestion }) => (
          <li key={error + suggestion}>
            {error} <span className="hint">{remediesWords[code] ?? suggestion}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
