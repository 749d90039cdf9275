import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answered } from '../answers.ts';
import { failureText, isRequest } from '../failure-text.ts';
import { calledAddress, hostOf, shortened } from '../long-text.ts';
import { dateTime, distance, timeOfDay } from '../moments.ts';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  /** @default plain */
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly submits?: boolean;
  readonly busy?: boolean;
  /** Name for screen readers, if several buttons have the same text. */
  readonly label?: string;
}

export function Button({ children, onClick, kind = 'plain', submits = false, busy = false, label }: ButtonProps) {
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={`button ${kind}`}
      onClick={onClick}
      aria-label={label}
      aria-busy={busy}
      disabled={busy}
    >
      {children}
    </button>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'calm';

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

export function Notice({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A change that waits for another person is no failure. */
export function Failed({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  if (isRequest(error)) {
    return (
      <Notice tone="calm">
        <p>{failureText(error).sentence}</p>
      </Notice>
    );
  }
  const { sentence, fields, detail, requestId } = failureText(error);
  return (
    <Notice tone="bad">
      <p>{sentence}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {detail && (
        <p class="detail">
          O serviço disse: <span lang="en">{detail}</span>
        </p>
      )}
      {requestId && <p class="detail">Número do pedido: {requestId}</p>}
    </Notice>
  );
}

export function FailedRead({ of: { error, reload } }: { of: Pick<Answered<unknown>, 'error' | 'reload'> }) {
  if (error === undefined) return null;
  return (
    <>
      <Failed error={error} />
      <p class="actions start">
        <Button onClick={() => reload()}>Tentar de novo</Button>
      </p>
    </>
  );
}

export function Moment({ at, far = false }: { readonly at: string | null; readonly far?: boolean }) {
  if (at === null) return <span class="soft">—</span>;
  return (
    <time dateTime={at} title={at}>
      {dateTime(at)}
      {far && <span class="soft"> ({distance(at, Date.now())})</span>}
    </time>
  );
}

export function Refresh({
  of: { readAt, loading, reload },
}: {
  of: Pick<Answered<unknown>, 'readAt' | 'loading' | 'reload'>;
}) {
  return (
    <>
      <small class="soft read-at">{readAt !== undefined && `Lido às ${timeOfDay(readAt)}`}</small>
      <Button onClick={() => reload()} busy={loading}>
        Atualizar
      </Button>
    </>
  );
}

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Without permission for the clipboard, the person copies the text by hand: the text is next to the button.
      setCopied(false);
    }
  };
  return (
    <>
      <Button kind="quiet" onClick={copy} label={`Copiar ${what}`}>
        {copied ? 'Copiado' : 'Copiar'}
      </Button>
      <span class="unseen" role="status">
        {copied ? `${what} copiado` : ''}
      </span>
    </>
  );
}

/** Shows a key or a secret once. Nothing else can be done until the person says that it is kept. */
export function ShownOnce({ text, what, onDone }: { text: string; what: string; onDone: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const stays = (event: Event) => event.preventDefault();
  useEffect(() => {
    dialog.current?.showModal();
    addEventListener('beforeunload', stays);
    return () => removeEventListener('beforeunload', stays);
  }, []);
  return (
    // A browser closes the dialog if Escape is pressed twice, so the dialog is opened again.
    <dialog ref={dialog} class="once" aria-label={what} onCancel={stays} onClose={() => dialog.current?.showModal()}>
      <h2>{what}</h2>
      <p>
        Copie agora, porque isto não aparece de novo. Entregue ao parceiro por um meio seguro, nunca por e-mail aberto.
      </p>
      <p class="row">
        <code class="secret">{text}</code>
        <Copy text={text} what={what} />
      </p>
      <Button kind="primary" onClick={onDone}>
        Guardei
      </Button>
    </dialog>
  );
}

export function Progress({ label, done, total }: { label: string; done: number; total: number | null }) {
  const known = total !== null && total > 0;
  return (
    <div class="progress" role="status">
      <progress aria-label={label} value={known ? Math.min(done, total) : undefined} max={known ? total : undefined} />
      <span>{known ? `${label}: ${done} de ${total}` : `${label}: ${done}`}</span>
    </div>
  );
}

export function Facts({ rows }: { readonly rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A text of any length. A long text shows both ends, and opens as a whole in a box that scrolls. */
export function Long({ text }: { readonly text: string }) {
  const short = shortened(text);
  if (!short) return <span class="long">{text}</span>;
  return (
    <details class="long">
      <summary>
        {short.text} <small class="soft">({short.length} caracteres)</small>
      </summary>
      <textarea readOnly rows={4} aria-label="Texto inteiro" value={text} />
    </details>
  );
}

interface AddressProps {
  readonly url: string;
  /** The address as the service calls it: letters outside of ASCII could show another address. */
  readonly called?: string | undefined;
}

/** An address. The host comes first and by itself, because a person decides by the host. */
export function Address({ url, called = calledAddress(url) }: AddressProps) {
  const host = hostOf(called);
  return (
    <>
      {host && (
        <strong>
          <Long text={host} />
        </strong>
      )}
      <div>
        <Long text={url} />
      </div>
      {called !== url && (
        <div>
          <span class="soft">é chamado como</span> <Long text={called} />
        </div>
      )}
    </>
  );
}

export function PartHeading({
  title,
  about,
  children,
}: {
  readonly title: ComponentChildren;
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="heading sub">
      <div>
        <h2>{title}</h2>
        {about && <p class="soft">{about}</p>}
      </div>
      <div class="actions">{children}</div>
    </div>
  );
}

export function Heading({
  title,
  about,
  help,
  children,
}: {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly help?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <header class="heading">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {about && <p class="soft">{about}</p>}
      </div>
      <div class="actions">
        {children}
        {help && (
          <a class="helplink" href={`#/ajuda/${help}`}>
            Ajuda<span class="unseen"> sobre {title}</span>
          </a>
        )}
      </div>
    </header>
  );
}
