import { useState } from 'preact/hooks';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { bankName } from '#shared/domain/values/bank.ts';
import { useWork } from '../answers.ts';
import { ask, type PartProps } from '../api.ts';
import { Badge, Button, Facts, Failed, Long, Moment, PartHeading, type Tone } from '../parts/basics.tsx';
import { IdField } from '../parts/fields.tsx';
import { NamedUnit } from '../parts/partner-picker.tsx';
import { ENVIRONMENT, SITUATION } from '../words.ts';

type Analysis = AnswerOf<'show-analysis'>['analysis'];

const TONES: Readonly<Record<Analysis['situation'], Tone>> = {
  em_analise: 'calm',
  aprovado: 'good',
  condicionado: 'good',
  recusado: 'bad',
  cancelado: 'warn',
  erro: 'warn',
};

/** Finds an analysis of the partner by its number, pending or ended. A partner's ticket has only this number. */
export function OneAnalysis({ partner: { partner_id: partnerId } }: PartProps) {
  const [number, setNumber] = useState('');
  const [found, setFound] = useState<Analysis>();
  const { busy, error, run } = useWork();
  const search = (event: Event) => {
    event.preventDefault();
    setFound(undefined);
    void run(async () => {
      const query = { partner_id: String(partnerId) };
      setFound((await ask('show-analysis', { params: { analysis_id: number.trim() }, query })).analysis);
    });
  };
  return (
    <>
      <PartHeading
        title="Análises"
        about="Uma análise pelo número (analise_id), também já decidida, em qualquer unidade e ambiente do parceiro."
      >
        <a href="#/analises">Análises em espera</a>
      </PartHeading>
      <search>
        <form class="filters" onSubmit={search}>
          <IdField label="Número da análise" value={number} onChange={setNumber} required />
          <Button submits busy={busy}>
            Procurar
          </Button>
        </form>
      </search>
      <Failed error={error} />
      {found && <Details analysis={found} />}
    </>
  );
}

function Details({ analysis }: { readonly analysis: Analysis }) {
  return (
    <section class="card" aria-label={`Análise ${analysis.analysis_id}`}>
      <p class="row">
        <Badge tone={TONES[analysis.situation]}>{SITUATION[analysis.situation]}</Badge>
        <span class="soft">Análise {analysis.analysis_id}</span>
      </p>
      <Facts
        rows={[
          ['Banco', bankName(analysis.bank)],
          ['O banco diz', analysis.raw_status && <Long key="status" text={analysis.raw_status} />],
          ['Número no banco', analysis.query_number],
          ['Ambiente', ENVIRONMENT[analysis.environment]],
          ['Unidade', <NamedUnit key="unit" partnerId={analysis.partner_id} unitId={analysis.unit_id} />],
          ['Lead', analysis.lead_id],
          ['Enviada em', <Moment key="created" at={analysis.created_at} />],
          ['Decidida em', <Moment key="concluded" at={analysis.concluded_at} />],
          ['Sem resposta desde', <Moment key="unanswerable" at={analysis.unanswerable_since} far />],
          ['Eventos', analysis.sequence],
        ]}
      />
    </section>
  );
}
