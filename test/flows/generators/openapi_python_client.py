"""Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the client of openapi-python-client."""
import json, os, time
from partner_credit import Client
from partner_credit.api.analises import get_analysis_status, submit_analyses
from partner_credit.api.leads import create_lead, get_lead
from partner_credit.api.simulacoes import create_simulation, get_simulation_pdf
from partner_credit.models import AnaliseNova, Erro, LeadNovo, SimulacaoNova

bodies = json.load(open("bodies.json"))
with Client(base_url=os.environ["BASE_URL"], headers={"X-API-Key": os.environ["KEY"]}) as client:
    lead_id = create_lead.sync(client=client, body=LeadNovo.from_dict(bodies["lead"])).lead_id
    found = get_lead.sync(lead_id, client=client).lead
    wanted = SimulacaoNova.from_dict({**bodies["simulation"], "lead_id": lead_id})
    offers = create_simulation.sync(client=client, body=wanted).resultado.resultados
    pdf = get_simulation_pdf.sync(next(offer.simulacao_id for offer in offers if offer.sucesso), client=client)
    proposal = AnaliseNova.from_dict({**bodies["analysis"], "lead_id": lead_id})
    accepted = submit_analyses.sync(client=client, body=proposal, idempotency_key=os.environ["IDEMPOTENCY_KEY"]).analises
    until = time.monotonic() + 60
    while (status := get_analysis_status.sync(accepted[0].analise_id, client=client).analise).pendente:
        assert time.monotonic() < until
        time.sleep(0.3)
    refusal = get_lead.sync(1, client=client)
    assert isinstance(refusal, Erro)
print(json.dumps({
    "nome": found.nome,
    "offers": [[offer.banco, offer.sucesso, hasattr(offer, "parcela_1") and bool(offer.parcela_1)] for offer in offers],
    "pdf": pdf.payload.read(5).decode(),
    "situacao": status.situacao,
    "refusal": refusal.codigo,
}))
