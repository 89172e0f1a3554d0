// A time as its distance from now, updated each second. Its tooltip has the exact time.
import type { ReactNode } from 'react';
import { formatAge, formatDuration, formatMoment } from './format.ts';
import { useNow } from './now.ts';

export function Age({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatAge(at, useNow())}
    </time>
  );
}

/** The time since `since`, such as `1:02:03`. */
export function Elapsed({ since }: { readonly since: string }): ReactNode {
  return (
    <time dateTime={since} title={formatMoment(since)}>
      {formatDuration((useNow() - Date.parse(since)) / 1000)}
    </time>
  );
}
