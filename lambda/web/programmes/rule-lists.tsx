// The rules of a programme as lists of sentences, each with its form.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { FaultHere, FaultsOf, useFault } from '../app/faults.tsx';
import type { Faults } from '../app/faults.tsx';
import { zonesWith } from '../app/time-zones.ts';
import { OptionalNumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import { BlockForm } from './block-form.tsx';
import { InsertForm } from './insert-form.tsx';
import { LiveInputName } from './live-inputs.tsx';
import { RuleDetails } from './rule-details.tsx';
import { blockWords, insertWords, separationWords, StepsInWords } from './rule-words.tsx';
import { newBlock, newInsert, newSeparation } from './rules.ts';
import type { Block, OwnProgramme, Rules } from './rules.ts';
import { SeparationForm } from './separation-form.tsx';
import { SourceChoice, SourceName } from './sources.tsx';

/** The block that the week asks to open; `times` tells its requests apart. */
export interface Opening {
  readonly id: string;
  readonly times: number;
}

interface RuleListsProps {
  readonly programme: OwnProgramme;
  readonly rules: Rules;
  readonly faults: Faults;
  readonly opening: Opening | null;
  readonly change: (changed: Partial<Rules>) => void;
}

export function RuleLists({ faults, ...given }: RuleListsProps): ReactNode {
  const { rules, change } = given;
  return (
    <FaultsOf faults={faults}>
      <Blocks {...given} />
      <Inserts {...given} />
      <Separations {...given} />
      <section aria-labelledby="filler">
        <h2 id="filler">{words.fillerAndLimits}</h2>
        <FillerFields {...given} />
      </section>
      <section aria-labelledby="zone">
        <h2 id="zone">{words.zone}</h2>
        <Choice
          name="timeZone"
          label={words.zone}
          value={rules.timeZone}
          options={zonesWith(rules.timeZone).map((zone) => [zone, zone] as const)}
          onChange={(timeZone) => change({ timeZone })}
        />
      </section>
    </FaultsOf>
  );
}

type ListProps = Omit<RuleListsProps, 'faults'>;

interface RuleListProps {
  readonly id: string;
  readonly heading: string;
  readonly hint: string;
  readonly none: string;
  readonly add: string;
  readonly onAdd: () => void;
  /** Rows of the rules. */
  readonly children: readonly ReactNode[];
}

function RuleList({ id, heading, hint, none, add, onAdd, children }: RuleListProps): ReactNode {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <p className="hint">{children.length === 0 ? `${hint} ${none}` : hint}</p>
      {children.length > 0 && <ul className="rows rules">{children}</ul>}
      <FaultHere at={`/${id}`} />
      <p>
        <button type="button" onClick={onAdd}>
          {add}
        </button>
      </p>
    </section>
  );
}

function Blocks({ programme, rules: { blocks }, opening, change }: ListProps): ReactNode {
  const [added, setAdded] = useState('');
  const add = (): void => {
    const block = newBlock(words.newBlock);
    setAdded(block.id);
    change({ blocks: [...blocks, block] });
  };
  return (
    <RuleList
      id="blocks"
      heading={words.blocks}
      hint={words.blocksHint}
      none={words.noBlocks}
      add={words.addBlock}
      onAdd={add}
    >
      {blocks.map((block, index) => (
        <RuleDetails
          key={block.id}
          path={`/blocks/${index}`}
          name={block.name}
          sentence={<BlockSentence block={block} />}
          openings={opening?.id === block.id ? opening.times : 0}
          isNew={block.id === added}
          remove={words.removeBlock}
          onRemove={() => change({ blocks: blocks.toSpliced(index, 1) })}
        >
          <BlockForm
            path={`/blocks/${index}`}
            programme={programme}
            block={block}
            onChange={(changed) => change({ blocks: blocks.with(index, changed) })}
          />
        </RuleDetails>
      ))}
    </RuleList>
  );
}

function BlockSentence({ block }: { readonly block: Block }): ReactNode {
  return (
    <>
      {blockWords(block)} · <StepsInWords block={block} />
      {block.liveInputID !== null && (
        <>
          {' '}
          · {words.liveOf} <LiveInputName id={block.liveInputID} />
        </>
      )}
    </>
  );
}

function Inserts({ programme: { kind }, rules: { inserts, blocks }, change }: ListProps): ReactNode {
  const [added, setAdded] = useState('');
  const add = (): void => {
    const insert = newInsert(words.newInsert);
    setAdded(insert.id);
    change({ inserts: [...inserts, insert] });
  };
  return (
    <RuleList
      id="inserts"
      heading={words.inserts}
      hint={words.insertsHint}
      none={words.noInserts}
      add={words.addInsert}
      onAdd={add}
    >
      {inserts.map((insert, index) => (
        <RuleDetails
          key={insert.id}
          path={`/inserts/${index}`}
          name={insert.name}
          sentence={
            <>
              <SourceName from={insert} /> {insertWords(insert, blocks)}
            </>
          }
          isNew={insert.id === added}
          remove={words.removeInsert}
          onRemove={() => change({ inserts: inserts.toSpliced(index, 1) })}
        >
          <InsertForm
            path={`/inserts/${index}`}
            kind={kind}
            insert={insert}
            blocks={blocks}
            onChange={(changed) => change({ inserts: inserts.with(index, changed) })}
          />
        </RuleDetails>
      ))}
    </RuleList>
  );
}

/** Distances have no ids. A removal closes all, so that none shows the form of another one. */
function Separations({ rules: { separation }, change }: ListProps): ReactNode {
  const [removals, setRemovals] = useState(0);
  return (
    <RuleList
      id="separation"
      heading={words.separation}
      hint={words.separationHint}
      none={words.noSeparation}
      add={words.addSeparation}
      onAdd={() => change({ separation: [...separation, newSeparation()] })}
    >
      {separation.map((rule, index) => (
        <RuleDetails
          key={`${removals} ${index}`}
          path={`/separation/${index}`}
          name={words.alike[rule.by]}
          sentence={`${separationWords(rule)} · ${words.strengthWords[rule.strength]}`}
          remove={words.removeSeparation}
          onRemove={() => {
            setRemovals(removals + 1);
            change({ separation: separation.toSpliced(index, 1) });
          }}
        >
          <SeparationForm
            path={`/separation/${index}`}
            rule={rule}
            onChange={(changed) => change({ separation: separation.with(index, changed) })}
          />
        </RuleDetails>
      ))}
    </RuleList>
  );
}

function FillerFields({ programme: { kind }, rules: { filler, insertSecondsPerHour }, change }: ListProps): ReactNode {
  const faultOfSeconds = useFault('/insertSecondsPerHour');
  return (
    <>
      <p className="hint">{words.fillerHint}</p>
      <label className="switch">
        <input
          type="checkbox"
          checked={filler !== null}
          onChange={(event) => change({ filler: event.target.checked ? {} : null })}
        />
        {words.hasFiller}
      </label>
      {filler && (
        <div className="in-row grid">
          <SourceChoice path="/filler" kind={kind} from={filler} onChange={(from) => change({ filler: from })} />
        </div>
      )}
      <OptionalNumberField
        name="insertSecondsPerHour"
        label={words.insertSeconds}
        hint={words.anyNumber}
        min={1}
        value={insertSecondsPerHour}
        fault={faultOfSeconds}
        onChange={(seconds) => change({ insertSecondsPerHour: seconds })}
      />
    </>
  );
}
