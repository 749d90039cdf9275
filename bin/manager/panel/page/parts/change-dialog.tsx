import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useWork } from '../answers.ts';
import { isRequest } from '../failure-text.ts';
import { shortened } from '../long-text.ts';
import { Button, Failed } from './basics.tsx';
import { TextField } from './fields.tsx';

/** A text that the person types again, so that nobody makes the change by mistake. */
interface Repeat {
  readonly what: string;
  readonly text: string;
}

interface ChangeDialogProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly repeat?: Repeat | undefined;
  readonly submit: string;
  readonly danger?: boolean;
  /** Whether the effect of the change is known already. @default true */
  readonly ready?: boolean;
  /** Makes the change. If it throws, the dialog shows the failure and stays open. */
  readonly run: (notes: { readonly reason: string; readonly confirm: string | undefined }) => Promise<void>;
  readonly onClose: () => void;
}

/** Props of a dialog: `onClose` is called when it is closed without a change, `onDone` after a change. */
export interface DialogProps<Done extends readonly unknown[] = []> {
  readonly onClose: () => void;
  readonly onDone: (...done: Done) => void;
}

export const ReasonField = (props: { readonly value: string; readonly onChange: (value: string) => void }) => (
  <TextField
    label="Motivo"
    hint="Fica na auditoria para sempre: o número do chamado, sem nomes, CPF nem e-mail."
    {...props}
    required
  />
);

/** Returns a token for one dialog: if the dialog sends a change again, the same key or secret is shown. */
export const useToken = () => useState(() => crypto.randomUUID())[0];

/** If the change cannot be undone, the person types the name of the thing that the change ends. */
export function ChangeDialog(props: ChangeDialogProps) {
  const { title, children, repeat, submit, danger = false, ready = true, run, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const { busy, error, run: work } = useWork();
  const [differs, setDiffers] = useState(false);
  useEffect(() => {
    dialog.current?.showModal();
    // The browser has scrolled to the first field, so the dialog scrolls back to its top.
    dialog.current?.scrollTo(0, 0);
  }, []);
  const asked = isRequest(error);
  const usual = danger ? 'danger' : 'primary';

  const submitted = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const wrong = repeat !== undefined && typed.trim() !== repeat.text;
    setDiffers(wrong);
    if (wrong) return;
    await work(() => run({ reason, confirm: repeat && typed.trim() }));
  };
  // A call that runs is not cut off by Escape: its outcome would go unseen.
  const cancelled = (event: Event) => {
    event.preventDefault();
    if (!busy) onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} onCancel={cancelled}>
      <form onSubmit={submitted}>
        <h2 id={heading}>{shortened(title)?.text ?? title}</h2>
        {children}
        <ReasonField value={reason} onChange={setReason} />
        {repeat && (
          <TextField
            label={`Para confirmar, digite ${repeat.what}: ${repeat.text}`}
            hint={differs ? `Não é igual a ${repeat.text}.` : undefined}
            value={typed}
            onChange={setTyped}
            required
          />
        )}
        <Failed error={error} />
        <p class="actions">
          <Button kind={asked ? 'primary' : 'plain'} onClick={onClose} busy={busy}>
            {asked ? 'Fechar' : 'Cancelar'}
          </Button>
          <Button submits kind={asked ? 'plain' : usual} busy={busy || !ready}>
            {submit}
          </Button>
        </p>
      </form>
    </dialog>
  );
}
