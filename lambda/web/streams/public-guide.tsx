// The public guide of a stream: addresses for players and overlays, and the requests of viewers.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { bounds } from '../../domain/shared/bounds.ts';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import { call } from '../app/api.ts';
import { CopyButton } from '../app/copy-button.tsx';
import { refresh, show, useLive } from '../app/live-data.ts';
import type { Collection, GuideAddresses, GuideSettings, Page, Programme } from '../app/types.ts';
import { Failure, Field, Form } from '../form.tsx';
import { Ask } from '../kit/ask.tsx';
import { Choice } from '../kit/choice.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { guideWords } from '#words/guide.ts';

const pathOf = (streamID: string) => `/streams/${streamID}/guide-link`;

export function PublicGuide({ streamID }: { readonly streamID: string }): ReactNode {
  const path = pathOf(streamID);
  const { data, error } = useLive<GuideSettings>(path);
  const [made, setMade] = useState<GuideAddresses | null>(null);
  const make = async (): Promise<void> => {
    // A new link takes over the policy of the one that it replaces.
    setMade(await call<GuideAddresses>('POST', path, { requests: data?.requests ?? null }));
    refresh(path);
  };
  const end = async (): Promise<void> => {
    await call('DELETE', path);
    setMade(null);
    refresh(path);
  };
  const isAbsent = error?.status === 404;
  if (data === undefined && !isAbsent) return null;
  return (
    <section aria-labelledby="guide">
      <h2 id="guide">{guideWords.title}</h2>
      <p className="hint">{guideWords.text}</p>
      {isAbsent ? <Make onMake={make} /> : <Present onReplace={make} onEnd={end} isShown={made !== null} />}
      <div role="status">{made !== null && !isAbsent && <Addresses made={made} />}</div>
      {!isAbsent && data && <Requests streamID={streamID} settings={data} />}
    </section>
  );
}

function Make({ onMake }: { readonly onMake: () => Promise<void> }): ReactNode {
  const { attempt, error, isPending } = useAttempt(onMake);
  return (
    <>
      <p className="buttons start">
        <button type="button" disabled={isPending} onClick={() => void attempt()}>
          {guideWords.make}
        </button>
      </p>
      <Failure error={error} />
    </>
  );
}

interface PresentProps {
  readonly onReplace: () => Promise<void>;
  readonly onEnd: () => Promise<void>;
  /** Whether the addresses are on the screen. */
  readonly isShown: boolean;
}

function Present({ onReplace, onEnd, isShown }: PresentProps): ReactNode {
  return (
    <>
      {!isShown && <p>{guideWords.present}</p>}
      <p className="buttons start">
        <Ask
          action={guideWords.replace}
          question={guideWords.replaceAsk}
          explanation={guideWords.replaceText}
          refuse={guideWords.keep}
          onYes={onReplace}
        />
        <Ask
          action={guideWords.end}
          tone="grave"
          question={guideWords.endAsk}
          explanation={guideWords.replaceText}
          refuse={guideWords.keep}
          onYes={onEnd}
        />
      </p>
    </>
  );
}

function Addresses({ made }: { readonly made: GuideAddresses }): ReactNode {
  const names = Object.entries(guideWords.addresses) as [keyof GuideAddresses, string][];
  return (
    <div className="made">
      <p>{guideWords.once}</p>
      <dl className="facts">
        {names.map(([field, name]) => (
          <div key={field}>
            <dt>{name}</dt>
            <dd className="state">
              <code className="secret">{made[field]}</code>
              <CopyButton text={made[field]} label={guideWords.copy(name)} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface RequestsProps {
  readonly streamID: string;
  readonly settings: GuideSettings;
}

function Requests({ streamID, settings: { requests } }: RequestsProps): ReactNode {
  const { data: programmes } = useLive<Page<Programme>>(
    `/programmes?limit=${playlistKinds.length}&streamID=${streamID}`,
  );
  const { data: collections } = useLive<Page<Collection>>('/collections?limit=100');
  const [isSaved, setSaved] = useState(false);
  if (!programmes || !collections) return null;
  if (programmes.data.every(({ liveVersion }) => liveVersion === null))
    return <p className="hint">{guideWords.needsProgramme}</p>;
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    setSaved(false);
    const { collectionID, ...limits } = fields;
    const numbers = Object.entries(limits).map(([name, value]) => [name, Number(value)]);
    const policy = collectionID ? { collectionID, ...Object.fromEntries(numbers) } : null;
    show(pathOf(streamID), await call<GuideSettings>('PATCH', pathOf(streamID), { requests: policy }));
    setSaved(true);
  };
  return (
    <>
      <h3>{guideWords.requests}</h3>
      <p className="hint">{guideWords.requestsText}</p>
      <Form key={JSON.stringify(requests)} action={words.save} onSubmit={save} className="in-row">
        <Choice
          name="collectionID"
          label={guideWords.collection}
          defaultValue={requests?.collectionID ?? ''}
          options={[['', guideWords.noRequests], ...collections.data.map(({ id, name }) => [id, name] as const)]}
        />
        <Limit name="perHour" least={1} most={bounds.guestRequestsPerHour} value={requests?.perHour ?? 12} />
        <Limit
          name="perGuestMinutes"
          least={1}
          most={bounds.guestWaitMinutes}
          value={requests?.perGuestMinutes ?? 30}
        />
        <Limit
          name="sameItemMinutes"
          least={0}
          most={bounds.guestWaitMinutes}
          value={requests?.sameItemMinutes ?? 60}
        />
      </Form>
      <p role="status">{isSaved && words.saved}</p>
    </>
  );
}

interface LimitProps {
  readonly name: 'perHour' | 'perGuestMinutes' | 'sameItemMinutes';
  readonly least: number;
  readonly most: number;
  readonly value: number;
}

function Limit({ name, least, most, value }: LimitProps): ReactNode {
  return <Field name={name} label={guideWords[name]} type="number" min={least} max={most} defaultValue={value} />;
}
