import { useState } from 'preact/hooks';
import type { AnswerOf, SentBody } from '#shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask, preview } from '../api.ts';
import { momentOf } from '../moments.ts';
import { Badge, Button, Facts, FailedRead, Heading, Moment, Notice, PartHeading, Refresh } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps, useToken } from '../parts/change-dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Named, NamedUnit } from '../parts/partner-picker.tsx';
import { StoredData } from '../parts/stored-data.tsx';
import { counted, ENVIRONMENT, ERASURE_STATE, FIELD, ROLE } from '../words.ts';

/** A person in one unit and environment, with the CPF if the person was found by it. */
export type Subject = SentBody<'erase-lead'>;
type Export = AnswerOf<'export-lead'>['person'];
type Erasure = AnswerOf<'erase-lead'>['erasure'];

interface PersonProps {
  readonly subject: Subject;
  readonly reason: string;
}

export function Person({ subject, reason }: PersonProps) {
  const query = useAnswer(() => preview('erase-lead', { body: { ...subject, reason } }), [JSON.stringify(subject)]);
  const { answer, reload } = query;
  const [corrected, setCorrected] = useState<string>();
  const [open, setOpen] = useState<'export' | 'correct' | 'withdraw' | 'erase'>();
  const [exported, setExported] = useState<Export>();
  const token = useToken();
  // The erasure's answer is kept here, because nothing leads to a spouse once they are erased.
  const [erasureAnswer, setErasureAnswer] = useState<Erasure>();
  const erasure = answer?.erasure ?? erasureAnswer;
  const isSpouse = subject.role === 'spouse';
  // A spouse is not found any more after an erasure; a holder still is, by the lead's number.
  const canExport = answer?.known && !(isSpouse && erasure?.state === 'apagado');
  const canWithdraw = answer?.known && !isSpouse && (!erasure || erasure.state === 'aguardando');
  const close = () => setOpen(undefined);
  const done = (text?: string) => {
    setExported(undefined);
    setCorrected(text);
    close();
    reload();
  };
  return (
    <>
      <Heading title={`Lead ${subject.lead_id}`} help="pessoas">
        <Refresh of={query} />
        {canExport && <Button onClick={() => setOpen('export')}>Ver e exportar os dados</Button>}
        {answer?.known && !erasure && !isSpouse && <Button onClick={() => setOpen('correct')}>Corrigir</Button>}
        {canWithdraw && <Button onClick={() => setOpen('withdraw')}>Revogar o consentimento</Button>}
        {answer?.known && !erasure && (
          <Button kind="danger" onClick={() => setOpen('erase')}>
            Apagar os dados
          </Button>
        )}
      </Heading>
      <Facts
        rows={[
          ['Parceiro', <Named key="partner" partnerId={subject.partner_id} />],
          ['Unidade', <NamedUnit key="unit" partnerId={subject.partner_id} unitId={subject.unit_id} />],
          ['Ambiente', ENVIRONMENT[subject.environment]],
          ['A pessoa é', ROLE[subject.role ?? 'holder']],
        ]}
      />
      <FailedRead of={query} />
      {corrected && <Notice tone="good">{corrected}</Notice>}
      {answer && !answer.known && !erasure && <Notice tone="calm">Não há este lead ali: confira os números.</Notice>}
      {erasure && <ErasureSteps erasure={erasure} />}
      {exported && <StoredDataCard data={exported} leadId={subject.lead_id} onHide={() => setExported(undefined)} />}
      {open === 'export' && (
        <ChangeDialog
          title="Ver e exportar os dados"
          submit="Mostrar os dados"
          onClose={close}
          run={async (because) => {
            setExported(
              (await ask('export-lead', { body: { ...exportedSubject(subject), token, ...because } })).person,
            );
            close();
          }}
        >
          <p>
            Lead, simulações, análises, formulários e consentimentos da pessoa nesta unidade aparecem na tela; daqui
            podem ser salvos para ela. Eventos de webhook e a auditoria não entram.
          </p>
        </ChangeDialog>
      )}
      {open === 'correct' && <Correct subject={subject} onClose={close} onDone={done} />}
      {open === 'withdraw' && <Withdraw subject={subject} onClose={close} onDone={done} />}
      {open === 'erase' && (
        <ChangeDialog
          title="Apagar os dados da pessoa"
          submit="Apagar para sempre"
          danger
          repeat={{ what: 'o número do lead', text: String(subject.lead_id) }}
          onClose={close}
          run={async (because) => {
            setErasureAnswer((await ask('erase-lead', { body: { ...subject, ...because } })).erasure);
            done();
          }}
        >
          <p>
            {isSpouse
              ? 'Os dados do cônjuge saem dos formulários do titular; o lead e as análises dele ficam. '
              : 'Lead, simulações e formulários desta unidade são apagados em duas passagens, a segunda 15 minutos depois. '}
            <strong>Não há como desfazer.</strong>
          </p>
          <ul>
            <li>Com análise pendente, a exclusão espera o resultado e segue sozinha.</li>
            <li>A prova do consentimento fica guardada, cifrada, por 5 anos: a lei o permite.</li>
            <li>Cada unidade e ambiente em que a pessoa é conhecida se apaga à parte.</li>
          </ul>
        </ChangeDialog>
      )}
    </>
  );
}

