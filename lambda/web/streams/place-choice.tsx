// A choice of the place of an overlay.
import type { ReactNode } from 'react';
import { overlayPlaces } from '../../domain/playout/overlays.ts';
import { Choice } from '../kit/choice.tsx';
import { lookWords } from '#words/look.ts';

type Place = (typeof overlayPlaces)[number];

interface PlaceChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly place: Place;
  readonly onChange: (place: Place) => void;
}

export function PlaceChoice({ name, label, place, onChange }: PlaceChoiceProps): ReactNode {
  return (
    <Choice
      name={name}
      label={label}
      value={place}
      options={overlayPlaces.map((each) => [each, lookWords.places[each]] as const)}
      onChange={(chosen) => onChange(chosen as Place)}
    />
  );
}
