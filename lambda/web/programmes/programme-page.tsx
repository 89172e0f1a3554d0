// One programme: its week, its rules with their forms, and its publication.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { refresh, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { Link, navigate } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Programme, Stream } from '../app/types.ts';
import { nameOf } from '../streams/stream-name.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import { Changes } from './changes.tsx';
import { RuleLists } from './rule-lists.tsx';
import type { Opening } from './rule-lists.tsx';
import { useDraft } from './use-draft.ts';
import type { Draft } from './use-draft.ts';
import { VersionsOf } from './versions.tsx';
import { WeekGrid } from './week-grid.tsx';

export function ProgrammePage({ id }: ScreenProps): ReactNode {
  const path = `/programmes/${id}`;
  const live = useLive<Programme>(path);
  if (live.error?.status === 404) return <NotFoundPage text={words.missing} />;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(programme) => <Shown programme={programme} />}
      </Loaded>
    </div>
  );
}

function Shown({ programme }: { readonly programme: Programme }): ReactNode {
  const { id, streamID, version, liveVersion } = programme;
  const { data: stream } = useLive<Stream>(`/streams/${streamID}`);
  const draft = useDraft(programme);
  const [opening, setOpening] = useState<Opening | null>(null);
  const { rules, change, faults, isUnsaved } = draft;
  const remove = async (): Promise<void> => {
    await call('DELETE', `/programmes/${id}`);
    refresh('/programmes?');
    navigate(`/streams/${streamID}`);
  };
  return (
    <>
      <h1>{stream ? words.titleOf(nameOf(stream)) : words.title}</h1>
      <p className="buttons start">
        <Link className="button" href={`/streams/${streamID}`}>
          {words.toStream}
        </Link>
        <Link className="button" href={`/programmes/${id}/days`}>
          {words.toDays}
        </Link>
        <Link className="button" href="/collections">
          {words.collections}
        </Link>
      </p>
      <Publishing programme={programme} draft={draft} />
      <WeekGrid
        rules={rules}
        onOpen={(block) => setOpening({ id: block.id, times: (opening?.times ?? 0) + 1 })}
        onChange={(block) => change({ blocks: rules.blocks.map((each) => (each.id === block.id ? block : each)) })}
      />
      <RuleLists programme={programme} rules={rules} faults={faults} opening={opening} change={change} />
      <Changes key={`${version} ${liveVersion}`} programmeID={id} rules={rules} isUnsaved={isUnsaved} />
      <VersionsOf programme={programme} />
      <p>
        <Ask
          action={words.remove}
          tone="grave"
          question={words.removeAsk}
          explanation={words.removeText}
          refuse={words.keep}
          onYes={remove}
        />
      </p>
    </>
  );
}

/** The state of the draft and its buttons, which stay visible while the page is scrolled. */
function Publishing({ programme, draft }: { readonly programme: Programme; readonly draft: Draft }): ReactNode {
  const { version, liveVersion, planFailure } = programme;
  const { isUnsaved, isPending, error } = draft;
  const isLive = liveVersion === version;
  const state = liveVersion === null ? words.unpublished : words[isLive ? 'live' : 'different'];
  return (
    <div className="publishing">
      <div>
        <p role="status">{isUnsaved ? words.unsaved : state}</p>
        {planFailure && <p className="fault">{planFailure.detail}</p>}
        <div role="alert">{error !== null && <p className="fault">{error}</p>}</div>
      </div>
      <p className="buttons">
        {isUnsaved && (
          <button type="button" onClick={draft.discard}>
            {words.discard}
          </button>
        )}
        <button
          type="button"
          className={isUnsaved ? 'primary' : ''}
          disabled={!isUnsaved || isPending}
          onClick={() => void draft.save()}
        >
          {words.save}
        </button>
        <button
          type="button"
          className={isUnsaved ? '' : 'primary'}
          disabled={isUnsaved || isPending || isLive}
          onClick={() => void draft.publish()}
        >
          {words.publish}
        </button>
      </p>
    </div>
  );
}
