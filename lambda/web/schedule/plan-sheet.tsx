// A dialog that schedules a stream, or changes its schedule: start, end, time zone and recurrence.
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
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '#words';
import { scheduleWords } from '#words/schedule.ts';
import { readRule } from './recurrence-words.ts';
import type { Repetition } from './recurrence-words.ts';
import { instantIn, isTime, localIn } from './zoned-time.ts';

const path = '/streams?limit=100&sort=name&state=draft&state=stopped&state=failed';

/** The maximum of the field. Without it, years have six digits, and the typed hour would continue the year. */
const lastTime = '9999-12-31T23:59';
const hourMs = 3_600_000;

interface Wish {
  readonly start: string;
  /** Empty: until it is stopped. */
  readonly end: string;
  readonly zone: string;
  readonly repetition: Repetition;
  readonly days: readonly string[];
  readonly rule: string;
}

interface PlanSheetProps {
  /** Null: the user chooses one. */
  readonly stream: Stream | null;
  /** A new start of the stream's schedule; absent: its present one. */
  readonly start?: Date | undefined;
  readonly onClose: () => void;
}

/** The time zone of the browser. */
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The schedule of a stream, moved to another start with its length and, if it has one day of the week, its day. */
function wishOf(stream: Stream | null, start: Date | undefined): Wish {
  const startAt = stream?.scheduleStartAt ?? null;
  if (stream === null || startAt === null) {
    const zone = ownZone();
    const soon = localIn(zone, serviceNow() + hourMs);
    return { start: soon, end: '', zone, repetition: 'never', days: [], rule: '' };
  }
  const { recurrence, scheduleEndAt } = stream;
  const zone = recurrence?.timeZone ?? ownZone();
  const movedMs = start ? start.getTime() - Date.parse(startAt) : 0;
  const { repetition, days } = readRule(recurrence?.rule ?? null);
  const at = (time: string) => localIn(zone, Date.parse(time) + movedMs);
  const isOneDay = days.length === 1 && movedMs !== 0;
  return {
    start: at(startAt),
    end: scheduleEndAt === null ? '' : at(scheduleEndAt),
    zone,
    repetition,
    days: isOneDay ? [] : days,
    rule: repetition === 'other' ? recurrence!.rule : '',
  };
}

export function PlanSheet({ stream, start, onClose }: PlanSheetProps): ReactNode {
  const { data: streams } = useLive<Page<Stream>>(stream ? null : path);
  const [wish, setWish] = useState<Wish>(() => wishOf(stream, start));
  const change = (changed: Partial<Wish>) => setWish({ ...wish, ...changed });
  const rule = ruleOf(wish);
  const plan = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await call('POST', `/streams/${stream?.id ?? fields['stream']}/schedule`, {
      scheduleStartAt: instantIn(wish.zone, wish.start).toISOString(),
      ...(wish.end === '' ? {} : { scheduleEndAt: instantIn(wish.zone, wish.end).toISOString() }),
      ...(rule === null ? {} : { recurrence: { rule, timeZone: wish.zone } }),
    });
    refresh('/schedule');
    refresh('/streams');
    onClose();
  };
  const isNothingLeft = stream === null && streams?.data.length === 0;
  return (
    <Sheet title={stream ? scheduleWords.planOf(nameOf(stream)) : scheduleWords.plan} isOpen onClose={onClose}>
      {isNothingLeft && <p className="hint">{scheduleWords.noStreams}</p>}
      <Form
        action={stream ? words.save : scheduleWords.planIt}
        onSubmit={plan}
        beside={<Dismiss onClose={onClose} />}
        isDisabled={stream === null && !streams?.data.length}
      >
        {stream === null && (
          <Choice
            name="stream"
            label={scheduleWords.stream}
            options={(streams?.data ?? []).map((each) => [each.id, nameOf(each)] as const)}
          />
        )}
        <Field
          name="start"
          label={scheduleWords.start}
          type="datetime-local"
          max={lastTime}
          value={wish.start}
          onChange={(event) => change({ start: event.target.value })}
        />
        <Field
          name="end"
          label={scheduleWords.end}
          type="datetime-local"
          required={false}
          min={wish.start}
          max={lastTime}
          value={wish.end}
          onChange={(event) => change({ end: event.target.value })}
        />
        <Choice
          name="zone"
          label={scheduleWords.inZone}
          value={wish.zone}
          onChange={(zone) => change({ zone })}
          options={zonesWith(wish.zone).map((zone) => [zone, zone] as const)}
        />
        <Choice
          name="repeat"
          label={scheduleWords.repeat}
          value={wish.repetition}
          onChange={(repetition) => change({ repetition: repetition as Repetition })}
          options={Object.entries(scheduleWords.repetitions)}
        />
        {wish.repetition === 'weekly' && (
          <Weekdays legend={scheduleWords.days} days={wish.days} onChange={(days) => change({ days })} />
        )}
        {wish.repetition === 'other' && (
          <Field
            name="rule"
            label={scheduleWords.rule}
            hint={scheduleWords.ruleHint}
            value={wish.rule}
            onChange={(event) => change({ rule: event.target.value })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {rule !== null && isTime(wish.start) && <Starts start={wish.start} zone={wish.zone} rule={rule} />}
      </Form>
    </Sheet>
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
          <p className="hint">{scheduleWords.would(data.starts.length, zone === ownZone() ? null : ownZone())}</p>
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
