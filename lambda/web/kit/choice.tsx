// A field with a list of options: one is chosen. Long lists can be searched. Decision D233.
import { ChevronsUpDown } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import {
  Autocomplete,
  Button,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
  Select,
  SelectValue,
  useFilter,
} from 'react-aria-components';
import { words } from '#words';

/** Options of a list without a search. */
const mostWithoutSearch = 12;
/** The key of the option with the empty value: keys of the library have at least one character. */
const emptyKey = ' ';

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  /** Whether only screen readers have the label. */
  readonly isLabelHidden?: boolean;
  readonly defaultValue?: string;
  /** The chosen value, if another component controls it. */
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  /** The fault that the API found in the field; null: none. */
  readonly fault?: string | null;
  readonly isDisabled?: boolean;
  /** Searches for options that are not in the list; absent: the list has all. */
  readonly onSearch?: ((text: string) => void) | undefined;
  /** The value and the label of each option, in order. */
  readonly options: readonly (readonly [value: string, words: string])[];
}

export function Choice({
  name,
  label,
  isLabelHidden = false,
  options,
  defaultValue,
  value,
  onChange,
  fault = null,
  isDisabled = false,
  onSearch,
}: ChoiceProps): ReactNode {
  const id = useId();
  const [own, setOwn] = useState(defaultValue);
  const { contains } = useFilter({ sensitivity: 'base' });
  // Options that come later may not have what was chosen: then the first one is, as in native fields.
  const chosen = value ?? (options.find(([of]) => of === own) ?? options[0])?.[0] ?? '';
  const choose = (key: unknown) => {
    const next = key === emptyKey ? '' : String(key);
    setOwn(next);
    onChange?.(next);
  };
  const list = (
    <ListBox items={options.map(([of, text]) => ({ id: of === '' ? emptyKey : of, text }))}>
      {({ text }) => <ListBoxItem textValue={text}>{text}</ListBoxItem>}
    </ListBox>
  );
  return (
    <Select
      className="field"
      value={chosen === '' ? emptyKey : chosen}
      onChange={choose}
      isInvalid={fault !== null}
      isDisabled={isDisabled}
      validationBehavior="aria"
    >
      <Label className={isLabelHidden ? 'hidden' : 'label'}>{label}</Label>
      <Button className="choice" aria-describedby={fault === null ? undefined : id}>
        <SelectValue />
        <ChevronsUpDown aria-hidden />
      </Button>
      <input type="hidden" name={name} value={chosen} />
      {fault !== null && (
        <p className="fault" id={id}>
          {fault}
        </p>
      )}
      <Popover className="popover" offset={4}>
        {options.length <= mostWithoutSearch && !onSearch ? (
          list
        ) : (
          <Autocomplete {...(onSearch ? { onInputChange: onSearch } : { filter: contains })}>
            <SearchField aria-label={words.find} className="search" autoFocus>
              <Input placeholder={words.find} />
            </SearchField>
            {list}
          </Autocomplete>
        )}
      </Popover>
    </Select>
  );
}