/** A holder is named only by the lead: a request for approval has no CPF. A spouse is found only by the CPF. */
const exportedSubject = ({ cpf, ...subject }: Subject): Subject =>
  subject.role === 'spouse' ? { ...subject, cpf } : subject;

/**
 * Corrects fields that no partner may change. After a correction of the CPF, a search for the right CPF finds the lead.
 */
function Correct({ subject, onClose, onDone }: DialogProps<[text: string]> & { readonly subject: Subject }) {
  const [cpf, setCpf] = useState('');
  const [birth, setBirth] = useState('');
  const { partner_id, unit_id, environment, lead_id } = subject;
  return (
    <ChangeDialog
      title="Corrigir os dados da pessoa"
      submit="Corrigir"
      onClose={onClose}
      run={async (because) => {
        const place = { partner_id, unit_id, environment, lead_id };
        const right = { cpf: cpf || undefined, birth_date: birth || undefined };
        const { corrected } = await ask('correct-lead', { body: { ...place, ...right, ...because } });
        const fields = corrected.map((field) => FIELD[field]).join(' e ');
        onDone(fields ? `Corrigido: ${fields}.` : 'Nada mudou: já estava assim.');
      }}
    >
      <p>Só com as análises terminadas. O que já foi a um banco fica como foi; a auditoria não guarda os valores.</p>
      <TextField label="CPF certo" value={cpf} onChange={setCpf} />
      <TextField label="Nascimento certo" type="date" value={birth} onChange={setBirth} />
    </ChangeDialog>
  );
}

function Withdraw({ subject, onClose, onDone }: DialogProps<[text: string]> & { readonly subject: Subject }) {
  const [at, setAt] = useState('');
  const [channel, setChannel] = useState('');
  const { partner_id, unit_id, environment, lead_id } = subject;
  return (
    <ChangeDialog
      title="Registrar a revogação do consentimento"
      submit="Registrar"
      danger
      repeat={{ what: 'o número do lead', text: String(lead_id) }}
      onClose={onClose}
      run={async (because) => {
        const place = { partner_id, unit_id, environment, lead_id };
        const told = { withdrawn_at: momentOf(at) ?? '', channel };
        onDone(withdrawalText(await ask('withdraw-lead-consent', { body: { ...place, ...told, ...because } })));
      }}
    >
      <p>
        Uma nova análise passa a exigir um consentimento mais novo. A que o banco já tem segue; a que ele não recebeu
        termina cancelada. A revogação fica guardada por 5 anos, como prova.
      </p>
      <TextField label="Revogado em" type="datetime-local" value={at} onChange={setAt} required />
      <TextField label="Canal" value={channel} onChange={setChannel} placeholder="carta, telefone, app" required />
    </ChangeDialog>
  );
}

