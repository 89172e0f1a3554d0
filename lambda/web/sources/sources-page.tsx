// The watched sources: folders, buckets and feeds whose new files come into the library.
import { FolderSync } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { sourceHeld } from '../../domain/sources/source-words.ts';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { change, refresh } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import type { Source } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Failure } from '../form.tsx';
import { Ask } from '../kit/ask.tsx';
import { Empty } from '../kit/empty.tsx';
import { LibraryParts } from '../library/library-parts.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words as shared } from '#words';
import { sourceWords as words } from '#words/sources.ts';
import { SourceSheet } from './source-sheet.tsx';

const path = '/sources?limit=50';
/** The interval of reading: `GET /changes` does not report scans. */
const everyMs = 10_000;

export function SourcesPage(): ReactNode {
  const { first, items, more } = usePages<Source>(path, everyMs);
  /** The source in the dialog; `new`: one that is made; null: the dialog is closed. */
  const [opened, setOpened] = useState<Source | 'new' | null>(null);
  const add = (
    <button type="button" className="primary" onClick={() => setOpened('new')}>
      {words.add}
    </button>
  );
  return (
    <div className="screen">
      <div className="heading">
        <h1>{shared.library.sources}</h1>
        {items.length > 0 && add}
      </div>
      <LibraryParts />
      <Loaded live={first} path={path}>
        {() =>
          items.length === 0 ? (
            <Empty icon={<FolderSync aria-hidden />} title={words.emptyTitle} text={words.empty}>
              {add}
            </Empty>
          ) : (
            <>
              <p className="hint">{words.hint}</p>
              <ul className="rows long">
                {items.map((source) => (
                  <Row key={source.id} source={source} onEdit={() => setOpened(source)} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      <MoreButton more={more} />
      {opened !== null && <SourceSheet source={opened === 'new' ? null : opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

/** The part of an address that tells sources apart. */
function nameOf({ url }: Source): string {
  const { host, pathname } = new URL(url);
  return `${host}${decodeURI(pathname)}`;
}

function Row({ source, onEdit }: { readonly source: Source; readonly onEdit: () => void }): ReactNode {
  const { id, kind, folder, everyMinutes, state, reason, lastScanAt, found, imported } = source;
  const name = nameOf(source);
  const isHeld = reason?.code === sourceHeld.code;
  const [isAsked, setAsked] = useState(false);
  const { attempt: scan, error } = useAttempt(async () => {
    await call('POST', `/sources/${id}/scan`);
    setAsked(true);
    refresh(path);
  });
  return (
    <li className="tall">
      <div>
        <strong className="name">{name}</strong>
        <p className="hint">
          {[words.kinds[kind], folder, words.every(everyMinutes)].filter((fact) => fact !== '').join(' · ')}
        </p>
        <p className="hint">
          {words.found(imported, found)} ·{' '}
          {lastScanAt === null ? (
            words.neverLooked
          ) : (
            <>
              {words.looked} <Age at={lastScanAt} />
            </>
          )}
        </p>
        {reason && <p className="fault">{isHeld ? words.heldText : reason.detail}</p>}
        <p role="status">{isAsked && words.scanning}</p>
        <Failure error={error} />
      </div>
      <div className="state">
        {isHeld ? (
          <span className="badge" data-tone="quiet">
            {words.held}
          </span>
        ) : (
          <span className="badge" data-tone={state === 'ok' ? 'live' : 'wrong'}>
            {words.states[state]}
          </span>
        )}
        <button type="button" aria-label={words.scanOf(name)} onClick={() => void scan()}>
          {words.scan}
        </button>
        <button type="button" aria-label={words.editOf(name)} onClick={onEdit}>
          {words.edit}
        </button>
        <Ask
          action={words.remove}
          tone="grave"
          question={words.removeAsk}
          explanation={words.removeText}
          refuse={words.keep}
          onYes={() => change('DELETE', `/sources/${id}`, ['/sources'])}
        />
      </div>
    </li>
  );
}
