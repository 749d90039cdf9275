import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask } from '../api.ts';
import { Badge, Button, Failed, Heading, Moment } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { APPROVAL_STATE, APPROVAL_TONES, APPROVED_FIELD, FIELD, operationText, valueText } from '../words.ts';
import { Who } from './audit.tsx';

type Approval = AnswerOf<'list-approvals'>['approvals'][number];

/** Shows everything that a requested call will do, one field a line. */
function Fields({ fields }: Pick<Approval, 'fields'>) {
  return fields.map(({ field, value, name, replaces }) => (
    <small class="target" key={field}>
      {APPROVED_FIELD[field] ?? FIELD[field] ?? field}: {valueText(value)}
      {name !== null && ` (${name})`}
      {replaces !== null && <span class="soft"> no lugar de {valueText(replaces)}</span>}
    </small>
  ));
}

/** The approval on which the person decides, and the decision. */
interface Decision {
  readonly row: Approval;
  readonly decision: 'approve-approval' | 'refuse-approval';
}

const COLUMNS: readonly Column<Approval>[] = [
  { title: 'Quem pediu', cell: (row) => <Who arn={row.asked_by} /> },
  {
    title: 'O quê',
    cell: (row) => (
      <>
        <strong>{operationText(row.operation)}</strong>
        <Fields fields={row.fields} />
      </>
    ),
  },
  { title: 'Por quê', cell: (row) => <span class="long">{row.reason}</span> },
  { title: 'Vale até', cell: (row) => <Moment at={row.expires_at} /> },
  { title: 'Estado', cell: (row) => <Badge tone={APPROVAL_TONES[row.state]}>{APPROVAL_STATE[row.state]}</Badge> },
];

/** Calls that one person may not make: who asked for what, so that another person approves or refuses. */
export function Approvals() {
  const { answer, error, reload } = useAnswer(() => ask('list-approvals'), []);
  const [chosen, setChosen] = useState<Decision>();
  const decisions: Column<Approval> = {
    title: 'Decidir',
    cell: (row) => (
      <>
        {row.state === 'asked' && (
          <Button onClick={() => setChosen({ row, decision: 'approve-approval' })}>Aprovar</Button>
        )}
        {(row.state === 'asked' || row.state === 'approved') && (
          <Button onClick={() => setChosen({ row, decision: 'refuse-approval' })}>Recusar</Button>
        )}
      </>
    ),
  };
  const close = () => setChosen(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <>
      <Heading title="Aprovações" about="O que uma pessoa não faz sozinha em produção." help="aprovacoes">
        <Button onClick={reload}>Atualizar</Button>
      </Heading>
      <Failed error={error} />
      {answer && (
        <Table
          caption="Pedidos das últimas 24 horas"
          columns={COLUMNS.concat(decisions)}
          rows={answer.approvals}
          keyOf={(row) => row.approval_id}
          empty="Ninguém pediu nada nas últimas 24 horas."
        />
      )}
      {chosen && <DecisionDialog row={chosen.row} decision={chosen.decision} onClose={close} onDone={done} />}
    </>
  );
}

function DecisionDialog({ row, decision, onClose, onDone }: DialogProps & Decision) {
  return (
    <ChangeDialog
      title={`${operationText(decision)}: ${operationText(row.operation)}`}
      submit="Confirmar"
      run={async (body) => {
        await ask(decision, { params: { operation: row.operation, approval_id: row.approval_id }, body });
        onDone();
      }}
      onClose={onClose}
    >
      <p>
        Pedido por <Who arn={row.asked_by} />: {row.reason}
      </p>
      <Fields fields={row.fields} />
    </ChangeDialog>
  );
}
