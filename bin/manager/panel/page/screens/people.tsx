import { useRef, useState } from 'preact/hooks';
import { useWork } from '../answers.ts';
import { Button, Failed, Heading, Notice, Progress } from '../parts/basics.tsx';
import { ReasonField } from '../parts/change-dialog.tsx';
import { IdField, optionsOf, SelectField, TextField } from '../parts/fields.tsx';
import { NamedUnit, PartnerPicker, type Picked, partnerColumn } from '../parts/partner-picker.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { type PersonSearch, searchPerson, searchText } from '../person-search.ts';
import { type PersonPlace, personHref } from '../router.ts';
import { ENVIRONMENT, type Environment, ROLE } from '../words.ts';
import { Person, type Subject } from './person.tsx';

type Found = PersonSearch['found'][number];

interface Chosen {
  readonly subject: Subject;
  readonly reason: string;
}

/** Serves the rights of the LGPD: a person may see what is stored, get a copy of it, and have it erased. */
export function People({ person }: { readonly person: PersonPlace | undefined }) {
  // The CPF by which the person was found, and the reason, are in no address. So they are unknown after a reload.
  const [chosen, setChosen] = useState<Chosen>();
  const choose = (choice: Chosen) => {
    setChosen(choice);
    location.hash = personHref({ ...choice.subject, role: choice.subject.role ?? 'holder' });
  };
  if (person) {
    const known = chosen?.subject.lead_id === person.lead_id ? chosen : undefined;
    const subject = { ...person, cpf: known?.subject.cpf };
    return (
      <>
        <p class="back">
          <a href="#/pessoas">Procurar outra pessoa</a>
        </p>
        {subject.role === 'spouse' && !subject.cpf ? (
          <Notice tone="calm">Um cônjuge só é alcançado pelo CPF, que o painel não guarda: procure de novo.</Notice>
        ) : known ? (
          <Person key={personHref(person)} subject={subject} reason={known.reason} />
        ) : (
          <>
            <Heading title={`Lead ${subject.lead_id}`} help="pessoas" />
            <AskReason onReason={(reason) => setChosen({ subject, reason })} />
          </>
        )}
      </>
    );
  }
  return (
    <>
      <Heading
        title="Direitos de uma pessoa"
        about="LGPD: o que temos sobre a pessoa, uma cópia para ela, a correção, a revogação do consentimento e a exclusão. Cada consulta fica na auditoria."
        help="pessoas"
      />
      <div class="cards">
        <section class="card wide">
          <h2>Procurar pelo CPF</h2>
          <ByCpf onChoose={choose} />
        </section>
        <section class="card">
          <h2>Pelo número do lead</h2>
          <p class="soft">Quem já foi apagado só é encontrado assim.</p>
          <ByLead onChoose={choose} />
        </section>
      </div>
    </>
  );
}

function AskReason({ onReason }: { readonly onReason: (reason: string) => void }) {
  const [reason, setReason] = useState('');
  const open = (event: Event) => {
    event.preventDefault();
    onReason(reason);
  };
  return (
    <form onSubmit={open}>
      <ReasonField value={reason} onChange={setReason} />
      <Button submits>Abrir</Button>
    </form>
  );
}

interface ChooseProps {
  readonly onChoose: (chosen: Chosen) => void;
}

function ByCpf({ onChoose }: ChooseProps) {
  const [cpf, setCpf] = useState('');
  const [reason, setReason] = useState('');
  const [partner, setPartner] = useState<Picked>();
  const [searched, setSearched] = useState<PersonSearch>();
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const { busy, error, run } = useWork();
  const goesOn = useRef(true);
  const search = async (event: Event) => {
    event.preventDefault();
    setSearched(undefined);
    goesOn.current = true;
    await run(async () => {
      const which = { cpf, partner_id: partner?.partnerId, reason };
      try {
        setSearched(await searchPerson(which, setProgress, () => goesOn.current));
      } finally {
        // The progress goes in the same step as the result comes, so that the table does not move under the pointer.
        setProgress(undefined);
      }
    });
  };
  const columns: readonly Column<Found>[] = [
    partnerColumn(),
    { title: 'Unidade', cell: (row) => <NamedUnit partnerId={row.partner_id} unitId={row.unit_id} /> },
    { title: 'Ambiente', cell: (row) => ENVIRONMENT[row.environment] },
    { title: 'Lead', cell: (row) => row.lead_id },
    { title: 'Como', cell: (row) => ROLE[row.role] },
    {
      title: 'Ações',
      cell: (row) => (
        <Button onClick={() => onChoose({ subject: row, reason })} label={`Abrir o lead ${row.lead_id}`}>
          Abrir
        </Button>
      ),
    },
  ];
  const found = searched?.found;
  const remark = searched && searchText(searched);
  return (
    <>
      <form onSubmit={search}>
        <TextField
          label="CPF"
          hint="Não fica guardado no painel, nem em endereço, nem em registro."
          value={cpf}
          onChange={setCpf}
          digits
          pattern=" *[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2} *"
          wrong="11 algarismos, com ou sem pontuação"
          required
        />
        <PartnerPicker label="Só em um parceiro (opcional)" picked={partner} onPick={setPartner} />
        <ReasonField value={reason} onChange={setReason} />
        <p class="actions start">
          <Button submits kind="primary" busy={busy}>
            Procurar
          </Button>
          {busy && (
            <Button
              onClick={() => {
                goesOn.current = false;
              }}
            >
              Parar
            </Button>
          )}
        </p>
      </form>
      {progress && <Progress label="Parceiros vistos" {...progress} />}
      <Failed error={error} />
      {found && found.length > 0 && (
        <Table
          caption="Onde a pessoa é conhecida"
          columns={columns}
          rows={found}
          keyOf={(row) => row.lead_id}
          empty=""
        />
      )}
      {remark && <Notice tone={searched?.stopped ? 'warn' : 'calm'}>{remark}</Notice>}
    </>
  );
}

function ByLead({ onChoose }: ChooseProps) {
  const [partner, setPartner] = useState<Picked>();
  const [unit, setUnit] = useState('');
  const [environment, setEnvironment] = useState<Environment>('producao');
  const [lead, setLead] = useState('');
  const [reason, setReason] = useState('');
  const open = (event: Event) => {
    event.preventDefault();
    if (!partner) return;
    const place = { partner_id: partner.partnerId, unit_id: Number(unit), environment };
    onChoose({ subject: { ...place, lead_id: Number(lead) }, reason });
  };
  return (
    <form onSubmit={open}>
      <PartnerPicker picked={partner} onPick={setPartner} />
      <IdField label="Número da unidade" value={unit} onChange={setUnit} required />
      <SelectField label="Ambiente" value={environment} onChange={setEnvironment} options={optionsOf(ENVIRONMENT)} />
      <IdField label="Número do lead" value={lead} onChange={setLead} required />
      <ReasonField value={reason} onChange={setReason} />
      <Button submits>Abrir</Button>
    </form>
  );
}
