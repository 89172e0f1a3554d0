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
import { words } from '../words/en.ts';
import { PlaceChoice } from './place-choice.tsx';
import { RunningFields } from './running-fields.tsx';
import { UploadChoice } from './upload-choice.tsx';

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
      <UploadChoice
        name="logo"
        label={words.look.logo}
        none={words.look.noLogo}
        query="probeState=completed&type=image"
        uploadID={logo?.uploadID ?? null}
        onChange={(uploadID) => change({ logo: uploadID === null ? null : { ...usualLogo, ...logo, uploadID } })}
      />
      {logo && (
        <>
          <PlaceChoice
            name="logoPlace"
            label={words.look.logoPlace}
            place={logo.place}
            onChange={(place) => change({ logo: { ...logo, place } })}
          />
          <NumberField
            name="logoWidth"
            label={words.look.logoWidth}
            min={overlayBounds.widthPercent[0]}
            max={overlayBounds.widthPercent[1]}
            value={logo.widthPercent}
            onChange={(widthPercent) => change({ logo: { ...logo, widthPercent } })}
          />
          <NumberField
            name="logoOpacity"
            label={words.look.logoOpacity}
            min={overlayBounds.opacityPercent[0]}
            max={overlayBounds.opacityPercent[1]}
            value={logo.opacityPercent}
            onChange={(opacityPercent) => change({ logo: { ...logo, opacityPercent } })}
          />
        </>
      )}
      <Choice
        name="titles"
        label={words.look.titles}
        value={title ? String(title.seconds) : ''}
        options={[
          ['', words.look.noTitles],
          ...[...new Set([usualTitle.seconds, title?.seconds ?? usualTitle.seconds])].map(
            (seconds) => [String(seconds), words.look.titleSeconds(seconds)] as const,
          ),
          ['null', words.look.titleAlways],
        ]}
        onChange={(chosen) => {
          const seconds = chosen === 'null' ? null : Number(chosen);
          change({ title: chosen === '' ? null : { ...usualTitle, ...title, seconds } });
        }}
      />
      {title && (
        <PlaceChoice
          name="titlePlace"
          label={words.look.titlePlace}
          place={title.place}
          onChange={(place) => change({ title: { ...title, place } })}
        />
      )}
      <Choice
        name="next"
        label={words.look.next}
        value={next ? String(next.seconds) : ''}
        options={[
          ['', words.look.noNext],
          ...[...new Set([usualNext.seconds, next?.seconds ?? usualNext.seconds])].map(
            (seconds) => [String(seconds), words.look.nextSeconds(seconds)] as const,
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
            label={words.look.nextPlace}
            place={next.place}
            onChange={(place) => change({ next: { ...next, place } })}
          />
          <Field
            name="nextLabel"
            label={words.look.nextLabel}
            required
            maxLength={overlayBounds.labelLength[1]}
            value={next.label}
            onChange={(event) => change({ next: { ...next, label: event.target.value } })}
          />
        </>
      )}
      <Choice
        name="captions"
        label={words.look.captions}
        value={captions?.place ?? ''}
        options={[
          ['', words.look.noCaptions],
          ...captionPlaces.map((place) => [place, words.look.places[place]] as const),
        ]}
        onChange={(place) =>
          change({ captions: place === '' ? null : { place: place as (typeof captionPlaces)[number] } })
        }
      />
      <RunningFields clock={clock} ticker={ticker} onChange={change} />
      {(title ?? next ?? captions ?? clock ?? ticker) && (
        <Choice
          name="titleStyle"
          label={words.look.titleStyle}
          value={theme.style}
          options={themeStyles.map((style) => [style, words.look.styles[style]] as const)}
          onChange={(style) => change({ theme: { ...theme, style: style as typeof theme.style } })}
        />
      )}
    </>
  );
}
