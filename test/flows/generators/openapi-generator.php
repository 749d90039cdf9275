<?php
// Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the PHP client of openapi-generator.
require getenv('GUZZLE');
spl_autoload_register(function ($name) {
    $file = 'client/lib/' . strtr(substr($name, strlen('OpenAPI\\Client\\')), '\\', '/') . '.php';
    if (str_starts_with($name, 'OpenAPI') && is_file($file)) require $file;
});

use OpenAPI\Client\Api\{AnalisesApi, LeadsApi, SimulacoesApi};
use OpenAPI\Client\{ApiException, Configuration};
use OpenAPI\Client\Model\{AnaliseNova, LeadNovo, SimulacaoNova};

$bodies = json_decode(file_get_contents('bodies.json'), true);
$settings = (new Configuration())->setHost(getenv('BASE_URL'))->setApiKey('X-API-Key', getenv('KEY'));
[$leads, $simulations, $analyses] = [new LeadsApi(null, $settings), new SimulacoesApi(null, $settings), new AnalisesApi(null, $settings)];

$leadId = $leads->createLead(new LeadNovo($bodies['lead']))->getLeadId();
$wanted = new SimulacaoNova(['lead_id' => $leadId] + $bodies['simulation']);
$offers = $simulations->createSimulation($wanted)->getResultado()->getResultados();
$pdf = file_get_contents($simulations->getSimulationPdf($offers[0]->getSimulacaoId())->getPathname());
$proposal = new AnaliseNova(['lead_id' => $leadId, 'consentimento_timestamp' => new DateTime($bodies['analysis']['consentimento_timestamp'])] + $bodies['analysis']);
$analysis = $analyses->submitAnalyses(getenv('IDEMPOTENCY_KEY'), $proposal)->getAnalises()[0]->getAnaliseId();
for ($until = time() + 60; ($status = $analyses->getAnalysisStatus($analysis)->getAnalise())->getPendente() && time() < $until;) {
    usleep(300_000);
}
try {
    $leads->getLead(1);
} catch (ApiException $error) {
    $refusal = json_decode($error->getResponseBody())->codigo;
}
echo json_encode([
    'nome' => $leads->getLead($leadId)->getLead()->getNome(),
    'offers' => array_map(fn($one) => [$one->getBanco(), $one->getSucesso(), $one->getParcela1() !== null], $offers),
    'pdf' => substr($pdf, 0, 5),
    'situacao' => $status->getSituacao(),
    'refusal' => $refusal,
]);
