import type { AnswerOf } from '#shared/administration/operations.ts';
import { usePages } from '../answers.ts';
import { failingPage } from '../failing-pages.ts';
import { Address, Badge, Heading, Moment, Refresh } from '../parts/basics.tsx';
import { partnerColumn } from '../parts/partner-picker.tsx';
import { type Column, List } from '../parts/table.tsx';
import { DISABLED_BECAUSE, ENVIRONMENT } from '../words.ts';

type Row = AnswerOf<'list-failing-webhooks'>['webhooks'][number];

const COLUMNS: readonly Column<Row>[] = [
  partnerColumn('webhook'),
  { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
  { title: 'Falha desde', cell: (row) => <Moment at={row.failing_since} far /> },
  { title: 'Tentativas sem sucesso', cell: (row) => row.failures, numeric: true },
  {
    title: 'Situação',
    cell: ({ enabled, disabled_because }) => (
      <>
        <Badge tone={enabled ? 'warn' : 'bad'}>{enabled ? 'Ligado' : 'Desligado'}</Badge>
        {disabled_because && <small class="soft"> {DISABLED_BECAUSE[disabled_because]}</small>}
      </>
    ),
  },
  { title: 'Endereço', cell: (row) => <Address url={row.url} /> },
];

export function FailingWebhooks() {
  const list = usePages((cursor) => failingPage(cursor), []);
  return (
    <>
      <Heading
        title="Webhooks com falha"
        about="De todos os parceiros: primeiro os que falham há mais tempo, depois os que o serviço desligou."
        help="webhooks-com-falha"
      >
        <Refresh of={list} />
      </Heading>
      <List
        of={list}
        caption="Webhooks com falha"
        columns={COLUMNS}
        keyOf={(row) => `${row.partner_id} ${row.environment}`}
        empty="Nenhum webhook falha agora."
      />
    </>
  );
}
