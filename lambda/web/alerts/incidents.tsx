// Current and past incidents: each once, with its remedy.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Incident } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { withoutFieldNames } from '../app/without-field-names.ts';
import { words } from '#words';
import { alertsWords } from '#words/alerts.ts';

export function Incidents(): ReactNode {
  const [isOpenOnly, setOpenOnly] = useState(false);
  const path = `/incidents?limit=20${isOpenOnly ? '&open=true' : ''}`;
  return (
    <section aria-labelledby="incidents">
      <div className="heading">
        <h2 id="incidents">{alertsWords.incidents}</h2>
        <label className="switch">
          <input type="checkbox" checked={isOpenOnly} onChange={() => setOpenOnly(!isOpenOnly)} />
          {alertsWords.open}
        </label>
      </div>
      <PagedRows
        pages={usePages<Incident>(path)}
        none={isOpenOnly ? alertsWords.noOpenIncidents : alertsWords.noIncidents}
      >
        {(incident) => <Row key={incident.id} incident={incident} />}
      </PagedRows>
    </section>
  );
}

function Row({ incident }: { readonly incident: Incident }): ReactNode {
  const { kind, streamID, beganAt, endedAt, count, detail, advice } = incident;
  return (
    <li className="tall">
      <div>
        <strong>{alertsWords.eventNames[kind]}</strong>
        <p>{withoutFieldNames(detail)}</p>
        {endedAt === null && <p>{withoutFieldNames(advice)}</p>}
        <p className="hint">
          <Age at={beganAt} /> · {alertsWords.times(count)}
          {kind === 'credits_low' && (
            <>
              {' · '}
              <Link href="/billing">{words.navigation.billing}</Link>
            </>
          )}
          {streamID !== null && (
            <>
              {' · '}
              <Link href={`/streams/${streamID}`}>{alertsWords.toStream}</Link>
            </>
          )}
        </p>
      </div>
      <p className="state">
        <span className="badge" data-tone={endedAt === null ? 'wrong' : 'quiet'}>
          {endedAt === null ? alertsWords.isOpen : alertsWords.isOver}
        </span>
      </p>
    </li>
  );
}
