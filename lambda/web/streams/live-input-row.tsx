// A live input in the list of its stream: its address, its signal, and the takeover.
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { CopyButton } from '../app/copy-button.tsx';
import { formatBitrate, formatDuration, formatNumber } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import type { KeyedLiveInput, LiveInput } from '../app/types.ts';
import { Ask } from '../kit/ask.tsx';
import { words } from '#words';
import { liveWords } from '#words/live.ts';
import { LivePassphrase } from './live-passphrase.tsx';
import { TakeOver } from './take-over.tsx';

/** Green is for pictures that destinations receive. */
const tones = { idle: 'quiet', receiving: 'moving', ready: 'quiet', on_air: 'live' } as const;

interface LiveInputRowProps {
  readonly input: LiveInput;
  readonly onEdit: () => void;
  /** Shows a new key. */
  readonly onKey: (input: KeyedLiveInput | null) => void;
}

export function LiveInputRow({ input, onEdit, onKey }: LiveInputRowProps): ReactNode {
  const { id, name, state } = input;
  const path = `/live-inputs/${id}`;
  const srt = input.addresses.find(({ protocol }) => protocol === 'srt');
  return (
    <li className="tall">
      <div>
        <strong className="name">{name}</strong>
        <Signal input={input} />
        <Loss input={input} />
        {input.session?.recordings.map((recording) => (
          <p key={recording.takeoverID} className={recording.refusal === null ? 'hint' : 'fault'}>
            {recordingWords(recording)}
          </p>
        ))}
        {input.disabledReason && <p className="fault">{liveWords.keyEnded}</p>}
        {input.slateReason && <p className="fault">{liveWords.slateFault}</p>}
        {input.addresses.length === 0 && <p className="fault">{liveWords.off}</p>}
        {input.addresses.map(({ protocol, url }) => (
          <p key={protocol} className="state start">
            <code className="secret">{url}</code>
            <CopyButton text={url} label={`${liveWords.copyAddress(name)}: ${protocol}`} />
          </p>
        ))}
        {srt && <LivePassphrase input={input} url={srt.url} />}
      </div>
      <div className="state">
        <span className="badge" data-tone={tones[state]}>
          {liveWords.states[state]}
        </span>
        {state !== 'on_air' && <TakeOver input={input} />}
        <button type="button" aria-label={liveWords.editOf(name)} onClick={onEdit}>
          {liveWords.edit}
        </button>
        <Ask
          action={liveWords.rotate}
          label={liveWords.rotateOf(name)}
          question={liveWords.rotateAsk(name)}
          explanation={liveWords.rotateText}
          refuse={liveWords.keep}
          onYes={async () => onKey(await call<KeyedLiveInput>('POST', `${path}/rotate-key`))}
        />
        <Ask
          action={words.remove}
          label={liveWords.removeOf(name)}
          tone="grave"
          question={liveWords.removeAsk(name)}
          explanation={liveWords.removeText}
          refuse={liveWords.keep}
          onYes={async () => {
            await change('DELETE', path, ['/live-inputs', `/streams/${input.streamID}`]);
            onKey(null);
          }}
        />
      </div>
    </li>
  );
}

/** The signal that an input receives, or the end of the last one. */
function Signal({ input: { session } }: { readonly input: LiveInput }): ReactNode {
  if (session === null) return <p className="hint">{liveWords.neverSent}</p>;
  if (session.endedAt !== null)
    return (
      <p className="hint">
        {liveWords.ended} <Age at={session.endedAt} />
        {session.endReason && ` · ${liveWords.ends[session.endReason]}`}
      </p>
    );
  if (session.source === null) return <p className="hint">{liveWords.waiting}</p>;
  return <p className="hint">{signalWords(session.source, session.receivedSeconds)}</p>;
}

/** The loss of a contributor who stays connected, until its return. */
function Loss({ input: { session } }: { readonly input: LiveInput }): ReactNode {
  const loss = session?.endedAt === null ? session.losses.find(({ returnedAt }) => returnedAt === null) : undefined;
  return loss && <p className="fault">{liveWords.lostBy[loss.reason]}</p>;
}

type Recording = NonNullable<LiveInput['session']>['recordings'][number];

function recordingWords({ refusal, uploadID, seconds, isCut }: Recording): string {
  if (refusal !== null) return `${liveWords.notRecorded} ${refusal}`;
  if (uploadID === null) return liveWords.recordingDeleted;
  return (isCut ? liveWords.recordedCut : liveWords.recorded)(formatDuration(seconds));
}

type Source = NonNullable<NonNullable<LiveInput['session']>['source']>;

function signalWords(source: Source, receivedSeconds: number): string {
  const { videoCodec, audioCodec, width, height, framerate, bitrateKbps, keyframeSeconds } = source;
  return [
    width === null || height === null ? videoCodec : `${videoCodec} ${width} × ${height}`,
    framerate !== null && liveWords.fps(formatNumber(framerate)),
    formatBitrate(bitrateKbps),
    keyframeSeconds !== null && liveWords.keyframes(formatNumber(keyframeSeconds)),
    audioCodec ?? liveWords.noSound,
    liveWords.received(formatDuration(receivedSeconds)),
  ]
    .filter((fact) => fact !== false)
    .join(' · ');
}
