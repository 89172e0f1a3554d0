// Moving overlays of a stream: a clock, and a ticker of lines.
import { useId } from 'react';
import type { ReactNode } from 'react';
import { captionPlaces, clockKinds, overlayBounds, usualClock, usualTicker } from '../../domain/playout/overlays.ts';
import type { Stream } from '../app/types.ts';
import { zonesWith } from '../app/time-zones.ts';
import { Choice } from '../kit/choice.tsx';
import { lookWords } from '#words/look.ts';
import { locale } from '../app/locale.ts';
import { PlaceChoice } from './place-choice.tsx';

type Overlays = NonNullable<Stream['look']['overlays']>;
type Running = Pick<Overlays, 'clock' | 'ticker'>;

interface RunningFieldsProps extends Running {
  readonly onChange: (changed: Partial<Running>) => void;
}

export function RunningFields({ clock, ticker, onChange }: RunningFieldsProps): ReactNode {
  return (
    <>
      <Choice
        name="clock"
        label={lookWords.clock}
        value={clock?.shows ?? ''}
        options={[['', lookWords.noClock], ...clockKinds.map((kind) => [kind, lookWords.clocks[kind]] as const)]}
        onChange={(shows) => {
          const own = { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, language: locale };
          const chosen = shows as (typeof clockKinds)[number];
          onChange({ clock: shows === '' ? null : { ...usualClock, ...own, ...clock, shows: chosen } });
        }}
      />
      {clock && (
        <>
          <Choice
            name="clockZone"
            label={lookWords.clockZone}
            value={clock.timeZone}
            options={zonesWith(clock.timeZone).map((zone) => [zone, zone] as const)}
            onChange={(timeZone) => onChange({ clock: { ...clock, timeZone } })}
          />
          <PlaceChoice
            name="clockPlace"
            label={lookWords.clockPlace}
            place={clock.place}
            onChange={(place) => onChange({ clock: { ...clock, place } })}
          />
        </>
      )}
      <TickerLines
        lines={ticker?.lines ?? []}
        onChange={(lines) => onChange({ ticker: lines.length === 0 ? null : { ...usualTicker, ...ticker, lines } })}
      />
      {ticker && (
        <Choice
          name="tickerPlace"
          label={lookWords.tickerPlace}
          value={ticker.place}
          options={captionPlaces.map((place) => [place, lookWords.places[place]] as const)}
          onChange={(place) => onChange({ ticker: { ...ticker, place: place as (typeof captionPlaces)[number] } })}
        />
      )}
    </>
  );
}

interface TickerLinesProps {
  readonly lines: readonly string[];
  readonly onChange: (lines: string[]) => void;
}

/** The text is not reformatted during typing, although empty lines and spaces at the ends are dropped. */
function TickerLines({ lines, onChange }: TickerLinesProps): ReactNode {
  const id = useId();
  const [most, longest] = [overlayBounds.tickerLines[1], overlayBounds.tickerLineLength[1]];
  return (
    <div className="field">
      <label htmlFor={id}>{lookWords.ticker}</label>
      <textarea
        id={id}
        rows={3}
        defaultValue={lines.join('\n')}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) =>
          onChange(
            target.value
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== ''),
          )
        }
      />
      <p className="hint" id={`${id}-hint`}>
        {lookWords.tickerHint(most, longest)}
      </p>
    </div>
  );
}
