import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { ask } from '../api.ts';
import { secretTimeline } from '../moments.ts';
import { Moment, Notice } from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps, useToken } from '../parts/change-dialog.tsx';
import { Check, SelectField } from '../parts/fields.tsx';
import { ENVIRONMENT } from '../words.ts';

interface SecretRotationProps extends DialogProps<[secret: string]> {
  readonly view: AnswerOf<'show-webhook'>['webhooks'][number];
}

export function SecretRotation({ view, onClose, onDone }: SecretRotationProps) {
  const token = useToken();
  const [how, setHow] = useState<'overlap' | 'at-once'>(view.secret_opens ? 'overlap' : 'at-once');
  const [drop, setDrop] = useState(false);
  const runs = secretTimeline(view.previous_until, Date.now()) !== undefined;
  return (
    <ChangeDialog
      title={`Trocar o segredo do webhook: ${ENVIRONMENT[view.environment]}`}
      submit="Trocar o segredo"
      danger
      repeat={{ what: 'o número do parceiro', text: String(view.partner_id) }}
      onClose={onClose}
      run={async (because) => {
        const { secret } = await ask('rotate-webhook-secret', {
          params: { partner_id: view.partner_id, environment: view.environment },
          body: { overlap: how === 'overlap', drop_previous: drop, token: `${token} ${how}`, ...because },
        });
        onDone(secret);
      }}
    >
      <SelectField
        label="O segredo atual"
        value={how}
        onChange={setHow}
        options={[
          ['overlap', 'assina também por mais 24 horas'],
          ['at-once', 'deixa de valer já: vazou'],
        ]}
        hint={
          how === 'overlap'
            ? 'O parceiro tem 24 horas para passar ao novo; nada se perde.'
            : 'Até que o parceiro use o novo, as assinaturas não conferem para ele.'
        }
      />
      {runs && (
        <>
          <Notice tone="warn">Uma troca anterior ainda está no prazo: dois segredos assinam agora.</Notice>
          <Check label="O segredo anterior pode deixar de valer já" checked={drop} onChange={setDrop} />
        </>
      )}
    </ChangeDialog>
  );
}

export function Overlap({ until }: { readonly until: string | null }) {
  const timeline = secretTimeline(until, Date.now());
  if (!timeline) return <p>Um só segredo assina os eventos.</p>;
  const percent = Math.round(timeline.passed * 100);
  return (
    <div class="overlap">
      <p>Dois segredos assinam cada evento: o novo e, até o fim do prazo, o anterior.</p>
      <progress aria-label={`Prazo do segredo anterior: ${percent}% passou`} value={percent} max={100} />
      <ol>
        <li>
          <strong>Troca</strong>
          <Moment at={timeline.from} />
        </li>
        <li>
          <strong>Agora</strong>
          <span>os dois valem</span>
        </li>
        <li>
          <strong>Só o novo</strong>
          <Moment at={timeline.until} far />
        </li>
      </ol>
    </div>
  );
}
