import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { Button } from './basics.tsx';
import { TextField } from './fields.tsx';

export interface Picked {
  readonly partnerId: number;
  readonly name: string;
}

interface PartnerPickerProps {
  readonly label?: string;
  readonly picked: Picked | undefined;
  readonly onPick: (picked: Picked | undefined) => void;
}

/** Milliseconds of quiet after which a name that is being typed is looked for. */
const QUIET = 350;

/** Chooses a partner by a part of its name. */
export function PartnerPicker({ label = 'Parceiro', picked, onPick }: PartnerPickerProps) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Picked[]>();
  useEffect(() => {
    const name = text.trim();
    setFound(undefined);
    if (name.length < 2) return;
    let current = true;
    const timer = setTimeout(async () => {
      try {
        const { partners } = await ask('list-partners', { query: { name, limit: '8' } });
        if (current) setFound(partners.map(({ partner_id: partnerId, name: called }) => ({ partnerId, name: called })));
      } catch {
        // The screen's own call tells of the failure; here there is nothing to choose from.
        if (current) setFound([]);
      }
    }, QUIET);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text]);

  if (picked) {
    return (
      <div class="field">
        <span class="label">{label}</span>
        <span class="picked">
          <strong>{picked.name}</strong>
          <Button kind="quiet" onClick={() => onPick(undefined)} label={`Trocar o parceiro ${picked.name}`}>
            Trocar
          </Button>
        </span>
      </div>
    );
  }
  const pick = (one: Picked) => {
    setText('');
    onPick(one);
  };
  return (
    <div class="picker">
      <TextField
        label={label}
        type="search"
        placeholder="Parte do nome"
        value={text}
        onChange={setText}
        hint={
          found && (found.length === 0 ? 'Nenhum parceiro com este nome.' : `${found.length} para escolher abaixo.`)
        }
      />
      {found && found.length > 0 && (
        <ul>
          {found.map((one) => (
            <li key={one.partnerId}>
              <button type="button" onClick={() => pick(one)}>
                {one.name} <small>{one.partnerId}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
