import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { PartnerDetails } from '../api.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
}

function Labelled({
  label,
  hint,
  control,
}: FieldProps & { control: (ids: { id: string; described: string | undefined }) => ComponentChildren }) {
  const id = useId();
  const described = hint ? `${id}-hint` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, described })}
      {hint && (
        <small id={described} aria-live="polite">
          {hint}
        </small>
      )}
    </div>
  );
}

type InputProps = Omit<JSX.IntrinsicElements['input'], 'type' | 'role' | 'list'>;
const INPUTS = {
  text: (props: InputProps) => <input type="text" {...props} />,
  search: (props: InputProps) => <input type="search" {...props} />,
  url: (props: InputProps) => <input type="url" {...props} />,
  date: (props: InputProps) => <input type="date" {...props} />,
  'datetime-local': (props: InputProps) => <input type="datetime-local" {...props} />,
};

interface TextProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly type?: keyof typeof INPUTS;
  /** Whether only digits are meant: phones then show a keyboard of digits. */
  readonly digits?: boolean;
  readonly placeholder?: string;
  readonly pattern?: string;
  /** Message of the browser if the text does not match the pattern. */
  readonly wrong?: string;
}

export function TextField(props: TextProps) {
  const { label, hint, value, onChange, required = false, type = 'text', digits, placeholder, pattern, wrong } = props;
  const Input = INPUTS[type];
  return (
    <Labelled
      label={label}
      hint={hint}
      control={({ id, described }) => (
        <Input
          id={id}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          required={required}
          aria-describedby={described}
          inputMode={digits ? 'numeric' : undefined}
          placeholder={placeholder}
          pattern={pattern}
          title={wrong}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    />
  );
}

export const IdField = (props: Omit<TextProps, 'type' | 'digits' | 'pattern' | 'wrong'>) => (
  <TextField {...props} digits pattern="[1-9][0-9]{0,15}" wrong="Só algarismos" />
);

interface SelectProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly (readonly [value: Value, text: string])[];
}

export function SelectField<Value extends string>({ label, hint, value, onChange, options }: SelectProps<Value>) {
  const choose = (at: number) => {
    const option = options[at];
    if (option) onChange(option[0]);
  };
  return (
    <Labelled
      label={label}
      hint={hint}
      control={({ id, described }) => (
        <select id={id} aria-describedby={described} onChange={(event) => choose(event.currentTarget.selectedIndex)}>
          {options.map(([name, text]) => (
            <option key={name} value={name} selected={name === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function Check({
  label,
  checked,
  onChange,
}: {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

export function optionsOf<Name extends string>(words: Readonly<Record<Name, string | { readonly text: string }>>) {
  const options: (readonly [value: Name, text: string])[] = [];
  for (const name in words) {
    const word = words[name];
    options.push([name, typeof word === 'string' ? word : word.text]);
  }
  return options;
}

export const unitOptions = (units: PartnerDetails['units']) =>
  units.map(({ unit_id, name }) => [String(unit_id), name] as const);

export const allOr = <Name extends string>(all: string, options: readonly (readonly [value: Name, text: string])[]) => [
  ['', all] as const,
  ...options,
];
