<?php
// $cabecalhos: nomes em minúsculas; $corpo: os bytes como chegaram; $agora: segundos
function verificar(
    string $segredo, array $cabecalhos, string $corpo, ?int $agora = null
): bool {
    if (!preg_match('/^whsec_\S/', $segredo)) return false; // um vazio é de todos
    $momento = $cabecalhos['webhook-timestamp'] ?? '';
    $assinado = ($cabecalhos['webhook-id'] ?? '') . ".$momento.$corpo";
    $chave = base64_decode(substr($segredo, strlen('whsec_')));
    $padrao = 'v1,' . base64_encode(hash_hmac('sha256', $assinado, $chave, true));
    $simples = 'sha256=' . hash_hmac('sha256', $corpo, $segredo);
    $atual = $cabecalhos['x-service-signature'] ?? '';
    $anterior = $cabecalhos['x-service-signature-anterior'] ?? '';
    $do_padrao = explode(' ', $cabecalhos['webhook-signature'] ?? '');
    return contem([$atual, $anterior], $simples) && contem($do_padrao, $padrao)
        && abs(($agora ?? time()) - (int) $momento) <= 300;
}

function contem(array $recebidas, string $certa): bool { // em tempo constante
    foreach ($recebidas as $uma) if (hash_equals($certa, $uma)) return true;
    return false;
}
