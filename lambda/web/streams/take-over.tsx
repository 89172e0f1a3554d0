// The button that takes a stream over with an input, at once or at a time.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call, serviceNow } from '../app/api.ts';
import { refresh } from '../app/live-data.ts';
import { refusedInWords } from '../app/refused-in-words.ts';
import type { LiveInput } from '../app/types.ts';
import { Field } from '../form.tsx';
import { Ask } from '../kit/ask.tsx';
import { Choice } from '../kit/choice.tsx';
import { liveWords } from '#words/live.ts';

const minutes = [5, 15, 30, 60, 120, 240];

/** An input that cannot take over yet is planned: it waits for a stable contributor. */
export function TakeOver({ input: { id, name, streamID, state } }: { readonly input: LiveInput }): ReactNode {
  const [after, setAfter] = useState('');
  const [start, setStart] = useState('');
  const isReady = state === 'ready';
  const takeOver = async (): Promise<void> => {
    const startMs = start === '' ? serviceNow() : new Date(start).getTime();
    const startAt = start === '' && isReady ? null : new Date(startMs).toISOString();
    const endAt = after === '' ? null : new Date(startMs + Number(after) * 60_000).toISOString();
    await refusedInWords(liveWords.refusals, () =>
      call('POST', `/streams/${streamID}/takeovers`, { liveInputID: id, startAt, endAt }),
    );
    refresh(`/streams/${streamID}`);
    refresh('/live-inputs');
  };
  return (
    <Ask
      action={isReady ? liveWords.take : liveWords.plan}
      label={isReady ? liveWords.takeOf(name) : liveWords.planOf(name)}
      tone={isReady ? 'primary' : 'plain'}
      question={isReady ? liveWords.takeAsk(name) : liveWords.planAsk(name)}
      explanation={isReady ? liveWords.takeText : liveWords.planText}
      onYes={takeOver}
    >
      <Field
        name="startAt"
        label={liveWords.startAt}
        hint={liveWords.startAtHint}
        type="datetime-local"
        required={false}
        value={start}
        onChange={(event) => setStart(event.target.value)}
      />
      <Choice
        name="endAfter"
        label={liveWords.handBackAfter}
        value={after}
        onChange={setAfter}
        options={[['', liveWords.never], ...minutes.map((each) => [String(each), liveWords.minutes(each)] as const)]}
      />
    </Ask>
  );
}
