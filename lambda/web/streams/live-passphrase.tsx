// The passphrase of an input, for SRT: whether there is one, and a new one, which is shown once.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { change, refresh } from '../app/live-data.ts';
import type { LiveInput, LiveInputPassphrase } from '../app/types.ts';
import { Ask } from '../kit/ask.tsx';
import { liveWords } from '#words/live.ts';
import { Copied } from './live-key.tsx';

/** @param url the address for SRT */
export function LivePassphrase({ input, url }: { readonly input: LiveInput; readonly url: string }): ReactNode {
  const { id, name, hasPassphrase } = input;
  /** The passphrase that was just made; null: none. */
  const [made, setMade] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    setMade((await call<LiveInputPassphrase>('POST', `/live-inputs/${id}/rotate-passphrase`)).passphrase);
    refresh('/live-inputs');
  };
  const remove = async (): Promise<void> => {
    await change('DELETE', `/live-inputs/${id}/passphrase`, ['/live-inputs']);
    setMade(null);
  };
  return (
    <>
      <div className="state start">
        <span className="hint">{hasPassphrase ? liveWords.encrypted : liveWords.unencrypted}</span>
        <Ask
          action={liveWords.newPassphrase}
          label={liveWords.newPassphraseOf(name)}
          question={liveWords.newPassphraseAsk(name)}
          explanation={liveWords.newPassphraseText}
          onYes={make}
        />
        {hasPassphrase && (
          <Ask
            action={liveWords.removePassphrase}
            label={liveWords.removePassphraseOf(name)}
            tone="grave"
            question={liveWords.removePassphraseAsk(name)}
            explanation={liveWords.removePassphraseText}
            refuse={liveWords.keep}
            onYes={remove}
          />
        )}
      </div>
      <div role="status">
        {made !== null && (
          <div className="made">
            <p>{liveWords.oncePassphrase}</p>
            <dl className="pairs">
              <Copied name={liveWords.passphrase} text={made} label={liveWords.copyPassphrase(name)} />
              <Copied
                name={liveWords.address}
                text={`${url}?streamid=KEY&passphrase=${made}`}
                label={liveWords.copyEncryptedAddress(name)}
              />
            </dl>
          </div>
        )}
      </div>
    </>
  );
}
