// The channels that receive incidents: the result of the last message, a test, and a form to change each.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { Ask } from '../app/ask.tsx';
import { refresh } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import type { AlertChannel } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { words } from '../words/en.ts';
import { ChannelForm } from './channel-form.tsx';
import type { ChannelWish } from './channel-form.tsx';

const path = '/alert-channels?limit=50';

export function AlertChannels(): ReactNode {
  const { first, items, more } = usePages<AlertChannel>(path);
  const add = async (wish: ChannelWish): Promise<void> => {
    await call('POST', '/alert-channels', wish);
    refresh('/alert-channels');
  };
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">{words.alerts.channels}</h2>
      <p className="hint">{words.alerts.channelsText}</p>
      <Loaded live={first} path={path}>
        {() =>
          items.length === 0 ? (
            <p className="hint">{words.alerts.noChannels}</p>
          ) : (
            <ul className="rows">
              {items.map((channel) => (
                <Row key={channel.id} channel={channel} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton more={more} />
      <details>
        <summary>{words.alerts.add}</summary>
        <ChannelForm channel={null} onSave={add} />
      </details>
    </section>
  );
}

function Row({ channel }: { readonly channel: AlertChannel }): ReactNode {
  const { id, name, kind, target, events, afterSeconds, quietHours, enabled, disabledReason } = channel;
  const [said, setSaid] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>, done: string | null = null): Promise<void> => {
    setSaid(null);
    try {
      await work();
      setSaid(done);
      refresh('/alert-channels');
    } catch (failure) {
      setSaid((failure as Error).message);
    }
  };
  const change = async (wish: object): Promise<void> => {
    await call('PATCH', `/alert-channels/${id}`, wish);
    refresh('/alert-channels');
  };
  const times = [
    words.alerts.after(afterSeconds),
    ...(quietHours ? [words.alerts.quiet(quietHours.from, quietHours.to, quietHours.timeZone)] : []),
  ];
  return (
    <li className="tall">
      <div>
        <strong>{name}</strong>{' '}
        <span className="badge" data-tone={enabled ? 'live' : disabledReason ? 'wrong' : 'quiet'}>
          {enabled ? words.alerts.on : words.alerts.off}
        </span>
        <p className="hint">
          {words.alerts.kinds[kind]} · <code>{target}</code> · {times.join(' · ')}
        </p>
        <p className="hint">{events.map((event) => words.alerts.eventNames[event]).join(' · ')}</p>
        {disabledReason && <p className="error">{disabledReason.detail}</p>}
        <LastDelivery channel={channel} />
        <p role="status">{said}</p>
        <p className="buttons start">
          <button
            type="button"
            disabled={!enabled}
            onClick={() => void attempt(() => call('POST', `/alert-channels/${id}/test`), words.alerts.testing)}
          >
            {words.alerts.test}
          </button>
          <button type="button" onClick={() => void attempt(() => change({ enabled: !enabled }))}>
            {enabled ? words.alerts.switchOff : words.alerts.switchOn}
          </button>
          <Ask
            action={words.remove}
            tone="grave"
            question={words.alerts.removeAsk(name)}
            explanation={words.alerts.removeText}
            onYes={async () => {
              await call('DELETE', `/alert-channels/${id}`);
              refresh('/alert-channels');
            }}
          />
        </p>
        <details>
          <summary>{words.alerts.change}</summary>
          <ChannelForm
            key={JSON.stringify([name, events, afterSeconds, quietHours])}
            channel={channel}
            onSave={change}
          />
        </details>
      </div>
    </li>
  );
}

function LastDelivery({ channel: { lastDelivery } }: { readonly channel: AlertChannel }): ReactNode {
  if (lastDelivery === null) return <p className="hint">{words.alerts.never}</p>;
  return (
    <p className={lastDelivery.failure ? 'error' : 'hint'}>
      {lastDelivery.failure ? words.alerts.refused : words.alerts.taken} <Age at={lastDelivery.at} />
      {lastDelivery.failure && `: ${lastDelivery.failure.detail}`}
    </p>
  );
}
