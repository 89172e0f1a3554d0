// The overlays of a stream: a logo from the library, and the title of the current item.
import type { ReactNode } from 'react';
import {
  captionPlaces,
  overlayBounds,
  themeStyles,
  usualLogo,
  usualNext,
  usualTheme,
  usualTitle,
} from '../../domain/playout/overlays.ts';
import type { Stream } from '../app/types.ts';
import { Field, NumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { lookWords } from '#words/look.ts';
import { LogoChoice } from './logo-choice.tsx';
import { PlaceChoice } from './place-choice.tsx';
import { RunningFields } from './running-fields.tsx';

type Overlays = NonNullable<Stream['look']['overlays']>;

interface OverlayFieldsProps {
  readonly overlays: Overlays | null;
  readonly onChange: (overlays: Overlays | null) => void;
}

const nothing = { logo: null, title: null, next: null, captions: null, clock: null, ticker: null };
const none: Overlays = { ...nothing, theme: usualTheme };

export function OverlayFields({ overlays, onChange }: OverlayFieldsProps): ReactNode {
  const given = overlays ?? none;
  const { logo, title, next, captions, clock, ticker, theme } = given;
  const change = (changed: Partial<Overlays>): void => {
    const all = { ...given, ...changed };
    const { theme: _, ...drawn } = all;
    onChange(Object.values(drawn).every((each) => each === null) ? null : all);
  };
  return (
    <>
      <LogoChoice
        uploadID={logo?.uploadID ?? null}
        onChange={(uploadID) => change({ logo: uploadID === null ? null : { ...usualLogo, ...logo, uploadID } })}
      />
      {logo && (
        <>
          <PlaceChoice
            name="logoPlace"
            label={lookWords.logoPlace}
            place={logo.place}
            onChange={(place) => change({ logo: { ...logo, place } })}
          />
          <NumberField
            name="logoWidth"
            label={lookWords.logoWidth}
            min={overlayBounds.widthPercent[0]}
            max={overlayBounds.widthPercent[1]}
            value={logo.widthPercent}
            onChange={(widthPercent) => change({ logo: { ...logo, widthPercent } })}
          />
          <NumberField
            name="logoOpacity"
            label={lookWords.logoOpacity}
            min={overlayBounds.opacityPercent[0]}
            max={overlayBounds.opacityPercent[1]}
            value={logo.opacityPercent}
            onChange={(opacityPercent) => change({ logo: { ...logo, opacityPercent } })}
          />
        </>
      )}
      <Choice
        name="titles"
        label={lookWords.titles}
        value={title ? String(title.seconds) : ''}
        options={[
          ['', lookWords.noTitles],
          ...[...new Set([usualTitle.seconds, title?.seconds ?? usualTitle.seconds])].map(
            (seconds) => [String(seconds), lookWords.titleSeconds(seconds)] as const,
          ),
          ['null', lookWords.titleAlways],
        ]}
        onChange={(chosen) => {
          const seconds = chosen === 'null' ? null : Number(chosen);
          change({ title: chosen === '' ? null : { ...usualTitle, ...title, seconds } });
        }}
      />
      {title && (
        <PlaceChoice
          name="titlePlace"
          label={lookWords.titlePlace}
          place={title.place}
          onChange={(place) => change({ title: { ...title, place } })}
        />
      )}
      <Choice
        name="next"
        label={lookWords.next}
        value={next ? String(next.seconds) : ''}
        options={[
          ['', lookWords.noNext],
          ...[...new Set([usualNext.seconds, next?.seconds ?? usualNext.seconds])].map(
            (seconds) => [String(seconds), lookWords.nextSeconds(seconds)] as const,
          ),
        ]}
        onChange={(chosen) =>
          change({ next: chosen === '' ? null : { ...usualNext, ...next, seconds: Number(chosen) } })
        }
      />
      {next && (
        <>
          <PlaceChoice
            name="nextPlace"
            label={lookWords.nextPlace}
            place={next.place}
            onChange={(place) => change({ next: { ...next, place } })}
          />
          <Field
            name="nextLabel"
            label={lookWords.nextLabel}
            required
            maxLength={overlayBounds.labelLength[1]}
            value={next.label}
            onChange={(event) => change({ next: { ...next, label: event.target.value } })}
          />
        </>
      )}
      <Choice
        name="captions"
        label={lookWords.captions}
        value={captions?.place ?? ''}
        options={[
          ['', lookWords.noCaptions],
          ...captionPlaces.map((place) => [place, lookWords.places[place]] as const),
        ]}
        onChange={(place) =>
          change({ captions: place === '' ? null : { place: place as (typeof captionPlaces)[number] } })
        }
      />
      <RunningFields clock={clock} ticker={ticker} onChange={change} />
      {(title ?? next ?? captions ?? clock ?? ticker) && (
        <Choice
          name="titleStyle"
          label={lookWords.titleStyle}
          value={theme.style}
          options={themeStyles.map((style) => [style, lookWords.styles[style]] as const)}
          onChange={(style) => change({ theme: { ...theme, style: style as typeof theme.style } })}
        />
      )}
    </>
  );
}
