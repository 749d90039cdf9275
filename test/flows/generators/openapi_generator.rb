# Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the Ruby client of openapi-generator.
require 'json'
require 'uri'
require 'openapi_client'

bodies = JSON.parse(File.read('bodies.json'))
OpenapiClient.configure do |settings|
  address = URI(ENV.fetch('BASE_URL'))
  settings.scheme = address.scheme
  settings.host = "#{address.host}:#{address.port}"
  settings.logger = Logger.new($stderr)
  # The generated code also sends an Authorization header, without a key in it.
  settings.api_key['X-API-Key'] = ENV.fetch('KEY')
end
leads = OpenapiClient::LeadsApi.new
simulations = OpenapiClient::SimulacoesApi.new
analyses = OpenapiClient::AnalisesApi.new

lead_id = leads.create_lead(OpenapiClient::LeadNovo.build_from_hash(bodies['lead'].transform_keys(&:to_sym))).lead_id
wanted = OpenapiClient::SimulacaoNova.build_from_hash({ lead_id: lead_id, **bodies['simulation'].transform_keys(&:to_sym) })
offers = simulations.create_simulation(wanted).resultado.resultados
pdf = simulations.get_simulation_pdf(offers.find(&:sucesso).simulacao_id)
proposal = OpenapiClient::AnaliseNova.build_from_hash({ **bodies['analysis'].transform_keys(&:to_sym), lead_id: lead_id })
# The generated code would write a Time as "2026-11-28 12:00:00 UTC", which is no ISO 8601.
proposal.consentimento_timestamp = bodies['analysis']['consentimento_timestamp']
analysis = analyses.submit_analyses(ENV.fetch('IDEMPOTENCY_KEY'), proposal).analises.first.analise_id
till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
status = analyses.get_analysis_status(analysis).analise
while status.pendente && Process.clock_gettime(Process::CLOCK_MONOTONIC) < till
  sleep 0.3
  status = analyses.get_analysis_status(analysis).analise
end
refusal =
  begin
    leads.get_lead(1)
    nil
  rescue OpenapiClient::ApiError => e
    JSON.parse(e.response_body)['codigo']
  end
puts JSON.generate(
  nome: leads.get_lead(lead_id).lead.nome,
  offers: offers.map { |offer| [offer.banco, offer.sucesso, !offer.parcela_1.nil?] },
  pdf: File.binread(pdf.path, 5),
  situacao: status.situacao,
  refusal: refusal
)
