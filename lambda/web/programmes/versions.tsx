// The published versions of a programme. Each may become the draft again.
import type { ReactNode } from 'react';
import type * as z from 'zod';
import type { versionsSchema } from '../../operations/programmes/list-programme-versions.ts';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { formatMoment } from '../app/format.ts';
import { show, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import type { Programme } from '../app/types.ts';
import { programmeWords as words } from '#words/programmes.ts';

type Versions = z.output<typeof versionsSchema>;

const mostShown = 10;

export function VersionsOf({ programme: { id, liveVersion } }: { readonly programme: Programme }): ReactNode {
  const path = `/programmes/${id}/versions`;
  const versions = useLive<Versions>(path);
  const revert = async (version: number): Promise<void> => {
    show(`/programmes/${id}`, await call<Programme>('POST', `/programmes/${id}/revert`, { version }));
  };
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{words.versions}</h2>
      <Loaded live={versions} path={path}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="hint">{words.noVersions}</p>
          ) : (
            <ol className="rows">
              {data.slice(0, mostShown).map(({ version, publishedAt, blockCount, insertCount }) => (
                <li key={version} aria-current={version === liveVersion}>
                  <div>
                    {words.version(formatMoment(publishedAt))}
                    <p className="hint">
                      {version === liveVersion && `${words.playing} · `}
                      {words.versionText(blockCount, insertCount)}
                    </p>
                  </div>
                  <Ask
                    action={words.revert}
                    label={words.revertOf(formatMoment(publishedAt))}
                    question={words.revertAsk}
                    explanation={words.revertText}
                    refuse={words.keep}
                    onYes={() => revert(version)}
                  />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}
