import { useRef, useState } from 'preact/hooks';
import { useAnswer, useWork } from '../answers.ts';
import { ask, askApproved, readApprovals } from '../api.ts';
import { type Approval, approvedCall, isOpen, openFirst } from '../approved-call.ts';
import {
  Badge,
  Button,
  Facts,
  Failed,
  FailedRead,
  Heading,
  Long,
  Moment,
  Notice,
  Refresh,
  ShownOnce,
} from '../parts/basics.tsx';
import { FieldFacts, FieldLines } from '../parts/call-fields.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { APPROVAL_STATE, APPROVAL_TONES, operationText } from '../words.ts';
import { Who } from './audit.tsx';
import { StoredDataCard } from './person.tsx';

interface Decision {
  readonly row: Approval;
  readonly decision: 'approve-approval' | 'refuse-approval';
}

const COLUMNS: readonly Column<Approval>[] = [
  {
    title: 'Quem pediu',
    cell: (row) => (
      <>
        <Who arn={row.asked_by} />
        {row.asked_by_you && <small class="soft"> você</small>}
      </>
    ),
  },
  {
    title: 'O quê',
    cell: (row) => (
      <>
        <strong>{operationText(row.operation)}</strong>
        <FieldLines fields={row.fields} />
      </>
    ),
  },
  { title: 'Por quê', cell: (row) => <Long text={row.reason} /> },
  {
    title: 'Estado',
    cell: (row) => (
      <>
        <Badge tone={APPROVAL_TONES[row.state]}>{APPROVAL_STATE[row.state]}</Badge>
        <br />
        <small class="soft">
          até <Moment at={row.expires_at} />
        </small>
      </>
    ),
  },
];

interface Made {
  readonly row: Approval;
  readonly answer: Awaited<ReturnType<typeof askApproved>>;
}

export function Approvals() {
  const query = useAnswer(readApprovals, []);
  const { answer, reload } = query;
  const [chosen, setChosen] = useState<Decision>();
  const [made, setMade] = useState<Made>();
  const { busy, error, run } = useWork();
  // Tokens of calls without a known answer, by approval. The same token returns the same key or secret.
  const tokens = useRef(new Map<string, string>());
  const decisions: Column<Approval> = {
    title: 'Decidir',
    cell: (row) => (
      <span class="row">
        {row.state === 'asked' && !row.asked_by_you && (
          <Button kind="primary" onClick={() => setChosen({ row, decision: 'approve-approval' })}>
            Aprovar
          </Button>
        )}
        {row.asked_by_you && (row.state === 'approved' || tokens.current.has(row.approval_id)) && (
          <Repeat row={row} busy={busy} onClick={() => run(() => repeat(row))} />
        )}
        {isOpen(row) && (
          <Button onClick={() => setChosen({ row, decision: 'refuse-approval' })}>
            {row.asked_by_you ? 'Desistir' : 'Recusar'}
          </Button>
        )}
      </span>
    ),
  };
  const close = () => setChosen(undefined);
  const done = () => {
    close();
    reload();
  };
  const repeat = async (row: Approval) => {
    const token = tokens.current.get(row.approval_id) ?? crypto.randomUUID();
    const call = approvedCall(row, token);
    if (!call) return;
    setMade(undefined);
    tokens.current.set(row.approval_id, token);
    setMade({ row, answer: await askApproved(row.operation, call) });
    tokens.current.delete(row.approval_id);
    reload();
  };
  return (
    <>
      <Heading title="Aprovações" about="O que uma pessoa não faz sozinha em produção." help="aprovacoes">
        <Refresh of={query} />
      </Heading>
      <FailedRead of={query} />
      <Failed error={error} />
      {made && <Result made={made} onHide={() => setMade(undefined)} />}
      {answer && (
        <Table
          caption="Pedidos das últimas 24 horas"
          columns={COLUMNS.concat(decisions)}
          rows={openFirst(answer.approvals)}
          keyOf={(row) => row.approval_id}
          empty="Ninguém pediu nada nas últimas 24 horas."
        />
      )}
      {chosen && <DecisionDialog row={chosen.row} decision={chosen.decision} onClose={close} onDone={done} />}
    </>
  );
}

interface RepeatProps {
  readonly row: Approval;
  readonly busy: boolean;
  readonly onClick: () => void;
}

function Repeat({ row, busy, onClick }: RepeatProps) {
  if (!approvedCall(row, crypto.randomUUID())) {
    return (
      <span class="soft">
        Aprovado. O pedido não guarda o CPF: <a href="#/pessoas">procure a pessoa</a> e faça o mesmo de novo.
      </span>
    );
  }
  return (
    <>
      <span class="soft">
        {row.state === 'approved' ? 'Aprovado, repita com um clique:' : 'Não se sabe se foi feito:'}
      </span>
      <Button kind="primary" onClick={onClick} busy={busy} label={`Repetir: ${operationText(row.operation)}`}>
        Repetir
      </Button>
    </>
  );
}

function Result({ made: { row, answer }, onHide }: { readonly made: Made; readonly onHide: () => void }) {
  const name = operationText(row.operation);
  if ('text' in answer) return <ShownOnce text={answer.text} what={`${name}: chave nova`} onDone={onHide} />;
  if ('secret' in answer && answer.secret !== null)
    return <ShownOnce text={answer.secret} what={`${name}: segredo novo`} onDone={onHide} />;
  const leadId = row.fields.find(({ field }) => field === 'lead_id')?.value;
  if ('person' in answer) return <StoredDataCard data={answer.person} leadId={Number(leadId)} onHide={onHide} />;
  return <Notice tone="good">Feito: {name}.</Notice>;
}

function DecisionDialog({ row, decision, onClose, onDone }: DialogProps & Decision) {
  return (
    <ChangeDialog
      title={`${operationText(decision)}: ${operationText(row.operation)}`}
      submit={operationText(decision)}
      run={async (body) => {
        await ask(decision, { params: { operation: row.operation, approval_id: row.approval_id }, body });
        onDone();
      }}
      onClose={onClose}
    >
      <FieldFacts fields={row.fields} />
      <Facts
        rows={[
          ['Pedido por', <Who key="who" arn={row.asked_by} />],
          ['Motivo do pedido', <Long key="why" text={row.reason} />],
        ]}
      />
    </ChangeDialog>
  );
}
