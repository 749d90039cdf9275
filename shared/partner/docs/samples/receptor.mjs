import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verificar } from './verificar.mjs';

function guardar(id, corpo) { // no disco, inteiro e uma só vez
  const arquivo = `eventos/${id}.json`;
  if (fs.existsSync(arquivo) || fs.existsSync(`${arquivo}.feito`)) return;
  fs.writeFileSync(`${arquivo}.parcial`, corpo, { flush: true });
  fs.renameSync(`${arquivo}.parcial`, arquivo);
}

function processar() {
  for (const nome of fs.readdirSync('eventos').filter((um) => um.endsWith('.json'))) {
    const { type, data } = JSON.parse(fs.readFileSync(`eventos/${nome}`));
    if (type.startsWith('analise.')) // outro tipo: descarte
      console.log(`verificado: ${type} ${data.analise_id} ${data.situacao}`);
    fs.renameSync(`eventos/${nome}`, `eventos/${nome}.feito`);
  }
}

fs.mkdirSync('eventos', { recursive: true });
setInterval(processar, 1000); // fora da resposta; o primeiro, o que uma queda deixou
createServer(async (pedido, resposta) => {
  try {
    const corpo = await buffer(pedido); // todo, ou um erro
    const valido = verificar(process.env.SEGREDO, pedido.headers, corpo);
    if (valido) guardar(pedido.headers['webhook-id'], corpo);
    resposta.writeHead(valido ? 200 : 401).end();
  } catch {
    resposta.writeHead(500).end(); // não está guardado: será enviado de novo
  }
}).listen(process.env.PORTA);
