// The key of a live input, which the API answers only once, among the settings that OBS asks for.
import type { ReactNode } from 'react';
import { CopyButton } from '../app/copy-button.tsx';
import type { KeyedLiveInput } from '../app/types.ts';
import { liveWords } from '#words/live.ts';

export function LiveKey({ input: { name, addresses, key } }: { readonly input: KeyedLiveInput }): ReactNode {
  const [address] = addresses;
  return (
    <div className="made">
      <p>{liveWords.once}</p>
      <p>{liveWords.obs}</p>
      <dl className="pairs">
        <div>
          <dt>{liveWords.obsService}</dt>
          <dd>{liveWords.obsCustom}</dd>
        </div>
        {address && <Copied name={liveWords.address} text={address.url} label={liveWords.copyAddress(name)} />}
        <Copied name={liveWords.key} text={key} label={liveWords.copyKey(name)} />
      </dl>
    </div>
  );
}

interface CopiedProps {
  readonly name: string;
  readonly text: string;
  /** The accessible name of the button. */
  readonly label: string;
}

/** A name with a text to copy. */
export function Copied({ name, text, label }: CopiedProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="state start">
        <code className="secret">{text}</code>
        <CopyButton text={text} label={label} />
      </dd>
    </div>
  );
}
