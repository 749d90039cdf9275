import { Copy, Heading, Notice } from '../parts/basics.tsx';
import { keyStartHref, type NamedKey } from '../router.ts';
import { ENVIRONMENT } from '../words.ts';

function Command({ named: { start }, stage }: { readonly named: NamedKey; readonly stage: string }) {
  const where = stage === 'local' ? '--local' : `--stage ${stage}`;
  const text = `npm run manager -- keys calls --key ${start} --since 7d ${where}`;
  // A browser would break a line between the hyphens of an option.
  const words = text.split(' ').flatMap((word) => [<span key={word}>{word}</span>, ' ']);
  return (
    <p class="row">
      <code class="secret">{words}</code>
      <Copy text={text} what="comando" />
    </p>
  );
}

/** The page cannot read the logs (bin/manager/DECISIONS.md, 2026-11-24), so it names the command. */
export function KeyCalls({ named, stage }: { readonly named: NamedKey; readonly stage: string }) {
  const about = (
    <span class="row">
      <code class="long">{named.start}</code>
      <span>{ENVIRONMENT[named.environment]}</span>
    </span>
  );
  return (
    <>
      <p class="back">
        <a href={keyStartHref(named)}>Chaves do parceiro</a>
      </p>
      <Heading title="Chamadas da chave" about={about} help="chamadas" />
      <Notice tone="calm">
        <p>O painel não lê o registro de chamadas: no terminal, a função segurança usa este comando.</p>
      </Notice>
      <Command named={named} stage={stage} />
    </>
  );
}
