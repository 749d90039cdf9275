<?php
// $cabecalhos: nomes em minúsculas; $corpo: file_get_contents('php://input'), antes de json_decode
function verificar(string $segredo, array $cabecalhos, string $corpo, ?int $agora = null): bool {
    [$id, $momento] = [$cabecalhos['webhook-id'] ?? '', $cabecalhos['webhook-timestamp'] ?? ''];
    $simples = 'sha256=' . hash_hmac('sha256', $corpo, $segredo);
    $padrao = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$momento.$corpo", base64_decode(substr($segredo, 6)), true));
    $recebidas = [$cabecalhos['x-service-signature'] ?? '', $cabecalhos['x-service-signature-anterior'] ?? ''];
    $ha = fn(array $lista, string $certa) => (bool) array_filter($lista, fn($uma) => hash_equals($certa, $uma));
    return $ha($recebidas, $simples) && $ha(explode(' ', $cabecalhos['webhook-signature'] ?? ''), $padrao)
        && abs(($agora ?? time()) - (int) $momento) <= 300;
}
