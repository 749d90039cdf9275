import { useState } from 'preact/hooks';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { useAnswer, useTyped } from '../answers.ts';
import { ask, type PartnerDetails } from '../api.ts';
import { choiceText, type Picked, partnersNamed, unitShown } from '../partners-named.ts';
import { type PartnerTab, partnerHref } from '../router.ts';
import { Button, FailedRead } from './basics.tsx';
import { TextField } from './fields.tsx';
import type { Column } from './table.tsx';

export type { Picked } from '../partners-named.ts';

interface PartnerPickerProps {
  readonly label?: string;
  readonly picked: Picked | undefined;
  readonly onPick: (picked: Picked | undefined) => void;
}

/** Partners that were asked for since the page was opened. A changed name is shown once the page is loaded again. */
const requested = new Map<number, Promise<PartnerDetails>>();

function partnerOf(partnerId: number): Promise<PartnerDetails> {
  const known =
    requested.get(partnerId) ??
    ask('show-partner', { params: { partner_id: partnerId } }).then(({ partner }) => partner);
  requested.set(partnerId, known);
  known.catch(() => requested.delete(partnerId));
  return known;
}

/** Text in place of a name that is not known yet. It takes the name's line, so that nothing moves when a name comes. */
const NO_NAME_YET = '\u00a0';

export function Named({ partnerId }: { readonly partnerId: number }) {
  const { answer } = useAnswer(() => partnerOf(partnerId), [partnerId]);
  return (
    <>
      {answer?.name ?? NO_NAME_YET}
      <br />
      <small class="soft">{partnerId}</small>
    </>
  );
}

export function NamedUnit({ partnerId, unitId }: { readonly partnerId: number; readonly unitId: number | null }) {
  const { answer } = useAnswer(() => partnerOf(partnerId), [partnerId]);
  const { name, number } = unitShown(unitId, answer?.units);
  return (
    <>
      {name ?? NO_NAME_YET}
      <br />
      <small class="soft">{number}</small>
    </>
  );
}

export const partnerColumn = (tab?: PartnerTab): Column<{ readonly partner_id: number }> => ({
  title: 'Parceiro',
  cell: ({ partner_id }) => (
    <a href={partnerHref(partner_id, tab)}>
      <Named partnerId={partner_id} />
    </a>
  ),
});

const QUIET: Milliseconds = 350;

export function PartnerPicker({ label = 'Parceiro', picked, onPick }: PartnerPickerProps) {
  const [text, setText] = useState('');
  const name = text.trim();
  const search = useTyped(name, name.length < 2, QUIET, (current) => partnersNamed(name, current));
  const { found: result } = search;

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
  const pick = (partner: Picked) => {
    setText('');
    onPick(partner);
  };
  return (
    <div class="picker">
      <TextField
        label={label}
        type="search"
        placeholder="Parte do nome"
        value={text}
        onChange={setText}
        hint={result && choiceText(result)}
      />
      <FailedRead of={search} />
      {result && result.found.length > 0 && (
        <ul>
          {result.found.map((partner) => (
            <li key={partner.partnerId}>
              <button type="button" onClick={() => pick(partner)}>
                {partner.name} <small>{partner.partnerId}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
