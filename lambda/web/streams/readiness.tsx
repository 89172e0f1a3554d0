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

/** Time alone changes it as well: a source expires, or a limit of requests ends. */
const everyMs = 30_000;

/** All components share these readings, which count against the user's planning. @param streamID null: no stream */
export function useReadiness(streamID: string | null): ReadinessAnswer | undefined {
  return useLive<ReadinessAnswer>(streamID === null ? null : `/streams/${streamID}/readiness`, everyMs).data;
}

export function Readiness({ streamID }: { readonly streamID: string }): ReactNode {
  const data = useReadiness(streamID);
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
