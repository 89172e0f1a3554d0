// A form to schedule a stream: start, end, time zone and recurrence, with the resulting starts.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call, serviceNow } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import { refresh, useLive } from '../app/live-data.ts';
import { zonesWith } from '../app/time-zones.ts';
import type { Page, Stream } from '../app/types.ts';
import { Weekdays } from '../app/weekdays.tsx';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '../words/en.ts';
import { instantIn, isTime, localIn } from './zoned-time.ts';

type Repetition = keyof typeof words.schedule.repetitions;

const path = '/streams?limit=100&sort=name&state=draft&state=stopped&state=failed';

/** The maximum of the field. Without it, years have six digits, and the typed hour would continue the year. */
const lastTime = '9999-12-31T23:59';

interface Wish {
  readonly start: string;
  readonly zone: string;
  readonly repetition: Repetition;
  readonly days: readonly string[];
  readonly rule: string;
}

export function PlanForm(): ReactNode {
  const { data: streams } = useLive<Page<Stream>>(path);
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [wish, setWish] = useState<Wish>(() => ({
    start: localIn(ownZone, serviceNow() + 3_600_000),
    zone: ownZone,
    repetition: 'never',
    days: [],
    rule: '',
  }));
  const [isDone, setDone] = useState(false);
  const change = (changed: Partial<Wish>) => {
    setDone(false);
    setWish({ ...wish, ...changed });
  };
  const rule = ruleOf(wish);
  const plan = async ({ stream, end = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await call('POST', `/streams/${stream}/schedule`, {
      scheduleStartAt: instantIn(wish.zone, wish.start).toISOString(),
      ...(end === '' ? {} : { scheduleEndAt: instantIn(wish.zone, end).toISOString() }),
      ...(rule === null ? {} : { recurrence: { rule, timeZone: wish.zone } }),
    });
    refresh('/schedule');
    refresh('/streams');
    setDone(true);
  };
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">{words.schedule.plan}</h2>
      {streams?.data.length === 0 && <p className="hint">{words.schedule.noStreams}</p>}
      <Form action={words.schedule.planIt} onSubmit={plan} className="in-row plan" isDisabled={!streams?.data.length}>
        <Choice
          name="stream"
          label={words.schedule.stream}
          options={(streams?.data ?? []).map((stream) => [stream.id, nameOf(stream)] as const)}
        />
        <Field
          name="start"
          label={words.schedule.start}
          type="datetime-local"
          max={lastTime}
          value={wish.start}
          onChange={(event) => change({ start: event.target.value })}
        />
        <Field
          name="end"
          label={words.schedule.end}
          type="datetime-local"
          required={false}
          min={wish.start}
          max={lastTime}
        />
        <Choice
          name="zone"
          label={words.schedule.inZone}
          value={wish.zone}
          onChange={(zone) => change({ zone })}
          options={zonesWith(ownZone).map((zone) => [zone, zone] as const)}
        />
        <Choice
          name="repeat"
          label={words.schedule.repeat}
          value={wish.repetition}
          onChange={(repetition) => change({ repetition: repetition as Repetition })}
          options={Object.entries(words.schedule.repetitions)}
        />
        {wish.repetition === 'weekly' && (
          <Weekdays legend={words.schedule.days} days={wish.days} onChange={(days) => change({ days })} />
        )}
        {wish.repetition === 'other' && (
          <Field
            name="rule"
            label={words.schedule.rule}
            hint={words.schedule.ruleHint}
            value={wish.rule}
            onChange={(event) => change({ rule: event.target.value })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {rule !== null && isTime(wish.start) && <Starts start={wish.start} zone={wish.zone} rule={rule} />}
      </Form>
      <p role="status">{isDone && words.schedule.done}</p>
    </section>
  );
}

/** Null if it starts once, or the rule is incomplete. */
function ruleOf({ repetition, days, rule }: Wish): string | null {
  if (repetition === 'daily') return 'FREQ=DAILY';
  if (repetition === 'weekly') return days.length === 0 ? 'FREQ=WEEKLY' : `FREQ=WEEKLY;BYDAY=${days.join(',')}`;
  return repetition === 'other' && rule !== '' ? rule : null;
}

/** The next starts as the API computes them, or the fault of the rule. */
function Starts({
  start,
  zone,
  rule,
}: {
  readonly start: string;
  readonly zone: string;
  readonly rule: string;
}): ReactNode {
  const asked = new URLSearchParams({
    scheduleStartAt: instantIn(zone, start).toISOString(),
    rule,
    timeZone: zone,
  });
  const { data, error } = useLive<{ readonly starts: readonly string[] }>(`/schedule/preview?${String(asked)}`);
  return (
    <div className="starts" role="status">
      {error !== null && <p className="error">{error.message}</p>}
      {data && (
        <>
          <p className="hint">{words.schedule.would(data.starts.length)}</p>
          <ol>
            {data.starts.map((at) => (
              <li key={at}>{formatMoment(at)}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
