import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../answers.ts';
import { ask, type PartProps } from '../api.ts';
import { Badge, Copy, FailedRead, Heading } from '../parts/basics.tsx';
import { PARTNER_TABS, type PartnerTab, partnerHref } from '../router.ts';
import { PartnerAudit } from './audit.tsx';
import { Checklist } from './checklist.tsx';
import { Deliveries } from './deliveries.tsx';
import { Keys } from './keys.tsx';
import { OneAnalysis } from './one-analysis.tsx';
import { RefusedCalls } from './refused-calls.tsx';
import { Summary } from './summary.tsx';
import { Units } from './units.tsx';
import { Webhook } from './webhook.tsx';

const PARTS: Readonly<Record<PartnerTab, (props: PartProps) => ComponentChildren>> = {
  resumo: Summary,
  validacao: Checklist,
  unidades: Units,
  chaves: Keys,
  webhook: Webhook,
  entregas: Deliveries,
  analises: OneAnalysis,
  recusas: RefusedCalls,
  auditoria: PartnerAudit,
};

export function Partner({
  partnerId,
  tab,
  keyStart,
}: {
  readonly partnerId: number;
  readonly tab: PartnerTab;
  readonly keyStart: PartProps['keyStart'];
}) {
  const query = useAnswer(() => ask('show-partner', { params: { partner_id: partnerId } }), [partnerId]);
  const { answer, reload } = query;
  // On a narrow screen the tabs scroll, so the current tab is brought into view.
  const tabs = useRef<HTMLUListElement>(null);
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [tab]);
  const Part = PARTS[tab];
  return (
    <>
      <p class="back">
        <a href="#/parceiros">Parceiros</a>
      </p>
      <Heading
        title={answer?.partner.name ?? 'Parceiro'}
        about={
          <span class="row">
            <span>
              Número <code>{partnerId}</code>
            </span>
            <Copy text={String(partnerId)} what="número do parceiro" />
            {answer &&
              (answer.partner.validated_at ? (
                <Badge tone="good">Validado para produção</Badge>
              ) : (
                <Badge tone="calm">Só sandbox</Badge>
              ))}
          </span>
        }
        help={tab === 'resumo' ? 'parceiros' : tab}
      />
      <nav class="tabs" aria-label="Partes do parceiro">
        <ul ref={tabs}>
          {PARTNER_TABS.map(([name, text]) => (
            <li key={name}>
              <a href={partnerHref(partnerId, name)} aria-current={name === tab ? 'page' : undefined}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <FailedRead of={query} />
      {answer && <Part partner={answer.partner} onChanged={reload} keyStart={keyStart} />}
    </>
  );
}
