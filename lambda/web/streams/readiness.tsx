// The issues that block a start, each with its remedy; nothing if the stream can start.
import { Fragment } from 'react';
import type { ReactNode } from 'react';
import type { ReadinessCode } from '../../domain/readiness/readiness-issues.ts';
import { useLive } from '../app/live-data.ts';
import { Link } from '../app/router.tsx';
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
            {error}{' '}
            <span className="hint">
              <Remedy streamID={streamID} text={remediesWords[code] ?? suggestion} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RemedyProps {
  readonly streamID: string;
  /** A remedy, with names of parts of the stream and of screens in quotation marks. */
  readonly text: string;
}

/** A remedy whose places are links. */
function Remedy({ streamID, text }: RemedyProps): ReactNode {
  return text.split(/([“„][^”“]*[”“])/u).map((part) => {
    const href = /^[“„]/u.test(part) ? placeOf(part.slice(1, -1), streamID) : undefined;
    return href === undefined ? (
      <Fragment key={part}>{part}</Fragment>
    ) : (
      <Link key={part} href={href}>
        {part.slice(1, -1)}
      </Link>
    );
  });
}

/** The address of a part of the stream or of a screen, by its name; undefined for other names. */
function placeOf(name: string, streamID: string): string | undefined {
  const { destinations, billing, schedule } = words.navigation;
  const screens: Readonly<Record<string, string>> = {
    [destinations]: '/destinations',
    [billing]: '/billing',
    [schedule]: '/schedule',
  };
  const part = Object.entries(words.stream.parts).find(([, partName]) => partName === name)?.[0];
  return part === undefined ? screens[name] : `/streams/${streamID}/${part}`;
}
