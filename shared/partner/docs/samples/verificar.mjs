import { createHmac, timingSafeEqual } from 'node:crypto';
const mac = (chave, inicio, corpo) => createHmac('sha256', chave).update(inicio).update(corpo);
const iguais = (a, b) => Buffer.byteLength(a) === Buffer.byteLength(b) && timingSafeEqual(Buffer.from(a), Buffer.from(b));
// cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram, antes de qualquer JSON.parse
export function verificar(segredo, cabecalhos, corpo, agora = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': momento, 'webhook-signature': assinaturas = '' } = cabecalhos;
  const simples = `sha256=${mac(segredo, '', corpo).digest('hex')}`;
  const padrao = `v1,${mac(Buffer.from(segredo.slice(6), 'base64'), `${id}.${momento}.`, corpo).digest('base64')}`;
  const recebidas = ['x-service-signature', 'x-service-signature-anterior'].map((nome) => cabecalhos[nome] ?? '');
  return recebidas.some((uma) => iguais(uma, simples)) && assinaturas.split(' ').some((uma) => iguais(uma, padrao))
    && Math.abs(agora - momento) <= 300;
}
