import { createServer } from 'node:http';
import { verificar } from './verificar.mjs';

const vistos = new Set();

createServer(async (pedido, resposta) => {
  const partes = [];
  for await (const parte of pedido) partes.push(parte);
  const corpo = Buffer.concat(partes);
  if (!verificar(process.env.SEGREDO, pedido.headers, corpo)) return resposta.writeHead(401).end();
  resposta.writeHead(200).end(); // primeiro responda, depois processe
  const evento = JSON.parse(corpo);
  if (vistos.has(evento.id)) return; // um evento pode chegar mais de uma vez
  vistos.add(evento.id);
  const { analise_id, situacao } = evento.data ?? {};
  const fim = analise_id ? `${analise_id} ${situacao}` : 'descartado';
  console.log(`verificado: ${evento.type} ${fim}`);
}).listen(process.env.PORTA);
