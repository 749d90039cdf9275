<?php // php -S 0.0.0.0:$PORTA receptor.php
require __DIR__ . '/verificar.php';

$corpo = file_get_contents('php://input');
$cabecalhos = array_change_key_case(getallheaders());
if (!verificar(getenv('SEGREDO'), $cabecalhos, $corpo)) {
    http_response_code(401);
    exit;
}
http_response_code(200); // em produção, guarde o evento em uma fila e processe depois de responder
$evento = json_decode($corpo, true);
$visto = sys_get_temp_dir() . '/' . hash('sha256', $evento['id']);
if (is_file($visto)) exit; // um evento pode chegar mais de uma vez
touch($visto);
$dados = $evento['data'] ?? [];
$fim = isset($dados['analise_id']) ? "{$dados['analise_id']} {$dados['situacao']}" : 'descartado';
file_put_contents('php://stdout', "verificado: {$evento['type']} $fim\n");
