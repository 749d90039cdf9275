import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask, type PartProps } from '../api.ts';
import { Badge, Button, FailedRead, Moment, Notice, PartHeading, Refresh } from '../parts/basics.tsx';
import { ChangeDialog, useToken } from '../parts/change-dialog.tsx';
import { Check } from '../parts/fields.tsx';
import { deliveryHref } from '../router.ts';
import { EVIDENCE, STEP } from '../words.ts';

type Step = AnswerOf<'show-sandbox-checklist'>['steps'][number];

export function Checklist({ partner, onChanged }: PartProps) {
  const { partner_id: partnerId, units } = partner;
  const query = useAnswer(() => ask('show-sandbox-checklist', { params: { partner_id: partnerId } }), [partnerId]);
  const { answer, reload } = query;
  const [validating, setValidating] = useState(false);
  const [incomplete, setIncomplete] = useState(false);
  const token = useToken();
  const unitOf = (unitId: number) => units.find(({ unit_id }) => unit_id === unitId)?.name ?? unitId;
  const done = answer?.steps.filter(({ exercised }) => exercised).length ?? 0;
  return (
    <>
      <FailedRead of={query} />
      {answer && (
        <>
          <PartHeading
            title="O que o parceiro já fez no sandbox"
            about={`${done} de ${answer.steps.length} passos. A lista vem das próprias chamadas do parceiro.`}
          >
            <Refresh of={query} />
            {!answer.validated_at && (
              <Button kind="primary" onClick={() => setValidating(true)}>
                Validar para produção
              </Button>
            )}
          </PartHeading>
          {answer.validated_at && (
            <Notice tone="good">
              Validado em <Moment at={answer.validated_at} />: chaves de produção podem ser criadas.
            </Notice>
          )}
          {answer.cut && (
            <Notice tone="warn">
              Há mais leads no sandbox de uma unidade, ou mais eventos do parceiro, do que foram vistos: só os mais
              novos contam.
            </Notice>
          )}
          <ol class="steps">
            {answer.steps.map((step) => (
              <li key={step.step} class={step.exercised ? 'done' : ''}>
                <span class="what">{STEP[step.step]}</span>
                {step.exercised ? <Badge tone="good">Feito</Badge> : <Badge tone="calm">Falta</Badge>}
                <EvidenceText step={step} unitOf={unitOf} />
              </li>
            ))}
          </ol>
        </>
      )}
      {validating && answer && (
        <ChangeDialog
          title="Validar para produção"
          submit="Validar parceiro"
          onClose={() => setValidating(false)}
          run={async (notes) => {
            await ask('validate-partner', { params: { partner_id: partnerId }, body: { incomplete, token, ...notes } });
            setValidating(false);
            reload();
            onChanged();
          }}
        >
          <p>
            <strong>{partner.name}</strong> poderá ter chaves de produção: chamadas de verdade, análises enviadas aos
            bancos.
          </p>
          {!answer.complete && (
            <>
              <Notice tone="warn">
                {answer.missing.length === 1 ? 'Falta' : 'Faltam'} {answer.missing.length} de {answer.steps.length}{' '}
                passos no sandbox.
              </Notice>
              <Check label="Validar mesmo com passos faltando" checked={incomplete} onChange={setIncomplete} />
            </>
          )}
        </ChangeDialog>
      )}
    </>
  );
}

function EvidenceText({ step: { evidence }, unitOf }: { step: Step; unitOf: (unitId: number) => string | number }) {
  if (!evidence) return null;
  const text = `${EVIDENCE[evidence.kind]} ${evidence.id}`;
  return (
    <span class="soft evidence">
      {evidence.kind === 'event' ? <a href={deliveryHref(String(evidence.id))}>{text}</a> : text}, unidade{' '}
      {unitOf(evidence.unit_id)}, <Moment at={evidence.at} />
    </span>
  );
}
