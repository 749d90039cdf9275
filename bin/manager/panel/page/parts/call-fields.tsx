import type { Approval } from '../approved-call.ts';
import { APPROVED_FIELD, FIELD, valueText } from '../words.ts';
import { Address, Facts, Long } from './basics.tsx';

type Field = Approval['fields'][number];

/** Fields whose value is an id of this service. If its name is known, the name is shown first. */
const NUMBERED: ReadonlySet<string> = new Set(['partner_id', 'unit_id']);
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'page', 'replaces', 'webhook.sandbox', 'webhook.producao']);

const fieldName = ({ field }: Field) => APPROVED_FIELD[field] ?? FIELD[field] ?? field;

/** Leaves out `replaces`, the address that a webhook must still have, if `url` shows the same address. */
function shownFields(fields: readonly Field[]): readonly Field[] {
  const replaced = fields.find(({ field }) => field === 'url')?.replaces;
  return fields.filter(({ field, value }) => field !== 'replaces' || value !== replaced);
}

export function FieldLines({ fields }: { readonly fields: readonly Field[] }) {
  return shownFields(fields).map((one) => (
    <small class="target" key={one.field}>
      {fieldName(one)}: <NewValue of={one} />
    </small>
  ));
}

/** Shows everything that a call will do, in a dialog, in the same way to the person who asks and to the approver. */
export const FieldFacts = ({ fields }: { readonly fields: readonly Field[] }) => (
  <Facts rows={shownFields(fields).map((one) => [fieldName(one), <NewValue key={one.field} of={one} />])} />
);

function NewValue({ of: one }: { readonly of: Field }) {
  const { replaces } = one;
  return (
    <>
      <FieldValue {...one} />
      {replaces !== null && (
        <div>
          <span class="soft">no lugar de</span> <FieldValue field={one.field} value={replaces} name={null} />
        </div>
      )}
    </>
  );
}

function FieldValue({ field, value, name }: Pick<Field, 'field' | 'value' | 'name'>) {
  const text = valueText(field, value);
  if (value !== null && ADDRESSES.has(field)) return <Address url={text} called={name ?? undefined} />;
  if (name === null) return <Long text={text} />;
  if (!NUMBERED.has(field)) return <Long text={`${text} (${name})`} />;
  return (
    <>
      <Long text={name} /> <span class="soft">({text})</span>
    </>
  );
}
