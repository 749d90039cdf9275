import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask, type PartProps } from '../api.ts';
import { Button, FailedRead, Long, Moment, PartHeading, Refresh } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { type Column, Table } from '../parts/table.tsx';

type Unit = AnswerOf<'list-units'>['units'][number];

export function Units({ partner, onChanged }: PartProps) {
  const { partner_id: partnerId } = partner;
  const query = useAnswer(() => ask('list-units', { query: { partner_id: String(partnerId) } }), [partnerId]);
  const { answer, reload } = query;
  const [open, setOpen] = useState<'new' | Unit>();
  const columns: readonly Column<Unit>[] = [
    { title: 'Nome', cell: (row) => row.name },
    { title: 'Número', cell: (row) => row.unit_id, numeric: true },
    { title: 'CRECI', cell: (row) => row.creci },
    { title: 'Contato', cell: (row) => row.contact && <Long text={row.contact} /> },
    { title: 'Criada em', cell: (row) => <Moment at={row.created_at} /> },
    {
      title: 'Ações',
      cell: (row) => (
        <Button kind="quiet" onClick={() => setOpen(row)} label={`Alterar a unidade ${row.name}`}>
          Alterar
        </Button>
      ),
    },
  ];
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
    onChanged();
  };
  return (
    <>
      <PartHeading title="Unidades" about="Uma loja ou filial. Os dados de uma unidade não são vistos por outra.">
        <Refresh of={query} />
        <Button kind="primary" onClick={() => setOpen('new')}>
          Nova unidade
        </Button>
      </PartHeading>
      <FailedRead of={query} />
      {answer && (
        <Table
          caption="Unidades"
          columns={columns}
          rows={answer.units}
          keyOf={(row) => row.unit_id}
          empty="Ainda não há unidades: crie a primeira para poder criar chaves."
        />
      )}
      {open === 'new' && <NewUnit partnerId={partnerId} onClose={close} onDone={done} />}
      {open && open !== 'new' && <ChangedUnit unit={open} onClose={close} onDone={done} />}
    </>
  );
}

function NewUnit({ partnerId, onClose, onDone }: DialogProps & { readonly partnerId: number }) {
  const [name, setName] = useState('');
  return (
    <ChangeDialog
      title="Nova unidade"
      submit="Criar unidade"
      onClose={onClose}
      run={async (notes) => {
        await ask('create-unit', { body: { partner_id: partnerId, name, ...notes } });
        onDone();
      }}
    >
      <TextField label="Nome" value={name} onChange={setName} required />
    </ChangeDialog>
  );
}

function ChangedUnit({ unit, onClose, onDone }: DialogProps & { readonly unit: Unit }) {
  const [name, setName] = useState(unit.name);
  const [creci, setCreci] = useState(unit.creci ?? '');
  const [contact, setContact] = useState(unit.contact ?? '');
  return (
    <ChangeDialog
      title={`Alterar a unidade ${unit.name}`}
      submit="Salvar"
      onClose={onClose}
      run={async (notes) => {
        const replaces = { name: unit.name, creci: unit.creci ?? '', contact: unit.contact ?? '' };
        await ask('present-unit', {
          params: { unit_id: unit.unit_id },
          body: {
            partner_id: unit.partner_id,
            name,
            creci: creci.trim(),
            contact: contact.trim(),
            replaces,
            ...notes,
          },
        });
        onDone();
      }}
    >
      <p>Assim os documentos para os clientes da unidade a apresentam.</p>
      <TextField label="Nome" value={name} onChange={setName} required />
      <TextField label="CRECI" hint="Vazio, não aparece." value={creci} onChange={setCreci} />
      <TextField label="Contato" hint="Telefone ou site. Vazio, não aparece." value={contact} onChange={setContact} />
    </ChangeDialog>
  );
}
