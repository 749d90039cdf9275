import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { useAnswer } from '../answers.ts';
import { ask, type PartProps, runPages } from '../api.ts';
import {
  Badge,
  Button,
  Facts,
  Failed,
  Moment,
  Notice,
  PartHeading,
  Progress,
  Refresh,
  ShownOnce,
} from '../parts/basics.tsx';
import { ChangeDialog, type DialogProps } from '../parts/change-dialog.tsx';
import { DISABLED_BECAUSE, FAILURE_CLASS, keptText } from '../words.ts';
import { Overlap, SecretRotation } from './secret.tsx';
import { WebhookAddress } from './webhook-address.tsx';

type View = NonNullable<AnswerOf<'show-webhook'>['webhook']>;
type Ping = AnswerOf<'ping-webhook'>;

/** A partner's webhook: where events go, whether they arrive, and the secret that signs them. */
export function Webhook({ partner, onChanged }: PartProps) {
  const { partner_id: partnerId } = partner;
  const query = useAnswer(() => ask('show-webhook', { params: { partner_id: partnerId } }), [partnerId]);
  const { answer, error, reload } = query;
  const [secret, setSecret] = useState<string>();
  const done = (fresh?: string | null) => {
    if (fresh) setSecret(fresh);
    reload();
    onChanged();
  };
  return (
    <>
      <Failed error={error} />
      {secret && <ShownOnce text={secret} what="Segredo do webhook" onDone={() => setSecret(undefined)} />}
      {answer && !answer.webhook && (
        <section class="card">
          <h2>Endereço</h2>
          <p>Sem endereço, os eventos não são enviados. Peça ao parceiro o endereço que recebe os eventos.</p>
          <WebhookAddress partnerId={partnerId} onDone={done} />
        </section>
      )}
      {answer?.webhook && <Existing view={answer.webhook} query={{ ...query, reload: done }} onDone={done} />}
    </>
  );
}

interface ExistingProps {
  readonly view: View;
  readonly query: Parameters<typeof Refresh>[0]['of'];
  readonly onDone: (secret?: string | null) => void;
}

function Existing({ view, query, onDone }: ExistingProps) {
  const [open, setOpen] = useState<'ping' | 'rotate' | 'enable' | 'disable' | 'address'>();
  const [ping, setPing] = useState<Ping>();
  const close = () => setOpen(undefined);
  const done = (secret?: string | null) => {
    close();
    onDone(secret);
  };
  return (
    <div class="cards">
      <section class="card wide">
        <PartHeading
          title={<>Situação {view.enabled ? <Badge tone="good">Ligado</Badge> : <Badge tone="bad">Desligado</Badge>}</>}
        >
          <Refresh of={query} />
          <Button onClick={() => setOpen('ping')}>Enviar teste</Button>
          {view.enabled ? (
            <Button kind="danger" onClick={() => setOpen('disable')}>
              Desligar
            </Button>
          ) : (
            <Button kind="primary" onClick={() => setOpen('enable')}>
              Ligar
            </Button>
          )}
        </PartHeading>
        <WhyOff view={view} />
        {ping && <PingResult ping={ping} />}
        <Facts
          rows={[
            ['Falhas seguidas', view.failures],
            ['Falhando desde', <Moment key="since" at={view.failing_since} far />],
            ['Eventos guardados', keptText(view.kept)],
          ]}
        />
      </section>
      <section class="card">
        <h2>Endereço</h2>
        <p class="long">
          <code>{view.url}</code>
        </p>
        <Button onClick={() => setOpen(open === 'address' ? undefined : 'address')}>
          {open === 'address' ? 'Manter o endereço' : 'Mudar o endereço'}
        </Button>
        {open === 'address' && <WebhookAddress partnerId={view.partner_id} onDone={done} />}
      </section>
      <section class="card">
        <h2>Segredo</h2>
        {!view.secret_opens && (
          <Notice tone="bad">
            O segredo não pode ser lido, e nada é enviado. Troque-o sem prazo para fazer um novo e entregue-o ao
            parceiro.
          </Notice>
        )}
        <Overlap until={view.previous_until} />
        <Button onClick={() => setOpen('rotate')}>Trocar o segredo</Button>
      </section>
      {open === 'ping' && (
        <ChangeDialog
          title="Enviar evento de teste"
          submit="Enviar teste"
          onClose={close}
          run={async (because) => {
            setPing(await ask('ping-webhook', { params: { partner_id: view.partner_id }, body: because }));
            done();
          }}
        >
          <p>
            Um evento <code>webhook.teste</code> assinado vai agora ao endereço, mesmo com o webhook desligado. O
            parceiro responde 2xx e o descarta.
          </p>
        </ChangeDialog>
      )}
      {open === 'rotate' && <SecretRotation view={view} onClose={close} onDone={done} />}
      {open === 'enable' && <EnableDialog view={view} onClose={close} onDone={done} />}
      {open === 'disable' && (
        <ChangeDialog
          title="Desligar o webhook"
          submit="Desligar"
          danger
          repeat={{ what: 'o número do parceiro', text: String(view.partner_id) }}
          onClose={close}
          run={async (because) => {
            await ask('disable-webhook', { params: { partner_id: view.partner_id }, body: because });
            done();
          }}
        >
          <p>
            O parceiro deixa de receber eventos. Eles ficam guardados, por até 90 dias, até que o webhook seja ligado.
          </p>
        </ChangeDialog>
      )}
    </div>
  );
}

function WhyOff({ view }: { readonly view: View }) {
  if (view.enabled) return null;
  const why = view.disabled_because ? DISABLED_BECAUSE[view.disabled_because] : 'Está desligado.';
  return (
    <Notice tone="warn">
      <p>{why}</p>
      <p>
        {view.kept === 0
          ? 'Eventos novos ficam guardados até que seja ligado.'
          : `${keptText(view.kept)} eventos esperam guardados; saem assim que for ligado.`}
      </p>
    </Notice>
  );
}

function PingResult({ ping }: { readonly ping: Ping }) {
  const { delivered, status, failure, milliseconds, detail } = ping;
  const answered = status === null ? '' : ` (HTTP ${status})`;
  return (
    <Notice tone={delivered ? 'good' : 'bad'}>
      <p>
        {delivered
          ? `O teste chegou${answered} em ${Math.round(milliseconds)} ms.`
          : `O teste falhou${answered}: ${failure ? FAILURE_CLASS[failure] : 'sem resposta'}.`}
      </p>
      {!delivered && detail && <pre class="detail">{detail}</pre>}
    </Notice>
  );
}

function EnableDialog({ view, onClose, onDone }: DialogProps & { readonly view: View }) {
  const [progress, setProgress] = useState<{ done: number; total: number | null }>();
  return (
    <ChangeDialog
      title="Ligar o webhook"
      submit="Ligar"
      onClose={onClose}
      run={async (because) => {
        let released = 0;
        await runPages(
          (cursor) =>
            ask('enable-webhook', {
              params: { partner_id: view.partner_id },
              body: { cursor, ...because },
            }),
          (page) => {
            released += page.released;
            setProgress({ done: released, total: page.total });
          },
        );
        onDone();
      }}
    >
      <p>
        {view.kept === 0
          ? 'Não há eventos guardados.'
          : `${keptText(view.kept)} eventos guardados vão ao parceiro, um depois do outro.`}{' '}
        Confirme antes, com um teste, que o endereço responde.
      </p>
      {progress && <Progress label="Eventos enviados" {...progress} />}
    </ChangeDialog>
  );
}
