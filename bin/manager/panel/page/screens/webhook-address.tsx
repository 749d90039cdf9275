import { useRef, useState } from 'preact/hooks';
import type { PreviewOf } from '#shared/administration/operations.ts';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { useTyped } from '../answers.ts';
import { ask, preview } from '../api.ts';
import { Button, Failed, Notice } from '../parts/basics.tsx';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { TextField } from '../parts/fields.tsx';

type Vetted = PreviewOf<'set-webhook'>;

/** A text that does not match cannot be an address, so it is not vetted. */
const MAY_BE = /^https?:\/\/.{3}/;
/** Time without typing after which an address is vetted. */
const QUIET: Milliseconds = 400;

interface WebhookAddressProps {
  readonly partnerId: number;
  /** Called with the new secret when the first address is set, later with null. */
  readonly onDone: (secret: string | null) => void;
}

/** Asks for the address of a partner's events. The service vets it while the person types. */
export function WebhookAddress({ partnerId, onDone }: WebhookAddressProps) {
  const [url, setUrl] = useState('');
  const [setting, setSetting] = useState(false);
  // The address, if the person submitted it before the service had vetted it.
  const entered = useRef<string | undefined>(undefined);
  const wanted = url.trim();
  const { found: result, error } = useTyped(wanted, !MAY_BE.test(wanted), QUIET, async (current) => {
    const vetted = await preview('set-webhook', { params: { partner_id: partnerId }, body: { url: wanted } });
    if (current() && vetted.accepted && entered.current === wanted) setSetting(true);
    if (current()) entered.current = undefined;
    return vetted;
  });
  const waiting = result?.waiting ?? 0;
  const submit = (event: Event) => {
    event.preventDefault();
    if (result?.accepted) setSetting(true);
    else if (!result) entered.current = wanted;
  };
  return (
    <>
      <form class="address" onSubmit={submit}>
        <TextField
          label="Endereço que recebe os eventos"
          type="url"
          placeholder="https://hooks.parceiro.com.br/eventos"
          hint={!error && <Verdict typed={wanted} result={result} />}
          value={url}
          onChange={setUrl}
          required
        />
        <Failed error={error} />
        <Button submits kind="primary">
          Definir endereço
        </Button>
      </form>
      {setting && result && (
        <ChangeDialog
          title="Definir o endereço do webhook"
          submit="Definir endereço"
          danger={waiting > 0}
          repeat={waiting > 0 ? { what: 'o número do parceiro', text: String(partnerId) } : undefined}
          onClose={() => setSetting(false)}
          run={async (because) => {
            const body = { url: wanted, replaces: result.current_url, ...because };
            const { secret } = await ask('set-webhook', { params: { partner_id: partnerId }, body });
            setSetting(false);
            setUrl('');
            onDone(secret);
          }}
        >
          <p class="long">
            Os eventos passam a ir para <code>{wanted}</code>
            {result.current_url !== null && (
              <>
                , no lugar de <code>{result.current_url}</code>
              </>
            )}
            .
          </p>
          {result.current_url === null && <p>O serviço cria o segredo que os assina e o mostra uma única vez.</p>}
          {waiting > 0 && (
            <Notice tone="warn">
              {waiting === 1000 ? '1000 eventos ou mais (ou não se pôde contar)' : `${waiting} eventos`} que esperam
              pelo endereço atual irão ao novo.
            </Notice>
          )}
        </ChangeDialog>
      )}
    </>
  );
}

function Verdict({ typed, result }: { readonly typed: string; readonly result: Vetted | undefined }) {
  if (!MAY_BE.test(typed)) return <>Começa com https://; porta 443 ou 8443, um nome público.</>;
  if (!result) return <>Verificando…</>;
  if (result.accepted) return <span class="good">Aceito: o endereço é público e seguro.</span>;
  return <span class="bad">Não é aceito: {result.refusal}</span>;
}