function withdrawalText({ is_new, analyses }: AnswerOf<'withdraw-lead-consent'>): string {
  const first = is_new ? 'Revogação registrada.' : 'Já havia uma revogação deste momento ou posterior: vale ela.';
  const sent = analyses.filter(({ is_sent }) => is_sent).length;
  const inDoubt = analyses.length - sent;
  const texts = [first];
  if (sent > 0) texts.push(`${counted(sent, 'análise segue', 'análises seguem')}: o banco já tem a consulta.`);
  if (inDoubt > 0)
    texts.push(
      `${counted(inDoubt, 'análise termina cancelada', 'análises terminam canceladas')}, se o banco não a tem.`,
    );
  return texts.join(' ');
}

function ErasureSteps({ erasure }: { readonly erasure: Erasure }) {
  const [first, second] = erasure.passes;
  const steps = [
    { what: 'Exclusão pedida', done: true, at: erasure.requested_at, says: undefined },
    {
      what: 'Análises pendentes terminadas',
      done: erasure.state !== 'aguardando',
      at: undefined,
      says: erasure.state === 'aguardando' ? `Espera ${counted(erasure.pending, 'análise', 'análises')}` : undefined,
    },
    { what: 'Primeira passagem', done: first !== undefined, at: first?.at, says: first && passText(first) },
    { what: 'Segunda passagem', done: second !== undefined, at: second?.at, says: second && passText(second) },
  ];
  const over = erasure.state === 'apagado' && erasure.next_check_at === null;
  return (
    <section class="card">
      <h2>
        Exclusão <Badge tone={over ? 'good' : 'warn'}>{over ? 'Terminada' : ERASURE_STATE[erasure.state]}</Badge>
      </h2>
      {erasure.cause && <p class="soft">Ninguém a pediu: o prazo do lead sem uso terminou.</p>}
      {!over && (
        <p class="soft">
          Segue sozinha
          {erasure.next_check_at && (
            <>
              ; próximo passo em <Moment at={erasure.next_check_at} />
            </>
          )}
          .
        </p>
      )}
      <ol class="steps">
        {steps
          .filter(({ done }) => done || !over)
          .map(({ what, done, at, says }) => (
            <li key={what} class={done ? 'done' : ''}>
              <span class="what">{what}</span>
              {done ? <Badge tone="good">Feito</Badge> : <Badge tone="calm">Falta</Badge>}
              <span class="soft evidence">
                {says}
                {says && at && ', em '}
                {at && <Moment at={at} />}
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}

const passText = ({ opportunities, forms, analyses, consents }: Erasure['passes'][number]) =>
  [
    `apagou ${counted(opportunities, 'simulação', 'simulações')} e ${counted(forms, 'formulário', 'formulários')}`,
    `guardou ${counted(analyses, 'análise', 'análises')} e ${counted(consents, 'consentimento', 'consentimentos')}`,
  ].join('; ');

interface StoredDataCardProps {
  readonly data: Export;
  readonly leadId: number;
  readonly onHide: () => void;
}

export function StoredDataCard({ data, leadId, onHide }: StoredDataCardProps) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }));
    const link = Object.assign(document.createElement('a'), { href: address, download: `lead-${leadId}.json` });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <section class="card">
      <PartHeading title="O que guardamos">
        <Button kind="primary" onClick={save}>
          Salvar arquivo
        </Button>
        <Button onClick={onHide}>Esconder</Button>
      </PartHeading>
      <Notice tone="warn">Dados pessoais: salve só para entregar à pessoa, e apague o arquivo depois.</Notice>
      <StoredData value={data} />
    </section>
  );
}
