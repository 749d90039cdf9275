import { createHmac, timingSafeEqual } from 'node:crypto';

// cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram; agora: segundos
export function verificar(segredo, cabecalhos, corpo, agora = Date.now() / 1000) {
  if (!/^whsec_\S/.test(segredo)) return false; // um segredo vazio é de todos
  const { 'webhook-id': id, 'webhook-timestamp': momento } = cabecalhos;
  const chave = Buffer.from(segredo.slice('whsec_'.length), 'base64');
  const padrao = hmac(chave, `${id}.${momento}.`, corpo).digest('base64');
  const simples = hmac(segredo, '', corpo).digest('hex');
  const atual = cabecalhos['x-service-signature'];
  const anterior = cabecalhos['x-service-signature-anterior'];
  const doPadrao = (cabecalhos['webhook-signature'] ?? '').split(' ');
  return contem([atual, anterior], `sha256=${simples}`)
    && contem(doPadrao, `v1,${padrao}`)
    && Math.abs(agora - momento) <= 300;
}

const hmac = (chave, inicio, corpo) =>
  createHmac('sha256', chave).update(inicio).update(corpo);
const contem = (todas, certa) => todas.some((uma = '') => iguais(uma, certa));

function iguais(recebida, certa) { // em tempo constante
  const [a, b] = [Buffer.from(recebida), Buffer.from(certa)];
  return a.length === b.length && timingSafeEqual(a, b);
}
