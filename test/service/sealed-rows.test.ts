import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { tableClient } from '../../shared/table/client.ts';
import { decrypt, encrypt, forgetServiceKeys, reencrypt } from '../../shared/table/encryption.ts';
import type { RowKey } from '../../shared/table/keys.ts';
import { setWebhook } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { api } from '../makers/api.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';

const peers = usePeers();

const keysSecret = () => peers.blueprint.secrets.find(({ name }) => name.endsWith('/keys'))!.name;
const putKeys = (text: string) => peers.secrets.put({ SecretId: keysSecret(), SecretString: text });

describe('the table after the flow', () => {
  it('holds nothing of a person, and no key or secret, in any readable form', async () => {
    const partner = await makePartner();
    const key = partner.keys.sandbox;
    const secret = newWebhookSecret();
    await setWebhook(partner.partnerId, 'https://parceiro.exemplo.com.br/eventos', secret, Date.now());
    const person = {
      nome: 'Filomena Quaresma Zagallo',
      cpf: '900.000.007-60',
      email: 'filomena.quaresma@exemplo.com.br',
      telefone: '(47) 93344-5566',
      data_nascimento: '1979-07-23',
      renda: 17321.89,
    };
    const lead = (
      await api('createLead', {
        key,
        body: leadBody(person),
        headers: { 'idempotency-key': 'Filomena 900.000.007-60' },
      })
    ).body.lead_id;
    await api('updateLead', { key, id: lead, body: { observacao: 'ligar para a Filomena' } });
    await api('createSimulation', {
      key,
      body: { lead_id: lead, renda: 17321.89, bancos: ['itau'] },
      headers: { 'idempotency-key': 's' },
    });
    const form = {
      ...person,
      nome_mae: 'Eufrasia Quaresma',
      rg: '33.221.145-7',
      logradouro: 'Rua das Acacias Roxas',
      consentimento_ip: '177.99.88.77',
      empresa: 'Tecelagem Quaresma',
      estado_civil: 'casado',
      conjuge_nome: 'Deodato Zagallo',
      conjuge_cpf: '900.000.008-41',
      conjuge_data_nascimento: '1977-02-19',
    };
    const submitted = await api('submitAnalyses', {
      key,
      body: analysisBody(lead, form),
      headers: { 'idempotency-key': 'a' },
    });
    expect(submitted.status).toBe(202);

    const { Items } = await tableClient().send(new ScanCommand({ TableName: process.env['TABLE_NAME']! }));
    const dump = Items!
      .map((item) =>
        JSON.stringify(item, (_, value) =>
          value instanceof Uint8Array || value?.type === 'Buffer'
            ? Buffer.from(value.data ?? value).toString('latin1')
            : value,
        ),
      )
      .join('\n')
      .toLowerCase();
    expect(Items!.length).toBeGreaterThan(8);
    for (const value of [...Object.values(form), secret, secret.slice(6), key, key.slice(30)]) {
      if (value === 'casado') continue;
      const text = String(value).toLowerCase();
      expect(dump, text).not.toContain(text);
      if (/\d{3}\.\d{3}/.test(text)) expect(dump, text).not.toContain(text.replace(/\D/g, ''));
    }
    expect(dump).not.toContain('1732189');
    for (const word of ['filomena', 'quaresma', 'zagallo', 'acacias']) expect(dump).not.toContain(word);
  });
});

