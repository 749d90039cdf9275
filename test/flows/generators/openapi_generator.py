"""Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the Python client of openapi-generator."""
import json, os, time
import openapi_client as api

bodies = json.load(open("bodies.json"))
configuration = api.Configuration(host=os.environ["BASE_URL"], api_key={"chave": os.environ["KEY"]})
with api.ApiClient(configuration) as client:
    leads, simulations, analyses = api.LeadsApi(client), api.SimulacoesApi(client), api.AnalisesApi(client)
    lead_id = leads.create_lead(api.LeadNovo.from_dict(bodies["lead"])).lead_id
    found = leads.get_lead(lead_id).lead
    wanted = api.SimulacaoNova(lead_id=lead_id, **bodies["simulation"])
    offers = simulations.create_simulation(wanted).resultado.resultados
    pdf = simulations.get_simulation_pdf(next(offer.simulacao_id for offer in offers if offer.sucesso))
    proposal = api.AnaliseNova.from_dict({**bodies["analysis"], "lead_id": lead_id})
    accepted = analyses.submit_analyses(os.environ["IDEMPOTENCY_KEY"], proposal).analises
    until = time.monotonic() + 60
    while (status := analyses.get_analysis_status(accepted[0].analise_id).analise).pendente and time.monotonic() < until:
        time.sleep(0.3)
    try:
        leads.get_lead(1)
        refusal = None
    except api.ApiException as error:
        refusal = json.loads(error.body)["codigo"]
print(json.dumps({
    "nome": found.nome,
    "offers": [[offer.banco, offer.sucesso, offer.parcela_1 is not None] for offer in offers],
    "pdf": bytes(pdf[:5]).decode(),
    "situacao": status.situacao,
    "refusal": refusal,
}))
