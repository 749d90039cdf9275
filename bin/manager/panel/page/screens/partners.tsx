import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { readKeyStart } from '#shared/domain/partners/key-start.ts';
import { PREFIX } from '#shared/domain/partners/partner.ts';
import { usePages } from '../answers.ts';
import { ask } from '../api.ts';
import { Badge, Button, Heading, Moment, Notice, Refresh } from '../parts/basics.tsx';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { type Column, List } from '../parts/table.tsx';
import { keyStartHref, partnerHref } from '../router.ts';
import { keyStartText } from '../words.ts';

type PartnerRow = AnswerOf<'list-partners'>['partners'][number];

const COLUMNS: readonly Column<PartnerRow>[] = [
  { title: 'Nome', cell: (row) => <a href={partnerHref(row.partner_id)}>{row.name}</a> },
  { title: 'Número', cell: (row) => row.partner_id, numeric: true },
  {
    title: 'Produção',
    cell: (row) => (row.validated_at ? <Badge tone="good">Validado</Badge> : <Badge tone="calm">Só sandbox</Badge>),
  },
  { title: 'Criado em', cell: (row) => <Moment at={row.created_at} /> },
];

/** Returns the address of the partner that has this unit. If no partner has it, takes the number as a partner's. */
async function ofNumber(number: string): Promise<string> {
  const [owner] = (await ask('list-partners', { query: { unit_id: number } })).partners;
  return owner ? partnerHref(owner.partner_id, 'unidades') : partnerHref(Number(number));
}

export function Partners() {
  const [typed, setTyped] = useState('');
  const [name, setName] = useState('');
  const [creating, setCreating] = useState(false);
  const list = usePages(
    async (cursor) => {
      const answer = await ask('list-partners', { query: { name, limit: '50', cursor } });
      return { rows: answer.partners, next: answer.next_cursor };
    },
    [name],
  );
  const [error, setError] = useState<unknown>();
  const [noKey, setNoKey] = useState<string>();
  /**
   * Opens the keys that begin like a text. If the text is too short, says how long it must be. Sends nothing of the
   * text.
   */
  const openKeys = (text: string) => {
    const key = readKeyStart(text);
    if (key.kind === 'key' || key.kind === 'partner') location.hash = keyStartHref(key);
    else setNoKey(keyStartText(key));
  };
  const search = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    setNoKey(undefined);
    const wanted = typed.trim();
    const keyAt = wanted.indexOf(PREFIX.producao);
    if (keyAt >= 0) openKeys(wanted.slice(keyAt));
    else if (/^[1-9]\d{0,15}$/.test(wanted)) await ofNumber(wanted).then((href) => (location.hash = href), setError);
    else setName(wanted);
  };
  return (
    <>
      <Heading
        title="Parceiros"
        about="Quem integra: cada parceiro tem unidades, chaves e um webhook por ambiente."
        help="parceiros"
      >
        <Refresh of={list} />
        <Button kind="primary" onClick={() => setCreating(true)}>
          Novo parceiro
        </Button>
      </Heading>
      <search>
        <form class="filters" onSubmit={search}>
          <TextField
            label="Parceiro"
            hint="Nome, número (dele ou da unidade) ou começo de uma chave"
            type="search"
            value={typed}
            onChange={setTyped}
          />
          <Button submits busy={list.loading}>
            Procurar
          </Button>
        </form>
      </search>
      {noKey && <Notice tone="warn">{noKey}</Notice>}
      <List
        of={{ ...list, error: list.error ?? error }}
        caption="Parceiros"
        columns={COLUMNS}
        keyOf={(row) => row.partner_id}
        empty={name === '' ? 'Ainda não há parceiros.' : `Nenhum parceiro com “${name}” no nome.`}
      />
      {creating && <NewPartner onClose={() => setCreating(false)} />}
    </>
  );
}

function NewPartner({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <ChangeDialog
      title="Novo parceiro"
      submit="Criar parceiro"
      onClose={onClose}
      run={async (notes) => {
        const { partner } = await ask('create-partner', { body: { name, ...notes } });
        // The index of the list may be a second late, but the partner's own page is read from its row.
        location.hash = partnerHref(partner.partner_id);
      }}
    >
      <p>Começa só com o sandbox. A produção abre quando for validado.</p>
      <TextField label="Nome" hint="Como a empresa é conhecida." value={name} onChange={setName} required />
    </ChangeDialog>
  );
}