describe('a sealed blob', () => {
  const row: RowKey = { pk: 'LEAD#1#sandbox#2', sk: 'LEAD' };
  const schema = z.object({ name: z.string() });

  it('opens in its own row and in no other', async () => {
    const blob = await encrypt(row, { name: 'Ana' });
    expect(await decrypt(row, blob, schema)).toEqual({ name: 'Ana' });
    for (const other of [
      { ...row, pk: 'LEAD#1#producao#2' },
      { ...row, pk: 'LEAD#1#sandbox#3' },
      { ...row, sk: 'LEAD2' },
    ]) {
      await expect(decrypt(other, blob, schema)).rejects.toThrow();
    }
  });

  it('opens in its own table only', async () => {
    const blob = await encrypt(row, { name: 'Ana' });
    const table = process.env['TABLE_NAME'];
    process.env['TABLE_NAME'] = 'another';
    await expect(decrypt(row, blob, schema)).rejects.toThrow();
    process.env['TABLE_NAME'] = table;
  });

  const long = { name: 'Ana Beatriz '.repeat(400) };

  it('is small where its content is long and repeats itself, and opens to all of it', async () => {
    const blob = await encrypt(row, long);
    expect(blob.length).toBeLessThan(400);
    expect(await decrypt(row, blob, schema)).toEqual(long);
    expect(await decrypt(row, await reencrypt(row, blob), schema)).toEqual(long);
    await expect(decrypt({ ...row, sk: 'LEAD2' }, blob, schema)).rejects.toThrow();
  });

  it('is not opened as another format than its own', async () => {
    for (const value of [{ name: 'Ana' }, long]) {
      const blob = Uint8Array.from(await encrypt(row, value));
      blob[0]! ^= 3;
      await expect(decrypt(row, blob, schema)).rejects.toThrow('authenticate');
    }
  });

  it.each([{ name: 'Ana' }, long])('shows any flipped bit', async (value) => {
    const blob = await encrypt(row, value);
    for (let at = 0; at < blob.length; at++) {
      const broken = Uint8Array.from(blob);
      broken[at]! ^= 1;
      await expect(decrypt(row, broken, schema)).rejects.toThrow();
    }
  });

  it('is another at each sealing', async () => {
    const [a, b] = await Promise.all([encrypt(row, { name: 'Ana' }), encrypt(row, { name: 'Ana' })]);
    expect(Buffer.from(a).equals(Buffer.from(b))).toBe(false);
  });

  it('opens by an old version of the key after a rotation, and not once that version is gone', async () => {
    const before = peers.secrets.current(keysSecret());
    const blob = await encrypt(row, { name: 'Ana' });
    const keys = JSON.parse(before);
    putKeys(
      JSON.stringify({
        ...keys,
        sealing: { current: 2, keys: { ...keys.sealing.keys, 2: Buffer.alloc(32, 7).toString('base64') } },
      }),
    );
    forgetServiceKeys();
    expect(await decrypt(row, blob, schema)).toEqual({ name: 'Ana' });
    const newer = await encrypt(row, { name: 'Bia' });
    putKeys(JSON.stringify({ ...keys, sealing: { current: 2, keys: { 2: Buffer.alloc(32, 7).toString('base64') } } }));
    forgetServiceKeys();
    expect(await decrypt(row, newer, schema)).toEqual({ name: 'Bia' });
    await expect(decrypt(row, blob, schema)).rejects.toThrow('version 1');
    putKeys(before);
    forgetServiceKeys();
  });

  it('opens where another container has taken up a new key already', async () => {
    const before = peers.secrets.current(keysSecret());
    const keys = JSON.parse(before);
    const after = JSON.stringify({
      ...keys,
      sealing: { current: 2, keys: { ...keys.sealing.keys, 2: Buffer.alloc(32, 9).toString('base64') } },
    });
    putKeys(after);
    forgetServiceKeys();
    const newer = await encrypt(row, { name: 'Ana' });
    putKeys(before);
    forgetServiceKeys();
    await encrypt(row, { name: 'this process holds version 1 alone by now' });
    putKeys(after);
    expect(await decrypt(row, newer, schema)).toEqual({ name: 'Ana' });
    putKeys(before);
    forgetServiceKeys();
    await expect(decrypt(row, newer, schema)).rejects.toThrow('version 2');
  });

  it.each([
    '',
    '{}',
    '{"sealing":{"current":1,"keys":{}},"index":""}',
    '{"sealing":{"current":1,"keys":{"1":"c2hvcnQ="}},"index":"c2hvcnQ="}',
  ])('closes the service while the keys are %j', async (text) => {
    const before = peers.secrets.current(keysSecret());
    const partner = await makePartner();
    putKeys(text);
    forgetServiceKeys();
    const answer = await api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf: '900.000.009-22' }) });
    expect([answer.status, answer.body.codigo, answer.headers['retry-after']]).toEqual([
      503,
      'servico_indisponivel',
      '2',
    ]);
    putKeys(before);
    forgetServiceKeys();
    expect(
      (await api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf: '900.000.009-22' }) })).status,
    ).toBe(201);
  });
});
