import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verificar } from './verificar.mjs';

const vistos = new Set();

createServer(async (pedido, resposta) => {
  const corpo = await buffer(pedido).catch(() => ''); // vazio se interrompido
  const valido = verificar(process.env.SEGREDO, pedido.headers, corpo);
  resposta.writeHead(valido ? 200 : 401).end(); // responda, e depois processe
  if (!valido) return;
  const { id, type, data } = JSON.parse(corpo);
  if (vistos.has(id) || !type.startsWith('analise.')) return; // repetido ou outro
  vistos.add(id);
  console.log(`verificado: ${type} ${data.analise_id} ${data.situacao}`);
}).listen(process.env.PORTA);
