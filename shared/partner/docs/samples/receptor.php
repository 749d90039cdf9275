<?php // php -S 0.0.0.0:$PORTA receptor.php; no início e pelo cron: php receptor.php
require __DIR__ . '/verificar.php';
$banco = new PDO('sqlite:' . __DIR__ . '/eventos.db');
$banco->exec('CREATE TABLE IF NOT EXISTS eventos (id PRIMARY KEY, corpo, feito)');
if (PHP_SAPI !== 'cli') {
    $corpo = file_get_contents('php://input');
    $cabecalhos = array_change_key_case(getallheaders());
    $valido = verificar(getenv('SEGREDO'), $cabecalhos, $corpo);
    $guardar = $banco->prepare('INSERT OR IGNORE INTO eventos VALUES (?, ?, NULL)');
    if ($valido) $guardar->execute([$cabecalhos['webhook-id'], $corpo]);
    http_response_code($valido ? 200 : 401);
    header('Content-Length: 0');
    flush(); // a resposta sai aqui; no php-fpm, com fastcgi_finish_request()
}

$novos = $banco->query('SELECT * FROM eventos WHERE feito IS NULL')->fetchAll();
foreach ($novos as ['id' => $id, 'corpo' => $corpo]) {
    ['type' => $tipo, 'data' => $analise] = json_decode($corpo, true);
    $linha = "verificado: $tipo {$analise['analise_id']} {$analise['situacao']}\n";
    if (str_starts_with($tipo, 'analise.')) file_put_contents('php://stdout', $linha);
    $banco->prepare('UPDATE eventos SET feito = 1 WHERE id = ?')->execute([$id]);
}
