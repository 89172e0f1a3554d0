// The live input that may take over while a block is on: its name, and the choice of one.
import type { ReactNode } from 'react';
import { useFault } from '../app/faults.tsx';
import { useLive } from '../app/live-data.ts';
import type { LiveInput } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import type { Block } from './rules.ts';

export function LiveInputName({ id }: { readonly id: string }): ReactNode {
  const { data, error } = useLive<LiveInput>(`/live-inputs/${id}`);
  return data?.name ?? (error?.status === 404 ? words.gone : '…');
}

interface LiveInputChoiceProps {
  /** The JSON pointer of the block. */
  readonly path: string;
  readonly streamID: string;
  readonly block: Block;
  readonly change: (changed: Partial<Block>) => void;
}

export function LiveInputChoice({ path, streamID, block: { liveInputID }, change }: LiveInputChoiceProps): ReactNode {
  const { data: inputs } = useLive<{ readonly data: readonly LiveInput[] }>(`/live-inputs?streamID=${streamID}`);
  const offered = inputs?.data ?? [];
  const isListed = liveInputID === null || offered.some(({ id }) => id === liveInputID);
  return (
    <>
      <Choice
        name="liveInputID"
        label={words.liveInput}
        value={liveInputID ?? ''}
        fault={useFault(`${path}/liveInputID`)}
        options={[
          ['', words.noLiveInput],
          ...offered.map(({ id, name }) => [id, name] as const),
          ...(isListed ? [] : [[liveInputID, inputs ? words.gone : '…'] as const]),
        ]}
        onChange={(value) => change({ liveInputID: value === '' ? null : value })}
      />
      <p className="hint">{words.liveInputHint}</p>
    </>
  );
}
