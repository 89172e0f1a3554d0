// Forms: labelled fields, a button that cannot be pressed twice, and errors that screen readers announce.
import { useId } from 'react';
import type { FormEvent, InputHTMLAttributes, ReactNode } from 'react';
import { useAttempt } from './use-attempt.ts';

interface FormProps {
  /** The text of the button. */
  readonly action: string;
  /** Resolves when the action is complete. The form shows the message of an error that it throws. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<void>;
  readonly children?: ReactNode;
  /** Whether to empty the fields after success. */
  readonly isReset?: boolean;
  readonly className?: string;
  /** A button before that of the form, such as the one that closes its dialog. */
  readonly beside?: ReactNode;
  /** Disables the button, for example if there is nothing to send. */
  readonly isDisabled?: boolean;
}

export function Form({
  action,
  onSubmit,
  children,
  isReset = false,
  className = '',
  beside,
  isDisabled = false,
}: FormProps): ReactNode {
  const {
    attempt: submit,
    error,
    isPending,
  } = useAttempt(async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Events of the form of a dialog would also reach the form whose field opened the dialog.
    event.stopPropagation();
    const form = event.currentTarget;
    const fields = [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']);
    await onSubmit(Object.fromEntries(fields) as Record<string, string>);
    if (isReset) form.reset();
  });
  const send = (
    <button type="submit" className="primary" disabled={isPending || isDisabled}>
      {action}
    </button>
  );
  return (
    <form className={className} onSubmit={(event) => void submit(event)} aria-busy={isPending}>
      {children}
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      {beside === undefined ? (
        send
      ) : (
        <p className="buttons">
          {beside}
          {send}
        </p>
      )}
    </form>
  );
}

/** The message of a failure, which screen readers read out at once. */
export function Failure({ error }: { readonly error: string | null }): ReactNode {
  if (error === null) return null;
  return (
    <p className="error" role="alert">
      {error}
    </p>
  );
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The fault that the API found in the field; null: none. */
  readonly fault?: string | null;
}

/** A field is required by default. */
export function Field({ label, hint, fault = null, required = true, ...input }: FieldProps): ReactNode {
  const id = useId();
  const described = [hint && `${id}-hint`, fault !== null && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        required={required}
        aria-describedby={described || undefined}
        aria-invalid={fault === null ? undefined : true}
        {...input}
      />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <Fault id={id} fault={fault} />
    </div>
  );
}

function Fault({ id, fault }: { readonly id: string; readonly fault: string | null }): ReactNode {
  return (
    fault !== null && (
      <p className="fault" id={`${id}-fault`}>
        {fault}
      </p>
    )
  );
}

interface NumberFieldProps extends Omit<FieldProps, 'onChange'> {
  readonly onChange: (value: number) => void;
}

export function NumberField({ onChange, ...field }: NumberFieldProps): ReactNode {
  return <Field type="number" onChange={(event) => onChange(Number(event.target.value))} {...field} />;
}

interface OptionalNumberFieldProps extends Omit<FieldProps, 'value' | 'onChange'> {
  /** Null: the field is empty. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}

export function OptionalNumberField({ value, onChange, ...field }: OptionalNumberFieldProps): ReactNode {
  const change = (text: string) => onChange(text === '' ? null : Number(text));
  return (
    <Field
      type="number"
      required={false}
      value={value ?? ''}
      onChange={(event) => change(event.target.value)}
      {...field}
    />
  );
}
