<?php // php -S 0.0.0.0:$PORTA receptor.php
require __DIR__ . '/verificar.php';

$corpo = file_get_contents('php://input');
$cabecalhos = array_change_key_case(getallheaders());
$valido = verificar(getenv('SEGREDO'), $cabecalhos, $corpo);
http_response_code($valido ? 200 : 401); // sai no fim: processe em uma fila
if (!$valido) exit;

['id' => $id, 'type' => $tipo, 'data' => $analise] = json_decode($corpo, true);
if (!str_starts_with($tipo, 'analise.')) exit; // um tipo desconhecido
if (!@fopen(sys_get_temp_dir() . "/$id", 'x')) exit; // já existe: um evento repetido
$linha = "verificado: $tipo {$analise['analise_id']} {$analise['situacao']}\n";
file_put_contents('php://stdout', $linha);
