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

function processar() { // também o que uma queda deixou
  try {
    for (const nome of fs.readdirSync('eventos').filter((um) => um.endsWith('.json'))) {
      const { type, data } = JSON.parse(fs.readFileSync(`eventos/${nome}`));
      if (type.startsWith('analise.')) // outro tipo: descarte
        console.log(`verificado: ${type} ${data.analise_id} ${data.situacao}`);
      fs.renameSync(`eventos/${nome}`, `eventos/${nome}.feito`);
    }
  } catch (erro) {
    console.error(erro.message); // o que não foi processado fica para a próxima vez
  }
}

fs.mkdirSync('eventos', { recursive: true });
processar();
createServer(async (pedido, resposta) => {
  try {
    const corpo = await buffer(pedido); // todo, ou um erro
    const valido = verificar(process.env.SEGREDO, pedido.headers, corpo);
    if (valido) guardar(pedido.headers['webhook-id'], corpo);
    resposta.writeHead(valido ? 200 : 401).end(processar); // só depois da resposta
  } catch {
    resposta.writeHead(500).end(); // não está guardado: será enviado de novo
  }
}).listen(process.env.PORTA);
