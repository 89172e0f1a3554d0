// Connected channels: whether each can be used, and buttons to connect and reconnect.
import type { ReactNode } from 'react';
import { platformNames, platformTraits } from '../../domain/channels/managed-platforms.ts';
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { formatMoment } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import type { Connection } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Failure } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { channelsWords } from '#words/channels.ts';

const path = '/connections?limit=50';
const returnTo = '/destinations';
const tones = {
  pending: 'moving',
  ok: 'live',
  grant_revoked: 'wrong',
  scope_missing: 'wrong',
  live_not_enabled: 'wrong',
} as const;

/** Leads to the consent page of the platform, which leads back here. */
async function consent(asked: Promise<{ readonly authorizeURL: string }>): Promise<void> {
  location.assign((await asked).authorizeURL);
}

export function Connections(): ReactNode {
  const { attempt: connect, error } = useAttempt((platform: PlatformName) =>
    consent(call('POST', '/connections', { platform, returnTo })),
  );
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">{channelsWords.title}</h2>
      <p className="hint">{channelsWords.text}</p>
      <PagedRows pages={usePages<Connection>(path)} none={channelsWords.empty}>
        {(connection) => <Row key={connection.id} connection={connection} />}
      </PagedRows>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <p className="buttons start">
        {platformNames.map((platform) => (
          <button key={platform} type="button" onClick={() => void connect(platform)}>
            {channelsWords.connect(platformTraits[platform].title)}
          </button>
        ))}
      </p>
    </section>
  );
}

function Row({ connection }: { readonly connection: Connection }): ReactNode {
  const { id, platform, state, title, liveURL, verifiedAt, quota } = connection;
  const platformTitle = platformTraits[platform].title;
  const { attempt: again, error } = useAttempt(() =>
    consent(call('POST', `/connections/${id}/reauthorise`, { returnTo })),
  );
  return (
    <li className="tall">
      <div>
        <strong>{title ?? channelsWords.notYet}</strong>
        <p className="hint">
          {platformTitle}
          {liveURL !== null && (
            <>
              {' · '}
              <a href={liveURL} rel="noreferrer" target="_blank">
                {channelsWords.open}
              </a>
            </>
          )}
          {verifiedAt !== null && (
            <>
              {' · '}
              {channelsWords.verified} <Age at={verifiedAt} />
            </>
          )}
        </p>
        {state !== 'ok' && (
          <p className={tones[state] === 'wrong' ? 'error' : 'hint'}>{channelsWords.remedies[state]}</p>
        )}
        {quota && <p className="notice">{channelsWords.exhausted(formatMoment(quota.exhaustedUntil))}</p>}
        <Failure error={error} />
      </div>
      <p className="state">
        <span className="badge" data-tone={tones[state]}>
          {channelsWords.states[state]}
        </span>
        {state !== 'ok' && (
          <button type="button" className="primary" onClick={() => void again()}>
            {channelsWords.again}
          </button>
        )}
        <Ask
          action={channelsWords.disconnect}
          tone="grave"
          question={channelsWords.removeAsk(title ?? platformTitle)}
          explanation={channelsWords.removeText}
          onYes={() => change('DELETE', `/connections/${id}`, ['/connections', '/destinations', '/managed-settings'])}
        />
      </p>
    </li>
  );
}
