// The outputs of a stream: the state of each, and buttons to add, pause and remove them, also while live.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { Age } from '../app/age.tsx';
import { Ask } from '../kit/ask.tsx';
import { change, refresh, useLive } from '../app/live-data.ts';
import { OutputBadge } from '../app/state-badge.tsx';
import type { Destination, Output, Page, Stream } from '../app/types.ts';
import { withoutFieldNames } from '../app/without-field-names.ts';
import { Failure } from '../form.tsx';
import { DestinationForm } from '../destinations/destination-form.tsx';
import { Choice } from '../kit/choice.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { outputsWords } from '#words/channels.ts';
import { destinationsWords } from '#words/destinations.ts';
import { destinationsPath, useOutputNames, usePlaceNames } from './place-names.ts';
import { usePrice } from './price.ts';

export function Outputs({ stream }: { readonly stream: Stream }): ReactNode {
  const { data: destinations } = useLive<Page<Destination>>(destinationsPath);
  const { id, outputs } = stream;
  const nameOf = useOutputNames();
  const [channel] = usePlaceNames([stream])({ ...stream, outputs: [] });
  const isAnyFailing = outputs.some(({ state }) => state === 'failing');
  const canRetry = isAnyFailing && ['activating', 'active', 'failing'].includes(stream.state);
  return (
    <section aria-labelledby="outputs">
      <div className="heading">
        <h2 id="outputs">{outputsWords.title}</h2>
        {canRetry && <Retry streamID={id} />}
      </div>
      {channel !== undefined && <p className="hint">{outputsWords.toChannel(channel)}</p>}
      {outputs.length === 0 && channel === undefined && <p className="hint">{outputsWords.none}</p>}
      <ul className="rows">
        {outputs.map((output) => (
          <Row key={output.id} stream={stream} output={output} name={nameOf(output)} />
        ))}
      </ul>
      {destinations && <Add stream={stream} destinations={destinations.data} />}
    </section>
  );
}

function Retry({ streamID }: { readonly streamID: string }): ReactNode {
  const { attempt: retry, error } = useAttempt(() =>
    change('POST', `/streams/${streamID}/retry`, [`/streams/${streamID}`]),
  );
  return (
    <>
      <button type="button" className="primary" onClick={() => void retry()}>
        {outputsWords.retry}
      </button>
      <Failure error={error} />
    </>
  );
}

interface RowProps {
  readonly stream: Stream;
  readonly output: Output;
  readonly name: string;
}

function Row({ stream, output, name }: RowProps): ReactNode {
  const path = `/streams/${stream.id}/outputs/${output.id}`;
  /** The pause is shown after the API has confirmed it, because it ends the output for its viewers. */
  const { attempt: pause, error } = useAttempt((enabled: boolean) =>
    change('PATCH', path, [`/streams/${stream.id}`], { enabled }),
  );
  return (
    <li className="tall">
      <div>
        <strong>{name}</strong> {output.isFirst && <span className="hint">({outputsWords.first})</span>}
        {output.reason && <p>{withoutFieldNames(output.reason.detail)}</p>}
        {output.replicas.map((replica) => (
          <p className="hint" key={replica.role}>
            {replica.nextAttemptAt && (
              <>
                {outputsWords.attempt(words.stream.attempt(replica.attempt))} <Age at={replica.nextAttemptAt} />
              </>
            )}
          </p>
        ))}
        <Failure error={error} />
      </div>
      <p className="state">
        {output.enabled ? (
          <OutputBadge {...output} />
        ) : (
          <span className="badge" data-tone="quiet">
            {outputsWords.paused}
          </span>
        )}
        <button
          type="button"
          aria-label={output.enabled ? outputsWords.pauseOf(name) : outputsWords.resumeOf(name)}
          onClick={() => void pause(!output.enabled)}
        >
          {output.enabled ? outputsWords.pause : outputsWords.resume}
        </button>
        <Ask
          action={words.remove}
          label={outputsWords.removeOf(name)}
          tone="grave"
          question={outputsWords.removeAsk(name)}
          explanation={outputsWords.removeText}
          refuse={outputsWords.keep}
          onYes={() => change('DELETE', path, [`/streams/${stream.id}`])}
        />
      </p>
    </li>
  );
}

function Add({
  stream,
  destinations,
}: {
  readonly stream: Stream;
  readonly destinations: readonly Destination[];
}): ReactNode {
  const used = new Set(stream.outputs.map(({ destinationID }) => destinationID));
  const free = destinations.filter(({ id, url }) => !used.has(id) && url !== undefined);
  const [chosen, setChosen] = useState('');
  const destinationID = free.some(({ id }) => id === chosen) ? chosen : (free[0]?.id ?? '');
  const nameOf = (id: string) => free.find((each) => each.id === id)?.name ?? '';
  const add = () => change('POST', `/streams/${stream.id}/outputs`, [`/streams/${stream.id}`], { destinationID });
  return (
    <>
      {free.length === 0 ? (
        <p className="hint">{outputsWords.allUsed}</p>
      ) : (
        <Choice
          name="output"
          label={outputsWords.to}
          value={destinationID}
          onChange={setChosen}
          options={free.map(({ id, name }) => [id, name] as const)}
        />
      )}
      <div className="buttons start">
        {free.length > 0 && <AddButton stream={stream} name={nameOf(destinationID)} add={add} />}
        <FormButton action={destinationsWords.add} icon={<Plus aria-hidden />}>
          {({ close, cancel }) => (
            <DestinationForm
              cancel={cancel}
              onMade={({ id }) => {
                refresh('/destinations');
                setChosen(id);
                close();
              }}
            />
          )}
        </FormButton>
      </div>
    </>
  );
}

interface AddButtonProps {
  readonly stream: Stream;
  /** The name of the destination. */
  readonly name: string;
  readonly add: () => Promise<void>;
}

/** Asks first while the stream is live, because a further output costs credits. */
function AddButton({ stream: { state, quality, framerate }, name, add }: AddButtonProps): ReactNode {
  const price = usePrice(quality, framerate, true);
  const { attempt, error } = useAttempt(add);
  if (isLive(state))
    return (
      <Ask
        action={outputsWords.add}
        tone="primary"
        question={outputsWords.addAsk(name)}
        explanation={outputsWords.addText(price)}
        refuse={words.stream.notNow}
        onYes={add}
      />
    );
  return (
    <>
      <button type="button" className="primary" onClick={() => void attempt()}>
        {outputsWords.add}
      </button>
      <Failure error={error} />
    </>
  );
}
