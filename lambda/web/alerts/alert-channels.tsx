// The channels that receive incidents: the result of the last message, a test, and a form to change each.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { change, refresh } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import type { AlertChannel } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { words } from '#words';
import { alertsWords } from '#words/alerts.ts';
import { ChannelForm } from './channel-form.tsx';

const path = '/alert-channels?limit=50';

export function AlertChannels(): ReactNode {
  return (
    <section aria-labelledby="channels">
      <div className="heading">
        <h2 id="channels">{alertsWords.channels}</h2>
        <FormButton action={alertsWords.add} icon={<Plus aria-hidden />} isWide>
          {({ close, cancel }) => (
            <ChannelForm
              channel={null}
              cancel={cancel}
              onSave={async (wish) => {
                await change('POST', '/alert-channels', ['/alert-channels'], wish);
                close();
              }}
            />
          )}
        </FormButton>
      </div>
      <p className="hint">{alertsWords.channelsText}</p>
      <PagedRows pages={usePages<AlertChannel>(path)} none={alertsWords.noChannels}>
        {(channel) => <Row key={channel.id} channel={channel} />}
      </PagedRows>
    </section>
  );
}

function eventsWords(events: AlertChannel['events']): string {
  const names = Object.values(alertsWords.eventNames);
  return events.length === names.length
    ? alertsWords.allEvents
    : events.map((event) => alertsWords.eventNames[event]).join(' · ');
}

function Row({ channel }: { readonly channel: AlertChannel }): ReactNode {
  const { id, name, kind, target, events, afterSeconds, quietHours, enabled, disabledReason } = channel;
  const [outcome, setOutcome] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>, done: string | null = null): Promise<void> => {
    setOutcome(null);
    try {
      await work();
      setOutcome(done);
      refresh('/alert-channels');
    } catch (failure) {
      setOutcome((failure as Error).message);
    }
  };
  const save = (wish: object) => change('PATCH', `/alert-channels/${id}`, ['/alert-channels'], wish);
  const times = [
    alertsWords.after(afterSeconds),
    ...(quietHours ? [alertsWords.quiet(quietHours.from, quietHours.to, quietHours.timeZone)] : []),
  ];
  return (
    <li className="tall">
      <div>
        <strong>{name}</strong>{' '}
        <span className="badge" data-tone={enabled ? 'live' : disabledReason ? 'wrong' : 'quiet'}>
          {enabled ? alertsWords.on : alertsWords.off}
        </span>
        <p className="hint">
          {alertsWords.kinds[kind]} · <code>{target}</code> · {times.join(' · ')}
        </p>
        <p className="hint">{eventsWords(events)}</p>
        {disabledReason && <p className="error">{disabledReason.detail}</p>}
        <LastDelivery channel={channel} />
        <p role="status">{outcome}</p>
        <p className="buttons start">
          <button
            type="button"
            disabled={!enabled}
            onClick={() => void attempt(() => call('POST', `/alert-channels/${id}/test`), alertsWords.testing)}
          >
            {alertsWords.test}
          </button>
          <button type="button" onClick={() => void attempt(() => save({ enabled: !enabled }))}>
            {enabled ? alertsWords.switchOff : alertsWords.switchOn}
          </button>
          <FormButton action={alertsWords.change} label={alertsWords.changeOf(name)} isWide>
            {({ close, cancel }) => (
              <ChannelForm
                channel={channel}
                cancel={cancel}
                onSave={async (wish) => {
                  await save(wish);
                  close();
                }}
              />
            )}
          </FormButton>
          <Ask
            action={words.remove}
            tone="grave"
            question={alertsWords.removeAsk(name)}
            explanation={alertsWords.removeText}
            onYes={() => change('DELETE', `/alert-channels/${id}`, ['/alert-channels'])}
          />
        </p>
      </div>
    </li>
  );
}

function LastDelivery({ channel: { lastDelivery } }: { readonly channel: AlertChannel }): ReactNode {
  if (lastDelivery === null) return <p className="hint">{alertsWords.never}</p>;
  return (
    <p className={lastDelivery.failure ? 'error' : 'hint'}>
      {lastDelivery.failure ? alertsWords.refused : alertsWords.taken} <Age at={lastDelivery.at} />
      {lastDelivery.failure && `: ${lastDelivery.failure.detail}`}
    </p>
  );
}
