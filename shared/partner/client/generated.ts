export interface paths {
    "/v1/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Criar ou reaproveitar um lead
         * @description Registra o cliente na unidade da chave. Se o CPF já é um lead da unidade, nada é duplicado: a resposta é 200 com o `lead_id` que existia, e os campos que faltavam a ele são preenchidos com os deste corpo; os que ele já tinha ficam como estão (para alterá-los, use PATCH).
         *
         *     Escopo da chave: `leads`.
         */
        post: operations["create-lead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Consultar um lead
         * @description Devolve o que está registrado do cliente. O que o lead não tem vem como null.
         *
         *     Escopo da chave: `leads`.
         */
        get: operations["get-lead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Alterar um lead
         * @description Altera só os campos enviados; `null` apaga um campo opcional. CPF, data de nascimento, origem, unidade e consultor não se alteram. Sem corpo, ou com `{}`, nada muda e a resposta é 200.
         *
         *     Escopo da chave: `leads`.
         */
        patch: operations["update-lead"];
        trace?: never;
    };
    "/v1/simulacoes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simular em um ou mais bancos
         * @description Calcula na hora as condições de cada banco pedido e guarda um registro por banco que oferece. Não consulta crédito e não pede consentimento. Informe ao menos um destes: `valor_imovel`, `valor_financiado` ou `renda` (na simulação ou no lead); o que faltar é completado com o máximo que o banco permite. Valores informados nunca são ajustados em silêncio: se passam do limite de um banco, a entrada dele vem com `sucesso: false`, todos os motivos e a proposta mais próxima que ele aceita. Ordene ofertas por `cet_projetado_aa`, nunca por CETs de indexadores diferentes, e compare parcelas e somas só entre ofertas de iguais `valor_financiado`, `prazo_meses`, `sistema_amortizacao` e `recursos_necessarios`.
         *
         *     Escopo da chave: `simulacoes`.
         */
        post: operations["create-simulation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/simulacoes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Consultar uma simulação
         * @description Devolve o registro completo da simulação em um banco. Aceita também o `id_oportunidade`: responde com a de CET projetado mais baixo e, em `outras`, as demais nessa ordem, por fim as de crédito com garantia de imóvel. O CET projetado é uma taxa: quando as ofertas não são empréstimos iguais, `observacoes` diz em que diferem. Se todos os bancos recusaram, não há o que devolver: 404.
         *
         *     Escopo da chave: `simulacoes`.
         */
        get: operations["get-simulation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/simulacoes/{id}/parcelas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Consultar as parcelas de uma simulação
         * @description Devolve o cronograma inteiro, uma linha por mês. Em cada linha as partes somam exatamente o total, e o saldo da última é 0.
         *
         *     Escopo da chave: `simulacoes`.
         */
        get: operations["get-simulation-instalments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/simulacoes/{id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Baixar o PDF de uma simulação
         * @description Devolve a simulação como documento para o cliente: condições, planilha do CET, cenário projetado, gráficos e todas as parcelas, com o nome, o CRECI e o contato da unidade onde o gestor os cadastrou. Os números são os do registro, e o mesmo registro dá sempre os mesmos bytes enquanto o cadastro da unidade for o mesmo.
         *
         *     Escopo da chave: `simulacoes`.
         */
        get: operations["get-simulation-pdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/simulacoes/{id}/comparativo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Baixar o comparativo de uma oportunidade
         * @description Devolve todas as ofertas da oportunidade lado a lado, em ordem crescente do CET projetado e o crédito com garantia de imóvel à parte, em duas a cinco páginas para o cliente: entrada e dinheiro na contratação, primeira e última parcela, CET oficial e projetado, renda que cada banco pede, todos os avisos, e os bancos sem oferta com seus motivos. Marca uma soma como a menor só quando as ofertas têm valor financiado, prazo, sistema e dinheiro na contratação iguais; senão diz em que diferem. Aceita o `id_oportunidade` ou o de qualquer das suas simulações. Traz o nome, o CRECI e o contato da unidade, que o gestor do serviço cadastra. Se nenhum banco ofereceu, não há o que comparar: 404.
         *
         *     Escopo da chave: `simulacoes`.
         */
        get: operations["get-simulation-comparison"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submeter análises de crédito
         * @description Submete uma análise a cada banco pedido e guarda o consentimento do titular para auditoria. A resposta é 202: o desfecho vem depois, por webhook ou por GET /v1/analises/{id}/status (sugestão: a cada 30 segundos, por cerca de 15 minutos, até `pendente` ser false). `nome`, `cpf` e `data_nascimento` devem ser os do lead, que é a fonte. Uma Idempotency-Key nova é uma submissão nova, mesmo para o mesmo lead e banco: gere a chave uma vez por pedido e repita a chamada com ela até ter resposta.
         *
         *     Escopo da chave: `analises`.
         */
        post: operations["submit-analyses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analises/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Acompanhar uma análise
         * @description Diz onde a análise está. Decida por `situacao`, que é estável, e não por `status_original`, que é o texto do banco. Quando `pendente` é false o desfecho é definitivo e não há mais o que consultar.
         *
         *     Escopo da chave: `acompanhamento`.
         */
        get: operations["get-analysis-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}/analises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listar as análises de um lead
         * @description As análises do lead em todos os bancos, da mais nova à mais antiga. `pendentes` conta as que ainda esperam o banco, em todas as páginas.
         *
         *     Escopo da chave: `acompanhamento`.
         */
        get: operations["list-lead-analyses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}/consentimentos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listar os consentimentos de um lead
         * @description O que foi registrado do consentimento do titular a cada submissão, do mais novo ao mais antigo, para auditoria (LGPD), e as revogações. Só a unidade dona do lead o vê.
         *
         *     Escopo da chave: `acompanhamento`.
         */
        get: operations["list-lead-consents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}/consentimentos/revogacao": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registrar que o titular revogou o consentimento
         * @description Guarda que o titular revogou o que consentiu até um momento (LGPD, art. 8º, § 5º). Daí em diante, uma análise do lead pede um consentimento mais novo: sem ele, 422 `consentimento_ausente`. Uma análise que o banco ainda não recebeu termina em `cancelado`, com o seu evento; a que ele recebeu segue, porque a consulta já foi feita, e a resposta o diz. A revogação fica guardada por 5 anos, como o consentimento, e a eliminação dos dados não a apaga. Se já havia uma do mesmo momento ou posterior, vale ela, e a resposta é 200.
         *
         *     Escopo da chave: `analises`.
         */
        post: operations["withdraw-consent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Consultar a configuração do webhook
         * @description Mostra para onde vão os eventos do ambiente da chave: sandbox e produção têm cada um o seu endereço e o seu segredo.
         *
         *     Escopo da chave: `acompanhamento`.
         */
        get: operations["get-webhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/entregas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listar as entregas de eventos
         * @description Os eventos da unidade, do mais novo ao mais antigo, cada um com as suas tentativas: quando, com que status o seu receptor respondeu e por que falhou. No sandbox, também o corpo do evento, em `corpo`. Olha os 10.000 eventos mais novos do parceiro; se a lista acaba nesse limite, um aviso o diz. Guardados por 90 dias.
         *
         *     Escopo da chave: `acompanhamento`.
         */
        get: operations["list-own-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/entregas/{id}/reenvio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reenviar um evento
         * @description Faz agora uma tentativa a mais, com o mesmo id e os mesmos bytes, seja qual for a situação da entrega. No máximo uma por minuto e evento: antes disso, 429 com `Retry-After`. Se a tentativa falha, segue o que resta da agenda. Com o endereço desativado, o evento fica `suspensa` e sai quando o gestor o reativar; a resposta o diz em `avisos`. Não pede corpo.
         *
         *     Escopo da chave: `acompanhamento`.
         */
        post: operations["resend-delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Consultar a própria conta
         * @description Diz de quem é a chave, em que unidade e ambiente atua, o que pode e quantas chamadas por minuto o parceiro tem. Boa primeira chamada para conferir uma chave.
         *
         *     Qualquer chave válida.
         */
        get: operations["get-account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erros": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ver as próprias chamadas recusadas
         * @description No sandbox, as 100 recusas mais novas da unidade nas últimas 24 horas, por qualquer das suas chaves: rota, status, código e os campos apontados, só pelo nome. Não entram 401, 429 e o que o gateway responde por si. Em produção a lista é vazia, com um aviso.
         *
         *     Qualquer chave válida.
         */
        get: operations["list-refused-calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/reinicio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recomeçar o sandbox
         * @description Retira os leads de teste da unidade, com as suas simulações, análises e respostas guardadas por `Idempotency-Key`, e a lista de recusas. Os ids deixam de existir, e os mesmos CPFs criam leads novos. Ficam os passos da validação que `GET /v1/me` já mostrou e as entregas de eventos já feitas; uma análise em andamento não envia mais eventos. Um lead criado no último segundo pode ficar: o próximo reinício o retira. No máximo uma vez por minuto. Não pede corpo.
         *
         *     Uma chave sem escopos definidos, ou com todos.
         */
        post: operations["reset-sandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Saber se o serviço está de pé
         * @description Responde sem consultar nada mais: continua 200 quando um banco ou outra dependência está fora.
         *
         *     Pública: não pede chave.
         */
        get: operations["get-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Obter este documento
         * @description A descrição da interface em OpenAPI 3.1. Muda pouco: guarde-a e revalide com `If-None-Match`, que responde 304 enquanto nada mudou.
         *
         *     Pública: não pede chave.
         */
        get: operations["get-openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi-3.0.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Obter o documento para geradores de código
         * @description A mesma interface em OpenAPI 3.0, nas formas que geradores de código entendem: sem webhooks, um só tipo por campo, um só corpo de erro. Para ler e para validar, prefira o documento 3.1.
         *
         *     Pública: não pede chave.
         */
        get: operations["get-openapi-30"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ler a documentação
         * @description O guia do parceiro, em português, com esta referência, as amostras e a busca. Cada página existe também em Markdown, e `/llms.txt` as lista.
         *
         *     Pública: não pede chave.
         */
        get: operations["get-docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "analise.resultado": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A análise teve desfecho
         * @description Enviado uma vez, quando a análise passa a aprovado, condicionado, recusado ou cancelado. Não traz dados pessoais: identifique o cliente por `lead_id`.
         *
         *     Enviado por POST ao endereço configurado do parceiro. Responda 2xx em até 15 segundos, antes de processar; descarte repetidos por `id`, pois um evento pode chegar mais de uma vez e fora de ordem. Em produção são até 12 tentativas em 67 horas (0, 5 s, 5 min, 30 min, 2 h, 5 h e 6 de 10 h); no sandbox, 4 (0, 5 s, 30 s, 2 min).
         */
        post: operations["analise.resultado"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "analise.erro": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A análise falhou
         * @description Enviado uma vez, quando não se conseguiu submeter a análise ou obter o desfecho. Uma nova tentativa é uma submissão nova, com Idempotency-Key nova.
         *
         *     Enviado por POST ao endereço configurado do parceiro. Responda 2xx em até 15 segundos, antes de processar; descarte repetidos por `id`, pois um evento pode chegar mais de uma vez e fora de ordem. Em produção são até 12 tentativas em 67 horas (0, 5 s, 5 min, 30 min, 2 h, 5 h e 6 de 10 h); no sandbox, 4 (0, 5 s, 30 s, 2 min).
         */
        post: operations["analise.erro"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conta.alterada": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A conta foi alterada
         * @description Enviado uma vez, até dois minutos depois que o gestor ou o suporte cria, troca ou revoga uma chave, muda o endereço do webhook, troca o segredo ou libera a produção. Vai ao endereço que o ambiente da mudança tinha antes dela, mesmo desativado; se não tinha nenhum, não é enviado. Se você não pediu a mudança, fale com o suporte por outro meio. Não está em `eventos` de GET /v1/webhooks nem em GET /v1/webhooks/entregas.
         *
         *     Enviado por POST ao endereço configurado do parceiro. Responda 2xx em até 15 segundos, antes de processar; descarte repetidos por `id`, pois um evento pode chegar mais de uma vez e fora de ordem. Em produção são até 12 tentativas em 67 horas (0, 5 s, 5 min, 30 min, 2 h, 5 h e 6 de 10 h); no sandbox, 4 (0, 5 s, 30 s, 2 min).
         */
        post: operations["conta.alterada"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.teste": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * O gestor testou o endereço
         * @description Enviado só quando o gestor ou o suporte testa o endereço, assinado como os demais, uma única vez e sem nova tentativa. Não está em `eventos` de GET /v1/webhooks: confira as assinaturas, responda 2xx e descarte-o, como todo tipo que o seu sistema não conheça.
         */
        post: operations["webhook.teste"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        LeadNovo: {
            /**
             * @description Nome completo do cliente, como no documento: a análise confere com ele.
             * @example Marina Duarte Alves
             */
            nome: string;
            /**
             * @description CPF do cliente, com ou sem pontuação. Os dígitos verificadores são conferidos; zeros à esquerda não são completados.
             * @example 900.000.001-75
             */
            cpf: string;
            /**
             * @description Telefone do cliente com DDD; de 8 a 15 dígitos, com ou sem pontuação.
             * @example (11) 90000-0001
             */
            telefone?: string;
            /**
             * Format: email
             * @description E-mail em que se fala com o cliente.
             * @example marina.alves@example.com
             */
            email?: string;
            /**
             * Format: date
             * @description Data de nascimento do cliente, até hoje. Sem ela, a simulação supõe 35 anos e a análise a traz depois.
             * @example 1988-03-14
             */
            data_nascimento?: string;
            /**
             * @description Renda mensal bruta do cliente, em reais; a simulação a usa quando não recebe outra.
             * @example 15000
             */
            renda?: number;
            /**
             * @description Situação civil do cliente, como no documento.
             * @example solteiro
             * @enum {string}
             */
            estado_civil?: "solteiro" | "casado" | "uniao" | "divorciado" | "viuvo" | "separado";
            /**
             * @description De onde o lead veio, nas palavras do parceiro; só para os relatórios dele.
             * @example site
             */
            origem?: string;
            /**
             * @description Anotação livre do parceiro; aceita quebras de linha e não vai a nenhum banco. Não escreva nela dados pessoais de outras pessoas nem dados sensíveis, como os de saúde, pois ela fica guardada com o lead. No sandbox, sandbox:recusado e os outros desfechos escolhem o das análises.
             * @example Prefere contato à tarde.
             */
            observacao?: string;
        };
        LeadAlteracao: {
            /**
             * @description Nome completo corrigido; null não é aceito, pois o lead não fica sem nome.
             * @example Marina Duarte Alves
             */
            nome?: string;
            /**
             * Format: email
             * @description Novo e-mail do cliente; null apaga o que há.
             * @example marina.alves@example.com
             */
            email?: string | null;
            /**
             * @description Novo telefone com DDD; null apaga o que há.
             * @example (11) 90000-0001
             */
            telefone?: string | null;
            /**
             * @description Nova renda mensal bruta, em reais; null apaga a que há.
             * @example 16500.5
             */
            renda?: number | null;
            /**
             * @description Nova situação civil; null apaga a que há.
             * @example solteiro
             * @enum {string|null}
             */
            estado_civil?: "solteiro" | "casado" | "uniao" | "divorciado" | "viuvo" | "separado" | null;
            /**
             * @description Nova anotação, que substitui a anterior; null apaga a que há. Não escreva nela dados pessoais de outras pessoas nem dados sensíveis, como os de saúde, pois ela fica guardada com o lead.
             * @example Prefere contato à tarde.
             */
            observacao?: string | null;
        };
        SimulacaoNova: {
            /**
             * Format: int64
             * @description Lead para quem se simula, da mesma unidade e do mesmo ambiente da chave.
             * @example 114901623046123
             */
            lead_id: number;
            /**
             * @description Valor de compra ou de mercado do imóvel, em reais. Sem ele, o menor que comporta valor_financiado.
             * @example 500000
             */
            valor_imovel?: number;
            /**
             * @description Valor que se pede ao banco, em reais. Sem ele, a maior parte do imóvel que o banco financia; sem os dois valores, o que a renda sustenta.
             * @example 350000
             */
            valor_financiado?: number;
            /**
             * @description Prazo do financiamento, em meses. Sem ele, o maior que o banco e a idade do cliente permitem; acima do limite de um banco, ele recusa.
             * @example 360
             */
            prazo?: number;
            /**
             * @description Renda mensal bruta a considerar, em reais; sem ela, vale a do lead.
             * @example 15000
             */
            renda?: number;
            /**
             * @description Como as parcelas evoluem: SAC (cai mês a mês, o padrão) ou PRICE (constante).
             * @example SAC
             * @enum {string}
             */
            tipo_amortizacao?: "SAC" | "PRICE";
            /**
             * @description No lugar de tipo_amortizacao: os sistemas a simular, um item por banco e sistema. ["SAC", "PRICE"] compara os dois em uma chamada. Uma lista vazia vale como ausente.
             * @example [
             *       "SAC",
             *       "PRICE"
             *     ]
             */
            sistemas?: ("SAC" | "PRICE")[];
            /**
             * @description true financia também ITBI e registro (4 % do imóvel), nos bancos que o fazem; sem ele, false.
             * @example false
             */
            financiar_despesas?: boolean;
            /**
             * @description Segmento do cliente no banco; sem ele, padrao, o cliente comum de agência. Onde o banco não publica taxa para o segmento, vale a de todos.
             * @example alta_renda
             * @enum {string}
             */
            segmento?: "padrao" | "intermediario" | "alta_renda";
            /**
             * @description Para que se compra o imóvel; sem ela, residencial. Nenhum banco publica preços de compra comercial: recusam todos, menos o crédito com garantia de imóvel.
             * @example residencial
             * @enum {string}
             */
            finalidade?: "residencial" | "comercial";
            /**
             * @description Estado do imóvel; um banco que não financia nele recusa. Onde nenhuma tabela distingue estados, um aviso diz que nada mudou.
             * @example SP
             * @enum {string}
             */
            uf?: "AC" | "AL" | "AP" | "AM" | "BA" | "CE" | "DF" | "ES" | "GO" | "MA" | "MT" | "MS" | "MG" | "PA" | "PB" | "PR" | "PE" | "PI" | "RJ" | "RN" | "RS" | "RO" | "RR" | "SC" | "SP" | "SE" | "TO";
            /** @description Quem compra junto: as rendas se somam, e o seguro conta as duas idades. */
            segundo_proponente?: components["schemas"]["SegundoProponente"];
            /** @description FGTS que paga parte do preço, com o que a lei pergunta ao comprador. */
            fgts?: components["schemas"]["Fgts"];
            /**
             * @description Bancos a consultar, cada um por apelido, nome ou id: bradesco (1), itau (2), santander (3), inter (4), brb (5), cashme (6). Maiúsculas e acentos não importam; repetidos contam uma vez; a ordem é a da resposta.
             * @example [
             *       "itau",
             *       "bradesco",
             *       "cashme"
             *     ]
             */
            bancos: (string | number)[];
        };
        SegundoProponente: {
            /**
             * @description Renda mensal bruta do segundo proponente, em reais; soma-se à do primeiro.
             * @example 10000
             */
            renda: number;
            /**
             * Format: date
             * @description Nascimento do segundo proponente; o mais velho dos dois limita o prazo.
             * @example 1986-09-30
             */
            data_nascimento: string;
            /**
             * @description Parte do seguro que cabe ao segundo proponente, em percentual; o primeiro fica com o resto. Sem ela, a das rendas.
             * @example 40
             */
            participacao?: number;
        };
        Fgts: {
            /**
             * @description Quanto do preço o FGTS paga, em reais. Só no SFH; não muda o financiado nem o CET.
             * @example 50000
             */
            valor: number;
            /**
             * @description O comprador soma três anos de trabalho sob o regime do FGTS? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
             * @example true
             */
            tres_anos?: boolean;
            /**
             * @description O comprador está sem outro financiamento ativo no SFH? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
             * @example true
             */
            sem_financiamento_sfh?: boolean;
            /**
             * @description O comprador está sem imóvel residencial no município em que mora ou trabalha? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
             * @example true
             */
            sem_imovel_no_municipio?: boolean;
            /**
             * @description O imóvel é para a moradia do comprador? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
             * @example true
             */
            moradia_propria?: boolean;
        };
        AnaliseNova: {
            /**
             * Format: int64
             * @description Lead do titular, da mesma unidade e do mesmo ambiente da chave. É a fonte de nome, CPF e nascimento.
             * @example 114901623046123
             */
            lead_id: number;
            /**
             * @description Sempre true: o titular consentiu com a consulta de crédito (LGPD). Qualquer outro valor é recusado e nada vai ao banco.
             * @constant
             */
            consentimento: true;
            /**
             * Format: date-time
             * @description Momento em que o titular consentiu, com fuso. Até 5 minutos à frente do relógio do serviço são tolerados; antes do nascimento do titular não vale, e em produção tampouco um de há muito tempo: o guia diz de quantos dias.
             * @example 2026-11-21T13:18:22-03:00
             */
            consentimento_timestamp: string;
            /**
             * @description IP do aparelho em que o titular consentiu (v4 ou v6); não o do servidor do parceiro.
             * @example 203.0.113.25
             */
            consentimento_ip: string;
            /**
             * @description Por onde o titular consentiu: web, app, whatsapp, presencial ou outro canal, nas palavras do parceiro; ao menos 2 letras, sem CPF, RG, telefone ou e-mail.
             * @example web
             */
            consentimento_canal: string;
            /**
             * @description Versão do texto que o titular aceitou, como o parceiro a chama. Fica no registro do consentimento.
             * @example termo-2026-10
             */
            consentimento_versao?: string;
            /**
             * @description Nome do titular, igual ao do lead; maiúsculas, acentos, espaços repetidos, caracteres invisíveis e a forma de apóstrofo e hífen não contam.
             * @example Marina Duarte Alves
             */
            nome: string;
            /**
             * @description CPF do titular, igual ao do lead, com ou sem pontuação. No sandbox, os CPFs de teste decidem o desfecho.
             * @example 900.000.001-75
             */
            cpf: string;
            /**
             * Format: date
             * @description Nascimento do titular, de 18 a 80 anos. Igual ao do lead; se o lead não o tem, passa a ter este.
             * @example 1988-03-14
             */
            data_nascimento: string;
            /**
             * @description Renda mensal bruta do titular, em reais.
             * @example 15000
             */
            renda: number;
            /**
             * @description Como consta no documento: M (masculino) ou F (feminino).
             * @example F
             * @enum {string}
             */
            sexo: "M" | "F";
            /**
             * @description Situação civil do titular. Com casado ou uniao, conjuge_nome, conjuge_cpf e conjuge_data_nascimento são obrigatórios.
             * @example solteiro
             * @enum {string}
             */
            estado_civil: "solteiro" | "casado" | "uniao" | "divorciado" | "viuvo" | "separado";
            /**
             * @description Nome completo da mãe do titular, como no documento.
             * @example Teresa Duarte Alves
             */
            nome_mae: string;
            /**
             * Format: email
             * @description E-mail em que o banco fala com o titular.
             * @example marina.alves@example.com
             */
            email: string;
            /**
             * @description Telefone com DDD em que o banco fala com o titular; de 8 a 15 dígitos, com ou sem pontuação.
             * @example (11) 90000-0001
             */
            telefone?: string;
            /**
             * @description O que o titular faz, como ele declara.
             * @example Engenheira
             */
            profissao: string;
            /**
             * @description Empregador do titular, ou a própria empresa, de onde vem a renda.
             * @example Empresa Exemplo Ltda.
             */
            empresa: string;
            /**
             * @description Número da carteira de identidade (RG), com ou sem pontuação.
             * @example 12.345.678-9
             */
            rg: string;
            /**
             * @description Sigla do órgão que emitiu o RG.
             * @example SSP
             */
            rg_orgao: string;
            /**
             * @description Sigla do estado em que o RG foi emitido.
             * @example SP
             * @enum {string}
             */
            rg_uf: "AC" | "AL" | "AP" | "AM" | "BA" | "CE" | "DF" | "ES" | "GO" | "MA" | "MT" | "MS" | "MG" | "PA" | "PB" | "PR" | "PE" | "PI" | "RJ" | "RN" | "RS" | "RO" | "RR" | "SC" | "SP" | "SE" | "TO";
            /**
             * Format: date
             * @description Data de emissão do RG, até hoje.
             * @example 2006-05-02
             */
            rg_emissao: string;
            /**
             * @description CEP da residência do titular: 8 dígitos, com ou sem hífen.
             * @example 01310-100
             */
            cep: string;
            /**
             * @description Rua, avenida ou praça da residência, sem o número.
             * @example Avenida Paulista
             */
            logradouro: string;
            /**
             * @description Número no logradouro, como texto; complementos cabem aqui (1000 ap 12).
             * @example 1000
             */
            numero: string;
            /**
             * @description Bairro da residência.
             * @example Bela Vista
             */
            bairro: string;
            /**
             * @description Município da residência, por extenso.
             * @example São Paulo
             */
            municipio: string;
            /**
             * @description Sigla do estado da residência.
             * @example SP
             * @enum {string}
             */
            uf: "AC" | "AL" | "AP" | "AM" | "BA" | "CE" | "DF" | "ES" | "GO" | "MA" | "MT" | "MS" | "MG" | "PA" | "PB" | "PR" | "PE" | "PI" | "RJ" | "RN" | "RS" | "RO" | "RR" | "SC" | "SP" | "SE" | "TO";
            /**
             * @description Valor de compra ou de mercado do imóvel, em reais.
             * @example 500000
             */
            valor_imovel: number;
            /**
             * @description Valor que se pede ao banco, em reais; não passa de valor_imovel.
             * @example 350000
             */
            valor_financiado: number;
            /**
             * @description Prazo do financiamento, em meses. Sem ele, o banco propõe o seu.
             * @example 360
             */
            prazo?: number;
            /**
             * @description Nome completo do cônjuge ou companheiro. Obrigatório com estado_civil casado ou uniao.
             * @example Rafael Nogueira Lima
             */
            conjuge_nome?: string;
            /**
             * @description CPF do cônjuge, que não pode ser o do titular. Obrigatório com estado_civil casado ou uniao.
             * @example 900.000.003-37
             */
            conjuge_cpf?: string;
            /**
             * Format: date
             * @description Data de nascimento do cônjuge, de 16 anos ou mais. Obrigatória com estado_civil casado ou uniao.
             * @example 1986-09-30
             */
            conjuge_data_nascimento?: string;
            /**
             * @description Renda mensal bruta do cônjuge, em reais; só quando o casal compõe renda.
             * @example 8500
             */
            conjuge_renda?: number;
            /**
             * @description Bancos a consultar, cada um por apelido, nome ou id: bradesco (1), itau (2), santander (3), inter (4), brb (5), cashme (6). Maiúsculas e acentos não importam; repetidos contam uma vez; a ordem é a da resposta.
             * @example [
             *       "itau",
             *       "bradesco"
             *     ]
             */
            bancos: (string | number)[];
        };
        RevogacaoNova: {
            /**
             * Format: date-time
             * @description Momento em que o titular revogou o consentimento, com fuso; vale para tudo o que ele consentiu até então. Até 5 minutos à frente do relógio do serviço são tolerados.
             * @example 2026-11-22T09:30:00-03:00
             */
            revogado_em: string;
            /**
             * @description Por onde o titular revogou: web, app, whatsapp, presencial ou outro canal, nas palavras do parceiro; ao menos 2 letras, sem CPF, RG, telefone ou e-mail.
             * @example app
             */
            canal: string;
        };
        /** @description Corpo do evento analise.resultado, até 4 KB. */
        EventoResultado: {
            /**
             * @description Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
             * @example evt_sodoxse6fqybk74uuah7mn6qio4dluls
             */
            id: string;
            /**
             * @description O que aconteceu. analise.resultado: a análise teve desfecho. analise.erro: a análise falhou.
             * @constant
             */
            type: "analise.resultado";
            /**
             * Format: date-time
             * @description Momento em que a situação mudou, UTC; o de cada tentativa está em webhook-timestamp.
             * @example 2026-11-21T16:21:00.180Z
             */
            timestamp: string;
            /**
             * @description Ambiente da chave que submeteu a análise.
             * @example sandbox
             * @enum {string}
             */
            ambiente: "sandbox" | "producao";
            /**
             * @description Ordem deste evento entre os da mesma análise, a partir de 1.
             * @example 1
             */
            sequencia: number;
            /** @description A análise, como em GET /v1/analises/{id}/status, mais lead_id e banco_id. */
            data: {
                /**
                 * Format: int64
                 * @description Identificador da análise em um banco; é com ele que se acompanha o desfecho.
                 * @example 114902660761425
                 */
                analise_id: number;
                /**
                 * @description Apelido do banco, sempre nesta forma nas respostas.
                 * @example itau
                 * @enum {string}
                 */
                banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
                /**
                 * @description Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
                 * @example SB-114902660761425
                 */
                num_consulta: string;
                /**
                 * @description Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.
                 * @example Aprovado
                 */
                status_original: string;
                /**
                 * @description O desfecho, definitivo; a lista é estável na v1.
                 * @example aprovado
                 * @enum {string}
                 */
                situacao: "aprovado" | "condicionado" | "recusado" | "cancelado";
                /**
                 * @description Sempre false: o desfecho é definitivo.
                 * @constant
                 */
                pendente: false;
                /**
                 * Format: int64
                 * @description Lead do titular da análise.
                 * @example 114901623046123
                 */
                lead_id: number;
                /**
                 * @description Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
                 * @example 2
                 */
                banco_id: number;
            };
        };
        /** @description Corpo do evento analise.erro, até 4 KB. */
        EventoErro: {
            /**
             * @description Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
             * @example evt_kncaptzruqa22ekjqplvlw4zmtdqri7w
             */
            id: string;
            /**
             * @description O que aconteceu. analise.resultado: a análise teve desfecho. analise.erro: a análise falhou.
             * @constant
             */
            type: "analise.erro";
            /**
             * Format: date-time
             * @description Momento em que a situação mudou, UTC; o de cada tentativa está em webhook-timestamp.
             * @example 2026-11-21T16:21:00.180Z
             */
            timestamp: string;
            /**
             * @description Ambiente da chave que submeteu a análise.
             * @example sandbox
             * @enum {string}
             */
            ambiente: "sandbox" | "producao";
            /**
             * @description Ordem deste evento entre os da mesma análise, a partir de 1.
             * @example 1
             */
            sequencia: number;
            /** @description A análise, como em GET /v1/analises/{id}/status, mais lead_id, banco_id e motivo. */
            data: {
                /**
                 * Format: int64
                 * @description Identificador da análise em um banco; é com ele que se acompanha o desfecho.
                 * @example 114902660763477
                 */
                analise_id: number;
                /**
                 * @description Apelido do banco, sempre nesta forma nas respostas.
                 * @example santander
                 * @enum {string}
                 */
                banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
                /**
                 * @description Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
                 * @example
                 */
                num_consulta: string;
                /**
                 * @description Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.
                 * @example Falha no envio ao banco
                 */
                status_original: string;
                /**
                 * @description Sempre erro neste evento.
                 * @constant
                 */
                situacao: "erro";
                /**
                 * @description Sempre false: a análise terminou.
                 * @constant
                 */
                pendente: false;
                /**
                 * Format: int64
                 * @description Lead do titular da análise.
                 * @example 114901623046123
                 */
                lead_id: number;
                /**
                 * @description Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
                 * @example 3
                 */
                banco_id: number;
                /**
                 * @description O que falhou, em uma frase para pessoas; só em analise.erro.
                 * @example O sandbox recusa o envio para este CPF de teste.
                 */
                motivo: string;
            };
        };
        /** @description Corpo do evento conta.alterada. */
        EventoConta: {
            /**
             * @description Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
             * @example evt_3o6y66r4kb3hi74t4yf35gxhwdzt2mmo
             */
            id: string;
            /**
             * @description Sempre conta.alterada: não fala de nenhuma análise.
             * @constant
             */
            type: "conta.alterada";
            /**
             * Format: date-time
             * @description Momento da mudança, UTC; GET /v1/me mostra em alterada_em o da última.
             * @example 2026-11-21T16:20:07.412Z
             */
            timestamp: string;
            /**
             * @description O ambiente da chave, do endereço ou do segredo que mudou; producao em producao_liberada.
             * @example producao
             * @enum {string}
             */
            ambiente: "sandbox" | "producao";
            /**
             * @description Sempre 0 neste evento.
             * @constant
             */
            sequencia: 0;
            /** @description Só o tipo da mudança: nem qual chave, nem qual endereço. */
            data: {
                /**
                 * @description O que mudou. chave_criada, chave_revogada, chave_trocada: uma chave da API. webhook_endereco: o endereço do webhook. webhook_segredo: o segredo que assina. producao_liberada: o parceiro pode ter chaves de produção.
                 * @example chave_criada
                 */
                mudanca: string;
            };
        };
        /** @description Corpo do evento webhook.teste. */
        EventoTeste: {
            /**
             * @description Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
             * @example evt_xbj67bow5wedd7vcyzradoqx44wsgmnn
             */
            id: string;
            /**
             * @description Sempre webhook.teste: não fala de nenhuma análise.
             * @constant
             */
            type: "webhook.teste";
            /**
             * Format: date-time
             * @description Momento em que o gestor enviou o teste, UTC.
             * @example 2026-11-21T16:20:07.412Z
             */
            timestamp: string;
            /**
             * @description Ambiente do endereço testado.
             * @example sandbox
             * @enum {string}
             */
            ambiente: "sandbox" | "producao";
            /**
             * @description Sempre 0 neste evento.
             * @constant
             */
            sequencia: 0;
            /** @description Nada que o receptor precise guardar. */
            data: {
                /**
                 * @description O que é este evento, em uma frase.
                 * @example Evento de teste enviado pelo gestor; pode ser descartado.
                 */
                mensagem: string;
            };
        };
        LeadCriado: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * Format: int64
             * @description Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.
             * @example 114901623046123
             */
            lead_id: number;
            /**
             * @description true quando o CPF já era um lead da unidade: vale o lead que existia, completado com o que lhe faltava.
             * @example true
             */
            reaproveitado: boolean;
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
        };
        LeadConsultado: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            lead: components["schemas"]["Lead"];
        };
        Lead: {
            /**
             * Format: int64
             * @description Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.
             * @example 114901623046123
             */
            lead_id: number;
            /**
             * @description Nome completo do cliente.
             * @example Marina Duarte Alves
             */
            nome: string;
            /**
             * @description CPF do cliente, sempre com pontuação.
             * @example 900.000.001-75
             */
            cpf: string;
            /**
             * @description Telefone como foi enviado; null quando não há.
             * @example (11) 90000-0001
             */
            telefone: string | null;
            /**
             * @description E-mail do cliente; null quando não há.
             * @example marina.alves@example.com
             */
            email: string | null;
            /**
             * Format: date
             * @description Nascimento do cliente; null quando não há.
             * @example 1988-03-14
             */
            data_nascimento: string | null;
            /**
             * @description Renda mensal bruta, em reais; null quando não há.
             * @example 15000
             */
            renda: number | null;
            /**
             * @description Situação civil do cliente; null quando não há.
             * @example solteiro
             * @enum {string|null}
             */
            estado_civil: "solteiro" | "casado" | "uniao" | "divorciado" | "viuvo" | "separado" | null;
            /**
             * @description De onde o lead veio, nas palavras do parceiro; null quando não há.
             * @example site
             */
            origem: string | null;
            /**
             * @description Anotação do parceiro; null quando não há.
             * @example Prefere contato à tarde.
             */
            observacao: string | null;
            /**
             * Format: date-time
             * @description Momento em que o lead foi criado, UTC.
             * @example 2026-11-21T16:15:54.063Z
             */
            criado_em: string;
            /**
             * Format: date-time
             * @description Momento da última alteração, UTC; o da criação enquanto nada mudou.
             * @example 2026-11-21T16:15:54.063Z
             */
            atualizado_em: string;
            /**
             * Format: date-time
             * @description Quando o lead e o que está ligado a ele serão eliminados por falta de uso, UTC; ausente sem aviso em curso. Qualquer uso (alteração, simulação, análise ou o mesmo CPF em POST /v1/leads) encerra o aviso.
             * @example 2026-10-31T12:00:00.000Z
             */
            expira_em?: string;
        };
        LeadAlterado: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * Format: int64
             * @description Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.
             * @example 114901623046123
             */
            lead_id: number;
            /**
             * @description Nomes dos campos cujo valor mudou de fato; vazio quando nada mudou.
             * @example [
             *       "renda",
             *       "observacao"
             *     ]
             */
            atualizado: string[];
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
        };
        SimulacaoCriada: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /** @description O que se simulou nesta chamada, banco a banco. */
            resultado: {
                /**
                 * @description true quando ao menos um dos bancos oferece.
                 * @example true
                 */
                sucesso: boolean;
                /**
                 * Format: int64
                 * @description Identificador de tudo o que esta chamada simulou; GET /v1/simulacoes/{id} o aceita e responde com a de CET projetado mais baixo.
                 * @example 114901623046128
                 */
                id_oportunidade: number;
                /** @description Um item por banco, na ordem pedida; com sistemas, um por banco e sistema. */
                resultados: components["schemas"]["Oferta"][];
            };
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example bancos
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example Bradesco: taxa publicada há 294 dias ou mais: confirme-a com o banco.
                 */
                motivo: string;
            }[];
        };
        /** @description A resposta de um banco: com preços quando `sucesso` é true, com motivos quando é false. */
        Oferta: components["schemas"]["OfertaComPrecos"] | components["schemas"]["OfertaRecusada"];
        /** @description O que um banco oferece. */
        OfertaComPrecos: {
            /**
             * @description Apelido do banco, sempre nesta forma nas respostas.
             * @example itau
             * @enum {string}
             */
            banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
            /**
             * @description true: o banco oferece, e os preços estão aqui.
             * @constant
             */
            sucesso: true;
            /**
             * Format: int64
             * @description Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
             * @example 114901623046130
             */
            simulacao_id: number;
            /**
             * @description Regime do crédito: SFH e SFI são financiamento de imóvel, HOME_EQUITY é crédito com garantia. Lista aberta, hoje SFH, SFI, HOME_EQUITY: novos valores podem surgir na v1.
             * @example SFI
             */
            produto: string;
            /**
             * @description O que corrige o saldo devedor, além dos juros. Lista aberta, hoje TR, IPCA, POUPANCA, PREFIXADO: novos valores podem surgir na v1.
             * @example TR
             */
            indexador: string;
            /**
             * @description Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
             * @example SAC
             */
            sistema_amortizacao: string;
            /**
             * @description Principal do contrato, despesas financiadas incluídas, em reais.
             * @example 350000
             */
            valor_financiado: number;
            /**
             * @description Prazo que o banco oferece, em meses.
             * @example 360
             */
            prazo_meses: number;
            /**
             * @description De quem é a taxa: padrao é o cliente comum de agência; é o que vale também quando o banco não publica taxa para o segmento pedido. Lista aberta, hoje padrao, intermediario, alta_renda: novos valores podem surgir na v1.
             * @example padrao
             */
            segmento: string;
            /**
             * @description Juros efetivos, 2 casas, em percentual ao ano.
             * @example 13.69
             */
            taxa_anual: number;
            /**
             * @description O que a taxa é: a_partir_de é a menor anunciada, segmento a do segmento, media uma média de contratos, promocional a de uma campanha. Lista aberta, hoje a_partir_de, segmento, media, promocional: novos valores podem surgir na v1.
             * @example segmento
             */
            taxa_tipo: string;
            /**
             * @description Quando a taxa foi publicada, com a precisão que se conhece: 2026, 2026-07 ou 2026-07-30.
             * @example 2026-07
             */
            taxa_data: string;
            /**
             * @description Quem publicou a taxa, em uma frase para o cliente.
             * @example Itaú, página do banco, taxa do cliente comum de agência
             */
            taxa_fonte: string;
            /**
             * @description De quando são os outros números da tabela (prêmios, tarifas, prazos, limites, partes): uma data, ou a mais antiga e a mais nova, 2025/2026-11.
             * @example 2025
             */
            condicoes_data?: string;
            /**
             * @description Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas, em percentual ao ano.
             * @example 14.7
             */
            cet_anual: number;
            /**
             * @description CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe as ofertas em ordem, em percentual ao ano.
             * @example 16.98
             */
            cet_projetado_aa?: number;
            /**
             * @description Primeira parcela, com seguros e tarifa, em reais.
             * @example 4880.89
             */
            parcela_1: number;
            /**
             * @description Preço menos FGTS e menos `valor_financiado` sem as despesas financiadas; 0 em crédito com garantia de imóvel, em reais.
             * @example 150000
             */
            entrada: number;
            /**
             * @description Dinheiro que o cliente traz no dia: entrada, despesas à vista e avaliação, em reais.
             * @example 173500
             */
            recursos_necessarios: number;
            /**
             * @description Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção, em reais.
             * @example 14642.67
             */
            renda_necessaria: number;
            /**
             * @description Se a renda informada, a dos dois proponentes somada, sustenta a primeira parcela. Só quando há renda.
             * @example true
             */
            renda_suficiente?: boolean;
            /**
             * @description Maior valor financiado, sem as despesas, que a renda e o banco permitem nestas condições. Ausente quando não há nenhum, em reais.
             * @example 358590.24
             */
            valor_maximo_pela_renda?: number;
            /**
             * @description Caminho do PDF da simulação, que se acrescenta a {base_url}; pede a mesma chave.
             * @example /v1/simulacoes/114901623046130/pdf
             */
            pdf_url: string;
        };
        /** @description Por que um banco não oferece, e o que ele aceitaria. */
        OfertaRecusada: {
            /**
             * @description Apelido do banco, sempre nesta forma nas respostas.
             * @example itau
             * @enum {string}
             */
            banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
            /**
             * @description false: o banco não oferece, e motivos diz por quê. Não há preço nenhum.
             * @constant
             */
            sucesso: false;
            /**
             * @description Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
             * @example SAC
             */
            sistema_amortizacao: string;
            /**
             * @description Por que este banco não oferece, com o limite que o pedido passou.
             * @example O prazo passa do máximo deste banco; peça até 240 meses.
             */
            motivo: string;
            /**
             * @description Tudo o que impede a oferta neste banco; o primeiro é o de motivo.
             * @example [
             *       "O prazo passa do máximo deste banco; peça até 240 meses.",
             *       "O valor financiado passa de 60 % do imóvel; neste banco o máximo é R$ 300.000,00."
             *     ]
             */
            motivos: string[];
            /** @description O pedido mais próximo que este banco aceita: troque estes quatro campos, sem `sistemas`, e simule de novo. Ausente quando nenhum valor resolve, ou só um imóvel mais barato. */
            proposta_possivel?: components["schemas"]["PropostaPossivel"];
        };
        PropostaPossivel: {
            /**
             * @description Valor do imóvel, em reais.
             * @example 500000
             */
            valor_imovel: number;
            /**
             * @description Valor que se pede ao banco, sem as despesas, em reais.
             * @example 300000
             */
            valor_financiado: number;
            /**
             * @description Prazo, em meses.
             * @example 240
             */
            prazo: number;
            /**
             * @description Sistema que este banco oferece.
             * @example SAC
             * @enum {string}
             */
            tipo_amortizacao: "SAC" | "PRICE";
        };
        SimulacaoConsultada: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            simulacao: components["schemas"]["Simulacao"];
        };
        Simulacao: {
            /**
             * Format: int64
             * @description Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
             * @example 114901623046129
             */
            id: number;
            /**
             * Format: int64
             * @description Lead para quem se simulou.
             * @example 114901623046123
             */
            lead_id: number;
            /**
             * @description Apelido do banco, sempre nesta forma nas respostas.
             * @example bradesco
             * @enum {string}
             */
            banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
            /**
             * @description Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
             * @example 1
             */
            banco_id: number;
            /**
             * @description Regime do crédito: SFH e SFI são financiamento de imóvel, HOME_EQUITY é crédito com garantia. Lista aberta, hoje SFH, SFI, HOME_EQUITY: novos valores podem surgir na v1.
             * @example SFI
             */
            produto: string;
            /**
             * @description Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
             * @example SAC
             */
            sistema_amortizacao: string;
            /**
             * @description O que corrige o saldo devedor, além dos juros. Lista aberta, hoje TR, IPCA, POUPANCA, PREFIXADO: novos valores podem surgir na v1.
             * @example TR
             */
            indexador: string;
            /**
             * @description Prazo oferecido, em meses.
             * @example 360
             */
            prazo_meses: number;
            /**
             * Format: date-time
             * @description Momento em que se simulou, UTC.
             * @example 2026-11-21T16:15:54.063Z
             */
            data: string;
            /**
             * Format: date
             * @description Último dia dos preços desta tabela: 30 dias depois da simulação. Não é prazo de uma proposta do banco.
             * @example 2026-12-21
             */
            valida_ate: string;
            /**
             * @description Versão da tabela do banco que deu os preços; uma tabela nova não altera simulações feitas.
             * @example bradesco-2026-11
             */
            tabela_versao: string;
            /**
             * @description De quem é a taxa: padrao é o cliente comum de agência; é o que vale também quando o banco não publica taxa para o segmento pedido. Lista aberta, hoje padrao, intermediario, alta_renda: novos valores podem surgir na v1.
             * @example padrao
             */
            segmento?: string;
            /**
             * @description Para que se compra o imóvel. Lista aberta, hoje residencial, comercial: novos valores podem surgir na v1.
             * @example residencial
             */
            finalidade?: string;
            /** @description O cliente como estava no lead no momento da simulação. */
            cliente: {
                /**
                 * @description Nome do cliente no momento da simulação.
                 * @example Marina Duarte Alves
                 */
                nome: string;
                /**
                 * @description CPF do cliente, sempre com pontuação.
                 * @example 900.000.001-75
                 */
                cpf: string;
                /**
                 * Format: date
                 * @description Nascimento do cliente; null quando o lead não o tinha.
                 * @example 1988-03-14
                 */
                data_nascimento: string | null;
            };
            /** @description Quem compra junto, como o seguro o conta. */
            segundo_proponente?: {
                /**
                 * Format: date
                 * @description Nascimento do segundo proponente.
                 * @example 1986-09-30
                 */
                data_nascimento: string;
                /**
                 * @description Parte do seguro que cabe a ele, em percentual, 2 casas.
                 * @example 40
                 */
                participacao: number;
            };
            /** @description De que valores a oferta parte. */
            valores: {
                /**
                 * @description Valor do imóvel considerado, em reais.
                 * @example 500000
                 */
                imovel: number;
                /**
                 * @description Principal do contrato, despesas financiadas incluídas, em reais.
                 * @example 350000
                 */
                financiado: number;
                /**
                 * @description ITBI e registro que entraram no financiamento; 0 quando não entraram, em reais.
                 * @example 0
                 */
                despesas: number;
                /**
                 * @description Quanto do preço o FGTS paga, em reais.
                 * @example 0
                 */
                fgts?: number;
                /**
                 * @description `imovel` menos `fgts` e menos `financiado` sem as `despesas`; 0 em crédito com garantia de imóvel, em reais.
                 * @example 150000
                 */
                entrada?: number;
                /**
                 * @description ITBI e registro que não entraram no financiamento, em reais.
                 * @example 20000
                 */
                despesas_a_vista?: number;
                /**
                 * @description Dinheiro que o cliente traz no dia: entrada, despesas à vista e avaliação, em reais.
                 * @example 173500
                 */
                recursos_necessarios?: number;
            };
            /** @description Quanto custa o dinheiro. */
            taxas: {
                /**
                 * @description Juros efetivos, 2 casas, em percentual ao ano.
                 * @example 12.79
                 */
                juros_aa: number;
                /**
                 * @description Os mesmos juros, 4 casas, em percentual ao mês.
                 * @example 1.008
                 */
                juros_am: number;
                /**
                 * @description Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas, em percentual ao ano.
                 * @example 13.9
                 */
                cet_aa: number;
                /**
                 * @description CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe as ofertas em ordem, em percentual ao ano.
                 * @example 16.14
                 */
                cet_projetado_aa?: number;
                /**
                 * @description O que a taxa é: a_partir_de é a menor anunciada, segmento a do segmento, media uma média de contratos, promocional a de uma campanha. Lista aberta, hoje a_partir_de, segmento, media, promocional: novos valores podem surgir na v1.
                 * @example segmento
                 */
                taxa_tipo?: string;
                /**
                 * @description Quando a taxa foi publicada, com a precisão que se conhece: 2026, 2026-07 ou 2026-07-30.
                 * @example 2026-01
                 */
                taxa_data?: string;
                /**
                 * @description Quem publicou a taxa, em uma frase para o cliente.
                 * @example Bradesco, taxa do cliente comum de agência
                 */
                taxa_fonte?: string;
                /**
                 * @description De quando são os outros números da tabela (prêmios, tarifas, prazos, limites, partes): uma data, ou a mais antiga e a mais nova, 2025/2026-11.
                 * @example 2025-11
                 */
                condicoes_data?: string;
            };
            /** @description Resumo do cronograma, que está inteiro em /v1/simulacoes/{id}/parcelas. */
            parcelas: {
                /**
                 * @description Primeira parcela, com seguros e tarifa, em reais.
                 * @example 4655.02
                 */
                primeira: number;
                /**
                 * @description Última parcela, com tarifa e sem seguros, em reais.
                 * @example 1007.83
                 */
                ultima: number;
                /**
                 * @description Soma de todas as parcelas, em reais.
                 * @example 1052054.87
                 */
                total_a_pagar: number;
            };
            /**
             * @description Quem assume a inflação: o cliente quando um indexador corrige o saldo, o banco quando não há indexador.
             * @example cliente
             * @enum {string}
             */
            inflacao_por_conta_de: "cliente" | "banco";
            /** @description A mesma oferta em um cenário do indexador: para comparar ofertas, não é promessa. */
            projecao?: components["schemas"]["Projecao"];
            /**
             * @description Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção, em reais.
             * @example 15516.73
             */
            renda_necessaria: number;
            /**
             * @description Se a renda informada, a dos dois proponentes somada, sustenta a primeira parcela. Só quando há renda.
             * @example false
             */
            renda_suficiente?: boolean;
            /**
             * @description Maior valor financiado, sem as despesas, que a renda e o banco permitem nestas condições. Ausente quando não há nenhum, em reais.
             * @example 338197.18
             */
            valor_maximo_pela_renda?: number;
            /** @description O que se paga além dos juros. */
            custos: {
                /**
                 * @description Avaliação do imóvel, paga uma vez, no início, em reais.
                 * @example 3500
                 */
                taxa_avaliacao: number;
                /**
                 * @description Seguro de danos ao imóvel (DFI), sobre o valor do imóvel, em percentual ao mês.
                 * @example 0.0066
                 */
                dfi: number;
                /**
                 * @description Tarifa de administração de cada parcela, em reais.
                 * @example 25
                 */
                tarifa_mensal: number;
                /**
                 * @description IOF retido do que se recebe; 0 na compra de moradia, que é isenta, em reais.
                 * @example 0
                 */
                iof: number;
            };
            /** @description De que se compõe a primeira parcela; as partes somam exatamente o total. */
            composicao_primeira_parcela: {
                /**
                 * @description Parte que abate o principal, em reais.
                 * @example 972.22
                 */
                amortizacao: number;
                /**
                 * @description Juros do mês sobre o saldo devedor, em reais.
                 * @example 3528.09
                 */
                juros: number;
                /**
                 * @description Seguro de morte e invalidez (MIP), conforme a idade, em reais.
                 * @example 96.71
                 */
                seguro_mip: number;
                /**
                 * @description Seguro de danos ao imóvel (DFI), em reais.
                 * @example 33
                 */
                dfi: number;
                /**
                 * @description Tarifa de administração, em reais.
                 * @example 25
                 */
                tarifa: number;
                /**
                 * @description Soma das partes: o que se paga na primeira parcela, em reais.
                 * @example 4655.02
                 */
                total: number;
            };
            /**
             * @description O que a simulação supôs, em frases para o cliente; na consulta pelo id_oportunidade também por que as ofertas não se comparam em reais, quando diferem em valor financiado, prazo, sistema ou dinheiro do dia.
             * @example [
             *       "Simulação indicativa: as condições são confirmadas na análise de crédito.",
             *       "Taxa publicada há 294 dias ou mais: confirme-a com o banco.",
             *       "O CET conta o indexador TR como zero.",
             *       "O CET projetado supõe TR de 2 % ao ano (Banco Central do Brasil, TR acumulada em 12 meses até meados de 2026)."
             *     ]
             */
            observacoes: string[];
            /** @description As outras ofertas, em ordem crescente do CET projetado, e por fim as de crédito com garantia de imóvel; só quando a consulta foi pelo id_oportunidade. */
            outras?: {
                /**
                 * Format: int64
                 * @description Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
                 * @example 114901623366083
                 */
                id: number;
                /**
                 * @description Apelido do banco, sempre nesta forma nas respostas.
                 * @example santander
                 * @enum {string}
                 */
                banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
                /**
                 * @description Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
                 * @example SAC
                 */
                sistema_amortizacao: string;
                /**
                 * @description Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas, em percentual ao ano.
                 * @example 12.93
                 */
                cet_aa: number;
                /**
                 * @description CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe as ofertas em ordem, em percentual ao ano.
                 * @example 15.15
                 */
                cet_projetado_aa?: number;
            }[];
        };
        Projecao: {
            /**
             * @description Versão do cenário, que se guarda com a simulação.
             * @example scenario-2026-07
             */
            cenario: string;
            /**
             * @description Quanto se supõe que o indexador some; 0 sem indexador, em percentual ao ano.
             * @example 2
             */
            indexador_aa: number;
            /**
             * @description Quando o número do indexador foi publicado; vazio sem indexador.
             * @example 2026-07
             */
            data: string;
            /**
             * @description Quem publicou o número do indexador; vazio sem indexador.
             * @example Banco Central do Brasil, TR acumulada em 12 meses até meados de 2026
             */
            fonte: string;
            /**
             * @description Última parcela neste cenário, em reais.
             * @example 1803.79
             */
            ultima: number;
            /**
             * @description Soma de todas as parcelas neste cenário, em reais.
             * @example 1343519.79
             */
            total_a_pagar: number;
        };
        Parcelas: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * Format: int64
             * @description Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
             * @example 114901623046129
             */
            simulacao_id: number;
            /** @description O cronograma inteiro, uma linha por mês. */
            parcelas: components["schemas"]["Parcela"][];
        };
        Parcela: {
            /**
             * @description Ordem da parcela, de 1 ao prazo.
             * @example 1
             */
            numero: number;
            /**
             * Format: date
             * @description Dia em que a parcela vence.
             * @example 2026-12-21
             */
            vencimento: string;
            /**
             * @description Parte que abate o principal, em reais.
             * @example 972.22
             */
            amortizacao: number;
            /**
             * @description Juros do mês sobre o saldo devedor, em reais.
             * @example 3528.09
             */
            juros: number;
            /**
             * @description Seguro de morte e invalidez (MIP), conforme a idade, em reais.
             * @example 96.71
             */
            seguro_mip: number;
            /**
             * @description Seguro de danos ao imóvel (DFI), em reais.
             * @example 33
             */
            dfi: number;
            /**
             * @description Tarifa de administração, em reais.
             * @example 25
             */
            tarifa: number;
            /**
             * @description Soma das partes: o que se paga nesta parcela, em reais.
             * @example 4655.02
             */
            total: number;
            /**
             * @description O que se deve depois de pagar esta parcela; 0 na última, em reais.
             * @example 349027.78
             */
            saldo_devedor: number;
        };
        AnalisesAceitas: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /** @description Um item por banco, na ordem pedida. */
            analises: {
                /**
                 * @description Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
                 * @example 2
                 */
                banco_id: number;
                /**
                 * @description true: a proposta foi ou está sendo entregue ao banco. false: o banco não a recebeu nem receberá. A análise já tem desfecho, que vai também por webhook: erro, ou cancelado se o titular revogou o consentimento ou pediu a eliminação dos dados antes do envio.
                 * @example true
                 */
                sucesso: boolean;
                /**
                 * Format: int64
                 * @description Identificador da análise em um banco; é com ele que se acompanha o desfecho.
                 * @example 114902660761425
                 */
                analise_id: number;
                /**
                 * @description Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
                 * @example SB-114902660761425
                 */
                num_consulta: string;
                /**
                 * @description Texto do banco ao receber, só para leitura; o desfecho vem em situacao, depois.
                 * @example Em análise
                 */
                status: string;
                /**
                 * @description Por que o banco não a recebeu, em uma frase para pessoas, como no webhook; só com sucesso false.
                 * @example O sandbox recusa o envio para este CPF de teste.
                 */
                motivo?: string;
            }[];
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
        };
        AnaliseSituacao: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /** @description Onde a análise está neste momento. */
            analise: {
                /**
                 * Format: int64
                 * @description Identificador da análise em um banco; é com ele que se acompanha o desfecho.
                 * @example 114902660761425
                 */
                analise_id: number;
                /**
                 * @description Apelido do banco, sempre nesta forma nas respostas.
                 * @example itau
                 * @enum {string}
                 */
                banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
                /**
                 * @description Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
                 * @example SB-114902660761425
                 */
                num_consulta: string;
                /**
                 * @description Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.
                 * @example Em análise
                 */
                status_original: string;
                /**
                 * @description Onde a análise está; a lista é estável na v1: decida por ela. em_analise: o banco ainda não decidiu. aprovado. condicionado: aprovado com uma condição. recusado: o banco recusou. cancelado: cancelada ou vencida. erro: não se conseguiu submeter ou consultar.
                 * @example em_analise
                 * @enum {string}
                 */
                situacao: "em_analise" | "aprovado" | "condicionado" | "recusado" | "cancelado" | "erro";
                /**
                 * @description true enquanto situacao é em_analise; quando passa a false, o desfecho é definitivo.
                 * @example true
                 */
                pendente: boolean;
            };
        };
        AnalisesDoLead: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * @description Tamanho de página que valeu para esta resposta.
             * @example 20
             */
            limit: number;
            /**
             * @description Quantos itens foram pulados antes desta página.
             * @example 0
             */
            offset: number;
            /**
             * @description true quando há itens depois desta página: peça a próxima com offset + limit.
             * @example false
             */
            tem_mais: boolean;
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
            /**
             * @description Quantas análises do lead ainda estão em_analise, em todas as páginas.
             * @example 1
             */
            pendentes: number;
            /** @description As análises desta página, da mais nova à mais antiga. */
            analises: {
                /**
                 * Format: int64
                 * @description Identificador da análise em um banco; é com ele que se acompanha o desfecho.
                 * @example 114902660762453
                 */
                analise_id: number;
                /**
                 * @description Apelido do banco, sempre nesta forma nas respostas.
                 * @example bradesco
                 * @enum {string}
                 */
                banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
                /**
                 * @description Onde a análise está; a lista é estável na v1: decida por ela. em_analise: o banco ainda não decidiu. aprovado. condicionado: aprovado com uma condição. recusado: o banco recusou. cancelado: cancelada ou vencida. erro: não se conseguiu submeter ou consultar.
                 * @example em_analise
                 * @enum {string}
                 */
                situacao: "em_analise" | "aprovado" | "condicionado" | "recusado" | "cancelado" | "erro";
                /**
                 * @description true enquanto situacao é em_analise; quando passa a false, o desfecho é definitivo.
                 * @example true
                 */
                pendente: boolean;
            }[];
        };
        Consentimentos: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * @description Tamanho de página que valeu para esta resposta.
             * @example 20
             */
            limit: number;
            /**
             * @description Quantos itens foram pulados antes desta página.
             * @example 0
             */
            offset: number;
            /**
             * @description true quando há itens depois desta página: peça a próxima com offset + limit.
             * @example false
             */
            tem_mais: boolean;
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
            /** @description Os registros desta página, do mais novo ao mais antigo. */
            consentimentos: components["schemas"]["Consentimento"][];
            /** @description As revogações do titular, da mais nova à mais antiga, as mesmas em todas as páginas; até 100. Só um consentimento mais novo que a última vale para novas análises. */
            revogacoes: {
                /**
                 * Format: int64
                 * @description Identificador do registro da revogação, que nunca muda nem é apagado antes de 5 anos.
                 * @example 115200000004949
                 */
                id: number;
                /**
                 * Format: date-time
                 * @description Momento em que o titular revogou o consentimento, como foi informado.
                 * @example 2026-11-22T09:30:00-03:00
                 */
                revogado_em: string;
                /**
                 * @description Por onde o titular revogou, como foi informado.
                 * @example app
                 */
                canal: string;
                /**
                 * Format: date-time
                 * @description Momento em que o serviço guardou a revogação.
                 * @example 2026-11-22T12:30:00.001Z
                 */
                registrado_em: string;
            }[];
        };
        Consentimento: {
            /**
             * Format: int64
             * @description Identificador do registro de consentimento, que nunca muda nem é apagado antes de 5 anos.
             * @example 114902660761425
             */
            id: number;
            /**
             * @description Só há registro de quem consentiu.
             * @constant
             */
            consentimento: true;
            /**
             * Format: date-time
             * @description Momento em que o titular consentiu, como o parceiro o informou.
             * @example 2026-11-21T13:18:22-03:00
             */
            timestamp: string;
            /**
             * @description IP do cliente final ao consentir.
             * @example 203.0.113.25
             */
            ip: string;
            /**
             * @description Por onde o titular consentiu, como o parceiro o informou.
             * @example web
             */
            canal: string;
            /**
             * @description Versão do texto que o titular aceitou, como o parceiro a informou; ausente onde não a informou.
             * @example termo-2026-10
             */
            versao?: string;
            /**
             * @description Análises que se apoiaram neste consentimento.
             * @example [
             *       114902660761425,
             *       114902660762453
             *     ]
             */
            analise_ids: number[];
        };
        RevogacaoRegistrada: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /** @description A revogação que vale. Se já havia uma do mesmo momento ou posterior, é ela, e o que este pedido disse não fica guardado. */
            revogacao: {
                /**
                 * Format: int64
                 * @description Identificador do registro da revogação, que nunca muda nem é apagado antes de 5 anos.
                 * @example 115200000004949
                 */
                id: number;
                /**
                 * Format: date-time
                 * @description Momento em que o titular revogou o consentimento, como foi informado.
                 * @example 2026-11-22T09:30:00-03:00
                 */
                revogado_em: string;
                /**
                 * @description Por onde o titular revogou, como foi informado.
                 * @example app
                 */
                canal: string;
                /**
                 * Format: date-time
                 * @description Momento em que o serviço guardou a revogação.
                 * @example 2026-11-22T12:30:00.001Z
                 */
                registrado_em: string;
            };
            /** @description As análises em andamento que se apoiam em um consentimento revogado, da mais nova à mais antiga. */
            analises: {
                /**
                 * Format: int64
                 * @description Análise que ainda espera o banco e se apoia em um consentimento revogado.
                 * @example 114902660762453
                 */
                analise_id: number;
                /**
                 * @description Apelido do banco, sempre nesta forma nas respostas.
                 * @example bradesco
                 * @enum {string}
                 */
                banco: "bradesco" | "itau" | "santander" | "inter" | "brb" | "cashme";
                /**
                 * @description true: o banco já tem a consulta, e a análise segue até o desfecho. false: ainda não se sabe se o banco a recebeu. Se a recebeu, ela segue; se não, termina em cancelado, com o seu evento, e não é mais enviada. Um envio em curso na hora da revogação ainda pode chegar ao banco, em cerca de um minuto: então ela segue, ou termina em erro se o envio é recusado.
                 * @example false
                 */
                enviada: boolean;
                /**
                 * @description O que acontece com a análise, em uma frase para pessoas.
                 * @example Ainda não se sabe se o banco recebeu a análise, ou o envio está em curso: se ele a recebe, ela segue; se não, ela não é mais enviada, e termina em cancelado, ou em erro se o envio em curso é recusado.
                 */
                motivo: string;
            }[];
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
        };
        Webhook: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /** @description Para onde e como os eventos são enviados. */
            webhook: {
                /**
                 * @description Ambiente da chave, cujos eventos vão a este endereço. O outro ambiente tem um endereço e um segredo seus.
                 * @example producao
                 * @enum {string}
                 */
                ambiente: "sandbox" | "producao";
                /**
                 * @description true quando há um endereço que recebe os eventos.
                 * @example true
                 */
                configurado: boolean;
                /**
                 * @description Para onde os eventos vão, sem usuário, senha e query; vazio quando não está configurado.
                 * @example https://parceiro.example/webhooks/credito
                 */
                url: string;
                /**
                 * @description true quando há um segredo que assina os eventos; o segredo nunca é devolvido.
                 * @example true
                 */
                secret_configurado: boolean;
                /**
                 * @description true quando os eventos são enviados; false quando o endereço falta ou está desativado.
                 * @example true
                 */
                ativo: boolean;
                /**
                 * Format: date-time
                 * @description Momento em que o endereço foi desativado, UTC; null quando está ativo ou falta.
                 * @example 2026-11-21T16:20:07.412Z
                 */
                desativado_em: string | null;
                /**
                 * @description Por que o endereço está desativado e o que fazer; null quando não está.
                 * @example O endereço falhou por 5 dias sem aceitar nenhum evento. Corrija o receptor e peça ao gestor que o reative; os eventos guardados saem então por si.
                 */
                causa: string | null;
                /**
                 * @description Quantos eventos da unidade estão guardados até o endereço ser reativado; saem então por si. Contados até 1000.
                 * @example 0
                 */
                entregas_suspensas: number;
                /**
                 * @description Eventos de análises que o endereço recebe. Os da conta (conta.alterada) chegam sempre.
                 * @example [
                 *       "analise.resultado",
                 *       "analise.erro"
                 *     ]
                 */
                eventos: ("analise.resultado" | "analise.erro")[];
                /**
                 * @description Sempre somente_leitura: a API mostra a configuração e não a altera.
                 * @constant
                 */
                gestao: "somente_leitura";
                /**
                 * @description A quem pedir que altere a configuração, em uma frase.
                 * @example O endereço e o segredo são configurados e trocados pelo gestor, a pedido do parceiro.
                 */
                observacao: string;
            };
        };
        Entregas: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * @description Tamanho de página que valeu para esta resposta.
             * @example 20
             */
            limit: number;
            /**
             * @description Quantos itens foram pulados antes desta página.
             * @example 0
             */
            offset: number;
            /**
             * @description true quando há itens depois desta página: peça a próxima com offset + limit.
             * @example false
             */
            tem_mais: boolean;
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
            /** @description As entregas desta página, da mais nova à mais antiga. */
            entregas: components["schemas"]["Entrega"][];
        };
        /** @description Um evento, com as tentativas de entregá-lo. */
        Entrega: {
            /**
             * @description O id do evento (evt_…), o mesmo que o corpo do evento traz: nunca muda.
             * @example evt_kncaptzruqa22ekjqplvlw4zmtdqri7w
             */
            id: string;
            /**
             * @description O tipo do evento.
             * @example analise.erro
             * @enum {string}
             */
            tipo: "analise.resultado" | "analise.erro";
            /**
             * Format: int64
             * @description A análise de que o evento fala.
             * @example 114902660763477
             */
            analise_id: number;
            /**
             * @description pendente: a próxima tentativa virá. entregue: aceito com 2xx. esgotada: a última tentativa falhou. suspensa: guardado até o endereço ser reativado. sem_destino: não havia endereço.
             * @example pendente
             * @enum {string}
             */
            situacao: "pendente" | "entregue" | "esgotada" | "suspensa" | "sem_destino";
            /** @description As 12 últimas tentativas, da primeira à última. */
            tentativas: {
                /**
                 * @description A partir de 1; vai em X-Service-Attempt.
                 * @example 1
                 */
                numero: number;
                /**
                 * Format: date-time
                 * @description Momento em que a tentativa terminou, UTC.
                 * @example 2026-11-21T16:21:01.380Z
                 */
                em: string;
                /**
                 * @description O status que o seu receptor respondeu; null quando não respondeu.
                 * @example 503
                 */
                status_http: number | null;
                /**
                 * @description Por que a tentativa falhou; null quando foi aceita. bloqueado: o endereço não é público, e nada foi enviado.
                 * @example http_5xx
                 * @enum {string|null}
                 */
                falha: "http_3xx" | "http_4xx" | "http_5xx" | "timeout" | "dns" | "tls" | "conexao" | "bloqueado" | null;
                /**
                 * @description Quanto durou, em milissegundos.
                 * @example 31
                 */
                ms: number;
            }[];
            /**
             * Format: date-time
             * @description Quando a próxima tentativa vence, UTC; null quando nenhuma virá por si.
             * @example 2026-11-21T16:21:06.380Z
             */
            proxima_em: string | null;
            /**
             * Format: date-time
             * @description Momento em que o evento aconteceu, UTC.
             * @example 2026-11-21T16:21:00.180Z
             */
            criada_em: string;
            /**
             * @description Só na lista do sandbox: o corpo do evento, byte a byte como cada tentativa o envia e assina. Serve para testar um receptor que não tem endereço público.
             * @example {"id":"evt_kncaptzruqa22ekjqplvlw4zmtdqri7w","type":"analise.erro","timestamp":"2026-11-21T16:21:00.180Z","ambiente":"sandbox","sequencia":1,"data":{"analise_id":114902660763477,"banco":"santander","num_consulta":"","status_original":"Falha no envio ao banco","situacao":"erro","pendente":false,"lead_id":114901623046123,"banco_id":3,"motivo":"O sandbox recusa o envio para este CPF de teste."}}
             */
            corpo?: string;
        };
        Reenvio: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            entrega: components["schemas"]["Entrega"];
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example id
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example O endereço está desativado: o evento fica guardado e é enviado quando o gestor o reativar. Veja a causa em GET /v1/webhooks.
                 */
                motivo: string;
            }[];
        };
        Conta: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /** @description De quem é a chave; o limite de chamadas é dele. */
            parceiro: {
                /**
                 * Format: int64
                 * @description Identificador do parceiro.
                 * @example 108485836800401
                 */
                id: number;
                /**
                 * @description Nome do parceiro, como está no cadastro.
                 * @example Imobiliária Exemplo
                 */
                nome: string;
            };
            /** @description A unidade da chave: só o que foi criado nela é visível. */
            unidade: {
                /**
                 * Format: int64
                 * @description Identificador da unidade.
                 * @example 108486328321402
                 */
                id: number;
                /**
                 * @description Nome da unidade, como está no cadastro.
                 * @example Unidade Centro
                 */
                nome: string;
            };
            /** @description O consultor a quem a chave está ligada; null quando a chave é da unidade inteira. */
            consultor: {
                /**
                 * Format: int64
                 * @description Identificador do consultor.
                 * @example 108487065603003
                 */
                id: number;
                /**
                 * @description Nome do consultor, como está no cadastro.
                 * @example Paula Ribeiro
                 */
                nome: string;
            } | null;
            /**
             * @description Onde a chave atua. sandbox: nada vai a bancos. producao: as análises vão aos bancos.
             * @example sandbox
             * @enum {string}
             */
            ambiente: "sandbox" | "producao";
            /**
             * @description O que a chave pode fazer; uma chave sem escopos definidos tem todos.
             * @example [
             *       "leads",
             *       "simulacoes",
             *       "analises",
             *       "acompanhamento"
             *     ]
             */
            escopos: ("leads" | "simulacoes" | "analises" | "acompanhamento")[];
            /**
             * @description Chamadas por minuto que o parceiro pode fazer neste ambiente, por todas as suas chaves.
             * @example 120
             */
            limite_por_minuto: number;
            /** @description A chave desta chamada. */
            chave: {
                /**
                 * @description Começo da chave, que a reconhece sem revelá-la.
                 * @example pmc_sandbox_0Unx99QOnNvM9a
                 */
                prefixo: string;
                /**
                 * Format: date-time
                 * @description Momento em que o gestor criou a chave, UTC.
                 * @example 2026-11-03T13:20:00.000Z
                 */
                criada_em: string;
            };
            /**
             * Format: date-time
             * @description Momento da última mudança da conta do parceiro, UTC: chaves, endereço ou segredo do webhook, produção liberada. null quando não houve. O webhook do ambiente, se já havia, recebe de cada uma o evento conta.alterada.
             * @example 2026-11-03T13:20:00.000Z
             */
            alterada_em: string | null;
            /** @description Depois de quanto tempo sem uso um lead é eliminado com as suas simulações; ausente onde nenhum é. */
            retencao?: {
                /**
                 * @description No sandbox: dias sem uso até a eliminação do lead.
                 * @example 90
                 */
                sandbox_dias: number;
                /**
                 * @description Em produção: meses sem uso até a eliminação do lead.
                 * @example 24
                 */
                sem_analise_meses: number;
                /**
                 * @description Em produção: anos, no mínimo, depois do fim da última análise.
                 * @example 5
                 */
                apos_analise_anos: number;
                /**
                 * @description Dias antes, nos quais GET /v1/leads/{id} mostra expira_em.
                 * @example 30
                 */
                aviso_dias: number;
            };
            /** @description O que falta tentar no sandbox para pedir a produção; ausente com uma chave de produção. */
            validacao?: {
                /**
                 * @description true quando todos os passos foram feitos: peça então a chave de produção.
                 * @example false
                 */
                pronta: boolean;
                /** @description Os passos que a produção pede, na ordem do fluxo. */
                passos: {
                    /**
                     * @description Qual passo é; a página Antes da produção diz o que o mostra.
                     * @example lead
                     */
                    passo: string;
                    /**
                     * @description true quando o que está guardado mostra o passo.
                     * @example true
                     */
                    feito: boolean;
                    /**
                     * Format: date-time
                     * @description Momento do que mostra o passo, UTC: em um desfecho, o envio da análise; no webhook e no reenvio, a criação do evento. null enquanto falta.
                     * @example 2026-11-21T16:15:54.063Z
                     */
                    em: string | null;
                }[];
            };
        };
        Erros: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * @description Tamanho de página que valeu para esta resposta.
             * @example 20
             */
            limit: number;
            /**
             * @description Quantos itens foram pulados antes desta página.
             * @example 0
             */
            offset: number;
            /**
             * @description true quando há itens depois desta página: peça a próxima com offset + limit.
             * @example false
             */
            tem_mais: boolean;
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example X-API-Key
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example A chave é de produção: as chamadas recusadas são guardadas só no sandbox. Use os seus logs e o request_id.
                 */
                motivo: string;
            }[];
            /** @description As chamadas recusadas desta página, da mais nova à mais antiga. */
            erros: components["schemas"]["ChamadaRecusada"][];
        };
        ChamadaRecusada: {
            /**
             * Format: date-time
             * @description Momento da recusa, UTC.
             * @example 2026-11-21T16:20:07.412Z
             */
            em: string;
            /**
             * @description O método da chamada.
             * @example POST
             */
            metodo: string;
            /**
             * @description A rota como a documentação a escreve; ids e valores não aparecem.
             * @example /v1/leads
             */
            rota: string;
            /**
             * @description O status HTTP da resposta.
             * @example 400
             */
            status: number;
            /**
             * @description O código da resposta.
             * @example campo_invalido
             * @enum {string}
             */
            codigo: "json_invalido" | "campo_obrigatorio" | "campo_invalido" | "auth_invalid" | "sem_permissao" | "nao_encontrado" | "rota_nao_encontrada" | "metodo_nao_permitido" | "idempotencia_em_andamento" | "corpo_muito_grande" | "tipo_nao_suportado" | "banco_invalido" | "consentimento_ausente" | "idempotency_conflito" | "divergencia_titular" | "lead_nao_encontrado" | "campo_nao_alteravel" | "rate_limited" | "erro_interno" | "tempo_esgotado" | "operador_falhou" | "servico_indisponivel";
            /**
             * @description Os campos que a resposta apontou, só pelo nome e no máximo 20; vazio quando não era de campos.
             * @example [
             *       "cpf",
             *       "data_nascimento"
             *     ]
             */
            campos: string[];
            /**
             * @description O da resposta; informe-o ao suporte.
             * @example UmP5IGkXmjQEaRw=
             */
            request_id: string;
        };
        Reinicio: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * @description Quantos leads da unidade foram retirados, com as suas simulações e análises.
             * @example 3
             */
            leads: number;
            /**
             * @description true: havia mais leads do que uma chamada retira. Repita daqui a um minuto.
             * @example false
             */
            restam: boolean;
            /** @description O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer. */
            avisos?: {
                /**
                 * @description Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que houve com o campo, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
        };
        Saude: {
            /**
             * @description Sempre true em respostas 2xx; os erros não têm este campo.
             * @constant
             */
            ok: true;
            /**
             * @description Versão da interface, a de info.version neste documento.
             * @example 1.0.0
             */
            version: string;
            /**
             * @description Há quantos segundos está de pé o processo que respondeu; cada um conta o seu.
             * @example 42
             */
            uptime_s: number;
            /**
             * Format: date-time
             * @description Relógio do serviço, UTC.
             * @example 2026-11-21T16:15:54.063Z
             */
            timestamp: string;
        };
        /** @description Corpo de toda resposta que não é 2xx. */
        Erro: {
            /**
             * @description O que houve e como corrigir, em uma frase para pessoas; pode mudar. O programa decide por codigo.
             * @example O corpo não é JSON: na linha 3, coluna 14, sobra uma vírgula. Corrija o corpo e envie de novo.
             */
            erro: string;
            /**
             * @description Qual falha é: estável, e a lista é fechada na v1. É por ele que o programa decide.
             * @example json_invalido
             * @enum {string}
             */
            codigo: "json_invalido" | "campo_obrigatorio" | "campo_invalido" | "auth_invalid" | "sem_permissao" | "nao_encontrado" | "rota_nao_encontrada" | "metodo_nao_permitido" | "idempotencia_em_andamento" | "corpo_muito_grande" | "tipo_nao_suportado" | "banco_invalido" | "consentimento_ausente" | "idempotency_conflito" | "divergencia_titular" | "lead_nao_encontrado" | "campo_nao_alteravel" | "rate_limited" | "erro_interno" | "tempo_esgotado" | "operador_falhou" | "servico_indisponivel";
            /** @description Todos os campos com esta falha, quando ela é de campos. */
            campos?: {
                /**
                 * @description Qual campo, com pontos até onde ele está (bancos.0); parâmetros e cabeçalhos pelo seu nome.
                 * @example cpf
                 */
                campo: string;
                /**
                 * @description O que há de errado com o campo e como corrigir, em uma frase para pessoas.
                 * @example é obrigatório; preencha o campo
                 */
                motivo: string;
            }[];
            /**
             * @description Identifica a chamada para o suporte; igual ao cabeçalho X-Request-Id.
             * @example UmP5IGkXmjQEaRw=
             */
            request_id: string;
        };
    };
    responses: {
        /** @description `auth_invalid`: Chave ausente ou inválida. Envie a sua chave no cabeçalho X-API-Key. */
        AuthInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "auth_invalid";
                };
            };
        };
        /** @description `sem_permissao`: A chave não tem o escopo desta operação. Peça ao gestor uma chave com esse escopo. */
        SemPermissao: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "sem_permissao";
                };
            };
        };
        /** @description `idempotencia_em_andamento`: A primeira chamada com esta Idempotency-Key ainda está em andamento. Repita a mesma chamada em instantes. */
        IdempotenciaEmAndamento: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "idempotencia_em_andamento";
                };
            };
        };
        /** @description `corpo_muito_grande`: O corpo passa de 64 KiB. Envie um corpo menor. */
        CorpoMuitoGrande: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "corpo_muito_grande";
                };
            };
        };
        /** @description `tipo_nao_suportado`: O corpo deve ser JSON em UTF-8. Envie Content-Type: application/json. */
        TipoNaoSuportado: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "tipo_nao_suportado";
                };
            };
        };
        /** @description `rate_limited`: O limite de chamadas por minuto foi atingido. Espere os segundos de Retry-After e repita. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "rate_limited";
                };
            };
        };
        /** @description `erro_interno`: Falha inesperada do serviço. Repita a chamada com a mesma Idempotency-Key; se persistir, informe o request_id ao suporte. */
        ErroInterno: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "erro_interno";
                };
            };
        };
        /** @description `tempo_esgotado`: O serviço não respondeu a tempo. Repita a chamada com a mesma Idempotency-Key. */
        TempoEsgotado: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "tempo_esgotado";
                };
            };
        };
        /** @description `servico_indisponivel`: O serviço está indisponível no momento. Repita a chamada com a mesma Idempotency-Key depois dos segundos de Retry-After. */
        ServicoIndisponivel: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "servico_indisponivel";
                };
            };
        };
        /** @description `nao_encontrado`: Não encontrado. Confira o id e se a chave é do mesmo ambiente em que ele foi criado. */
        NaoEncontrado: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "nao_encontrado";
                };
            };
        };
        /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
        CampoInvalido: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                "RateLimit-Policy"?: string;
                /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                RateLimit?: string;
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "campo_invalido";
                };
            };
        };
        /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
        CampoInvalidoPublico: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "campo_invalido";
                };
            };
        };
        /** @description `sem_permissao`: A chave não tem o escopo desta operação. Peça ao gestor uma chave com esse escopo. */
        SemPermissaoPublico: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "sem_permissao";
                };
            };
        };
        /** @description `rate_limited`: O limite de chamadas por minuto foi atingido. Espere os segundos de Retry-After e repita. */
        RateLimitedPublico: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "rate_limited";
                };
            };
        };
        /** @description `erro_interno`: Falha inesperada do serviço. Repita a chamada com a mesma Idempotency-Key; se persistir, informe o request_id ao suporte. */
        ErroInternoPublico: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "erro_interno";
                };
            };
        };
        /** @description `tempo_esgotado`: O serviço não respondeu a tempo. Repita a chamada com a mesma Idempotency-Key. */
        TempoEsgotadoPublico: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "tempo_esgotado";
                };
            };
        };
        /** @description `servico_indisponivel`: O serviço está indisponível no momento. Repita a chamada com a mesma Idempotency-Key depois dos segundos de Retry-After. */
        ServicoIndisponivelPublico: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "servico_indisponivel";
                };
            };
        };
        /**
         * @description O endereço, antes de qualquer operação: um caminho que não existe é 404 e um método que o caminho não aceita é 405.
         *
         *     `rota_nao_encontrada`: Esta rota não existe. Confira o caminho na documentação.
         *
         *     `metodo_nao_permitido`: A rota não aceita este método. Use um dos que estão no cabeçalho Allow.
         */
        Endereco: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Erro"] & {
                    /** @enum {unknown} */
                    codigo?: "rota_nao_encontrada" | "metodo_nao_permitido";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Identifica a chamada para o suporte; nos erros, igual a `request_id`. Opaco. */
        "X-Request-Id": string;
        /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
        "RateLimit-Policy": string;
        /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
        RateLimit: string;
        /** @description Depois de quantos segundos vale repetir a chamada. */
        "Retry-After": number;
        /** @description Presente, com `true`, quando esta é a resposta original de uma chamada anterior com a mesma Idempotency-Key: nada foi feito de novo. */
        "Idempotent-Replay": "true";
        /** @description Como se apresentar. O gateway da AWS entrega este cabeçalho com o nome `x-amzn-Remapped-WWW-Authenticate`. */
        "WWW-Authenticate": string;
        /** @description Onde o guia explica este `codigo`: um caminho com `rel="help"`, no mesmo endereço. */
        Link: string;
        /** @description Os métodos que o caminho aceita; vem com `metodo_nao_permitido`. */
        Allow: string;
        /** @description Identifica este conteúdo; envie-o em `If-None-Match` para receber 304 enquanto nada muda. */
        ETag: string;
        /** @description Por quanto tempo uma cópia serve sem perguntar de novo. */
        "Cache-Control": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "create-lead": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Opcional: identifica o pedido, para que repeti-lo não o refaça. Gere uma por pedido (um UUID serve) e repita a mesma a cada nova tentativa. Vale por 24 horas, na unidade, no ambiente e na rota. Com o mesmo corpo, a resposta original volta com `Idempotent-Replay: true`; com outro, 422 `idempotency_conflito`; enquanto a primeira chamada corre, 409. Erros 4xx não ficam guardados: corrija o corpo e use a mesma chave.
                 * @example 5f0c6c4e-6b1f-4f0e-9d4f-1a2b3c4d5e6f
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeadNovo"];
            };
        };
        responses: {
            /** @description O CPF já era um lead da unidade, que foi reaproveitado. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replay": components["headers"]["Idempotent-Replay"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadCriado"];
                };
            };
            /** @description O lead foi criado. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replay": components["headers"]["Idempotent-Replay"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadCriado"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_obrigatorio`: Faltam campos obrigatórios. Preencha os que estão listados em campos.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_obrigatorio" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            409: components["responses"]["IdempotenciaEmAndamento"];
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /** @description `idempotency_conflito`: Esta Idempotency-Key já foi usada em outro pedido. Para repetir aquele, envie o corpo dele; só um pedido novo leva uma chave nova. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "idempotency_conflito";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-lead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description O `lead_id` que a criação devolveu.
                 * @example 114901623046123
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O lead. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadConsultado"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "update-lead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description O `lead_id` que a criação devolveu.
                 * @example 114901623046123
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LeadAlteracao"];
            };
        };
        responses: {
            /** @description O lead está como pedido; `atualizado` diz o que mudou de fato. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadAlterado"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /** @description `campo_nao_alteravel`: Há campos que não se alteram depois da criação do lead. Retire os que estão em campos. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_nao_alteravel";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "create-simulation": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Opcional: identifica o pedido, para que repeti-lo não o refaça. Gere uma por pedido (um UUID serve) e repita a mesma a cada nova tentativa. Vale por 24 horas, na unidade, no ambiente e na rota. Com o mesmo corpo, a resposta original volta com `Idempotent-Replay: true`; com outro, 422 `idempotency_conflito`; enquanto a primeira chamada corre, 409. Erros 4xx não ficam guardados: corrija o corpo e use a mesma chave.
                 * @example 5f0c6c4e-6b1f-4f0e-9d4f-1a2b3c4d5e6f
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulacaoNova"];
            };
        };
        responses: {
            /** @description As condições de cada banco, na ordem pedida. É 200 também quando nenhum banco oferece. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replay": components["headers"]["Idempotent-Replay"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulacaoCriada"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_obrigatorio`: Faltam campos obrigatórios. Preencha os que estão listados em campos.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_obrigatorio" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            409: components["responses"]["IdempotenciaEmAndamento"];
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /**
             * @description `banco_invalido`: Há banco fora da lista. Use bradesco, itau, santander, inter, brb ou cashme em bancos.
             *
             *     `idempotency_conflito`: Esta Idempotency-Key já foi usada em outro pedido. Para repetir aquele, envie o corpo dele; só um pedido novo leva uma chave nova.
             *
             *     `lead_nao_encontrado`: O lead não existe nesta unidade e neste ambiente, ou a eliminação dos dados dele foi pedida. Crie o lead e use o lead_id dele; se a criação devolve o mesmo lead_id, não repita.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "banco_invalido" | "idempotency_conflito" | "lead_nao_encontrado";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-simulation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.
                 * @example 114901623046129
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A simulação, como foi calculada: consultas futuras devolvem o mesmo. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulacaoConsultada"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            /** @description `nao_encontrado`: Não encontrado. Confira o id e se a chave é do mesmo ambiente em que ele foi criado. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "nao_encontrado";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-simulation-instalments": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.
                 * @example 114901623046129
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Todas as parcelas, da primeira à última. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Parcelas"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-simulation-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.
                 * @example 114901623046129
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O documento, em português, com marcação para leitores de tela. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-simulation-comparison": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description O `id_oportunidade`, ou o `simulacao_id` de uma das suas simulações.
                 * @example 114901623046128
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O documento, em português, com marcação para leitores de tela. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            /** @description `nao_encontrado`: Não encontrado. Confira o id e se a chave é do mesmo ambiente em que ele foi criado. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "nao_encontrado";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "submit-analyses": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Obrigatória: identifica o pedido, para que repeti-lo nunca consulte o crédito duas vezes. Gere uma por pedido (um UUID serve) e repita a mesma a cada nova tentativa. Vale por 30 dias, na unidade, no ambiente e na rota. Com o mesmo corpo, a resposta original volta com `Idempotent-Replay: true`; com outro, 422 `idempotency_conflito`; enquanto a primeira chamada corre, 409. Erros 4xx não ficam guardados: corrija o corpo e use a mesma chave.
                 * @example 5f0c6c4e-6b1f-4f0e-9d4f-1a2b3c4d5e6f
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnaliseNova"];
            };
        };
        responses: {
            /** @description Uma análise por banco, na ordem pedida. A entrega a um banco que falhou vem com `sucesso: false` e o `motivo`; as outras seguem. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replay": components["headers"]["Idempotent-Replay"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalisesAceitas"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_obrigatorio`: Faltam campos obrigatórios. Preencha os que estão listados em campos.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_obrigatorio" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            409: components["responses"]["IdempotenciaEmAndamento"];
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /**
             * @description `banco_invalido`: Há banco fora da lista. Use bradesco, itau, santander, inter, brb ou cashme em bancos.
             *
             *     `consentimento_ausente`: Sem o consentimento do titular não há consulta de crédito. Envie consentimento true e os três campos que o comprovam; se o titular o revogou, colha um mais novo.
             *
             *     `idempotency_conflito`: Esta Idempotency-Key já foi usada em outro pedido. Para repetir aquele, envie o corpo dele; só um pedido novo leva uma chave nova.
             *
             *     `divergencia_titular`: Os dados do titular diferem dos do lead. Envie nome, cpf e data_nascimento como estão no lead.
             *
             *     `lead_nao_encontrado`: O lead não existe nesta unidade e neste ambiente, ou a eliminação dos dados dele foi pedida. Crie o lead e use o lead_id dele; se a criação devolve o mesmo lead_id, não repita.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "banco_invalido" | "consentimento_ausente" | "idempotency_conflito" | "divergencia_titular" | "lead_nao_encontrado";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-analysis-status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description O `analise_id` que a submissão devolveu.
                 * @example 114902660761425
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A situação da análise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnaliseSituacao"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "list-lead-analyses": {
        parameters: {
            query?: {
                /** @description Quantos itens cabem na página, de 1 a 100. */
                limit?: number;
                /** @description Quantos itens pular; a lista vai do mais novo ao mais antigo. */
                offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description O `lead_id` que a criação devolveu.
                 * @example 114901623046123
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uma página de análises. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalisesDoLead"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "list-lead-consents": {
        parameters: {
            query?: {
                /** @description Quantos itens cabem na página, de 1 a 100. */
                limit?: number;
                /** @description Quantos itens pular; a lista vai do mais novo ao mais antigo. */
                offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description O `lead_id` que a criação devolveu.
                 * @example 114901623046123
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uma página de consentimentos. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consentimentos"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "withdraw-consent": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Opcional: identifica o pedido, para que repeti-lo não o refaça. Gere uma por pedido (um UUID serve) e repita a mesma a cada nova tentativa. Vale por 24 horas, na unidade, no ambiente e na rota. Com o mesmo corpo, a resposta original volta com `Idempotent-Replay: true`; com outro, 422 `idempotency_conflito`; enquanto a primeira chamada corre, 409. Erros 4xx não ficam guardados: corrija o corpo e use a mesma chave.
                 * @example 5f0c6c4e-6b1f-4f0e-9d4f-1a2b3c4d5e6f
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description O `lead_id` que a criação devolveu.
                 * @example 114901623046123
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevogacaoNova"];
            };
        };
        responses: {
            /** @description Já havia uma revogação do mesmo momento ou posterior, que vale. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replay": components["headers"]["Idempotent-Replay"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevogacaoRegistrada"];
                };
            };
            /** @description A revogação foi guardada. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replay": components["headers"]["Idempotent-Replay"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevogacaoRegistrada"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_obrigatorio`: Faltam campos obrigatórios. Preencha os que estão listados em campos.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_obrigatorio" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            409: components["responses"]["IdempotenciaEmAndamento"];
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /** @description `idempotency_conflito`: Esta Idempotency-Key já foi usada em outro pedido. Para repetir aquele, envie o corpo dele; só um pedido novo leva uma chave nova. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "idempotency_conflito";
                    };
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A configuração. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["CampoInvalido"];
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "list-own-deliveries": {
        parameters: {
            query?: {
                /** @description Quantos itens cabem na página, de 1 a 100. */
                limit?: number;
                /** @description Quantos itens pular; a lista vai do mais novo ao mais antigo. */
                offset?: number;
                /** @description Só as entregas nesta situação. */
                situacao?: "pendente" | "entregue" | "esgotada" | "suspensa" | "sem_destino";
                /** @description Só as entregas desta análise. */
                analise_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uma página de entregas. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entregas"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "resend-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description O `id` da entrega, o mesmo que o evento traz no corpo.
                 * @example evt_kncaptzruqa22ekjqplvlw4zmtdqri7w
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A entrega, com a nova tentativa pedida. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reenvio"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            404: components["responses"]["NaoEncontrado"];
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /** @description `rate_limited`: O limite de chamadas por minuto foi atingido. Espere os segundos de Retry-After e repita. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    "Retry-After": components["headers"]["Retry-After"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "rate_limited";
                    };
                };
            };
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A identidade da chave. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conta"];
                };
            };
            400: components["responses"]["CampoInvalido"];
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "list-refused-calls": {
        parameters: {
            query?: {
                /** @description Quantos itens cabem na página, de 1 a 100. */
                limit?: number;
                /** @description Quantos itens pular; a lista vai do mais novo ao mais antigo. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uma página de chamadas recusadas. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erros"];
                };
            };
            /** @description `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            403: components["responses"]["SemPermissao"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "reset-sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O que foi retirado. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reinicio"];
                };
            };
            /**
             * @description `json_invalido`: O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.
             *
             *     `campo_invalido`: Há campos com valor inválido. Corrija os que estão listados em campos.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "json_invalido" | "campo_invalido";
                    };
                };
            };
            401: components["responses"]["AuthInvalid"];
            /** @description `sem_permissao`: A chave não tem o escopo desta operação. Peça ao gestor uma chave com esse escopo. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "sem_permissao";
                    };
                };
            };
            413: components["responses"]["CorpoMuitoGrande"];
            415: components["responses"]["TipoNaoSuportado"];
            /** @description `rate_limited`: O limite de chamadas por minuto foi atingido. Espere os segundos de Retry-After e repita. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description O limite que vale para o parceiro neste ambiente: `q` chamadas a cada `w` segundos. */
                    "RateLimit-Policy"?: string;
                    /** @description O que resta do limite: `r` chamadas, até que a contagem recomece em `t` segundos. */
                    RateLimit?: string;
                    "Retry-After": components["headers"]["Retry-After"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erro"] & {
                        /** @enum {unknown} */
                        codigo?: "rate_limited";
                    };
                };
            };
            500: components["responses"]["ErroInterno"];
            503: components["responses"]["ServicoIndisponivel"];
            504: components["responses"]["TempoEsgotado"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O serviço está de pé. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Saude"];
                };
            };
            400: components["responses"]["CampoInvalidoPublico"];
            403: components["responses"]["SemPermissaoPublico"];
            429: components["responses"]["RateLimitedPublico"];
            500: components["responses"]["ErroInternoPublico"];
            503: components["responses"]["ServicoIndisponivelPublico"];
            504: components["responses"]["TempoEsgotadoPublico"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-openapi": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description O ETag da cópia que se tem.
                 * @example "3f2a9c1d"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O documento. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Nada mudou desde o ETag enviado em `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["CampoInvalidoPublico"];
            403: components["responses"]["SemPermissaoPublico"];
            429: components["responses"]["RateLimitedPublico"];
            500: components["responses"]["ErroInternoPublico"];
            503: components["responses"]["ServicoIndisponivelPublico"];
            504: components["responses"]["TempoEsgotadoPublico"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-openapi-30": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description O ETag da cópia que se tem.
                 * @example "3f2a9c1d"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description O documento. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Nada mudou desde o ETag enviado em `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["CampoInvalidoPublico"];
            403: components["responses"]["SemPermissaoPublico"];
            429: components["responses"]["RateLimitedPublico"];
            500: components["responses"]["ErroInternoPublico"];
            503: components["responses"]["ServicoIndisponivelPublico"];
            504: components["responses"]["TempoEsgotadoPublico"];
            default: components["responses"]["Endereco"];
        };
    };
    "get-docs": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description O ETag da cópia que se tem.
                 * @example "3f2a9c1d"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A primeira página do guia. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nada mudou desde o ETag enviado em `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["CampoInvalidoPublico"];
            403: components["responses"]["SemPermissaoPublico"];
            429: components["responses"]["RateLimitedPublico"];
            500: components["responses"]["ErroInternoPublico"];
            503: components["responses"]["ServicoIndisponivelPublico"];
            504: components["responses"]["TempoEsgotadoPublico"];
            default: components["responses"]["Endereco"];
        };
    };
    "analise.resultado": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 dos bytes do corpo, em hexadecimal minúsculo, com o segredo inteiro (`whsec_…`, em UTF-8) como chave. Verifique antes de confiar no corpo, comparando em tempo constante.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature": string;
                /**
                 * @description A mesma assinatura com o segredo anterior, durante as 24 horas que se seguem a uma troca de segredo.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature-Anterior"?: string;
                /** @description O tipo do evento, igual a `type` no corpo. */
                "X-Service-Event": "analise.resultado";
                /**
                 * @description Qual tentativa de entrega é esta, a partir de 1.
                 * @example 1
                 */
                "X-Service-Attempt": number;
                /**
                 * @description O id do evento, igual a `id` no corpo e em toda tentativa (Standard Webhooks).
                 * @example evt_sodoxse6fqybk74uuah7mn6qio4dluls
                 */
                "webhook-id": string;
                /**
                 * @description O momento desta tentativa, em segundos desde 1970 (Standard Webhooks).
                 * @example 1763640000
                 */
                "webhook-timestamp": number;
                /**
                 * @description Assinaturas de `{webhook-id}.{webhook-timestamp}.{corpo}`, HMAC-SHA256 em base64, com os bytes que a parte depois de `whsec_` codifica em base64; uma por segredo em vigor, separadas por espaço (Standard Webhooks).
                 * @example v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventoResultado"];
            };
        };
        responses: {
            /** @description O endereço não existe mais: o envio é desativado na hora, e os eventos ficam guardados. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description É tentado de novo, respeitando `Retry-After` dentro dos limites das tentativas. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Recebido: não é enviado de novo. O corpo da resposta não é lido. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha: redirecionamentos não são seguidos. É tentado de novo. */
            "3XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha. É tentado de novo. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha. É tentado de novo; no 503, respeitando `Retry-After`. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "analise.erro": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 dos bytes do corpo, em hexadecimal minúsculo, com o segredo inteiro (`whsec_…`, em UTF-8) como chave. Verifique antes de confiar no corpo, comparando em tempo constante.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature": string;
                /**
                 * @description A mesma assinatura com o segredo anterior, durante as 24 horas que se seguem a uma troca de segredo.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature-Anterior"?: string;
                /** @description O tipo do evento, igual a `type` no corpo. */
                "X-Service-Event": "analise.erro";
                /**
                 * @description Qual tentativa de entrega é esta, a partir de 1.
                 * @example 1
                 */
                "X-Service-Attempt": number;
                /**
                 * @description O id do evento, igual a `id` no corpo e em toda tentativa (Standard Webhooks).
                 * @example evt_kncaptzruqa22ekjqplvlw4zmtdqri7w
                 */
                "webhook-id": string;
                /**
                 * @description O momento desta tentativa, em segundos desde 1970 (Standard Webhooks).
                 * @example 1763640000
                 */
                "webhook-timestamp": number;
                /**
                 * @description Assinaturas de `{webhook-id}.{webhook-timestamp}.{corpo}`, HMAC-SHA256 em base64, com os bytes que a parte depois de `whsec_` codifica em base64; uma por segredo em vigor, separadas por espaço (Standard Webhooks).
                 * @example v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventoErro"];
            };
        };
        responses: {
            /** @description O endereço não existe mais: o envio é desativado na hora, e os eventos ficam guardados. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description É tentado de novo, respeitando `Retry-After` dentro dos limites das tentativas. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Recebido: não é enviado de novo. O corpo da resposta não é lido. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha: redirecionamentos não são seguidos. É tentado de novo. */
            "3XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha. É tentado de novo. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha. É tentado de novo; no 503, respeitando `Retry-After`. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conta.alterada": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 dos bytes do corpo, em hexadecimal minúsculo, com o segredo inteiro (`whsec_…`, em UTF-8) como chave. Verifique antes de confiar no corpo, comparando em tempo constante.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature": string;
                /**
                 * @description A mesma assinatura com o segredo anterior, durante as 24 horas que se seguem a uma troca de segredo.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature-Anterior"?: string;
                /** @description O tipo do evento, igual a `type` no corpo. */
                "X-Service-Event": "conta.alterada";
                /**
                 * @description Qual tentativa de entrega é esta, a partir de 1.
                 * @example 1
                 */
                "X-Service-Attempt": number;
                /**
                 * @description O id do evento, igual a `id` no corpo e em toda tentativa (Standard Webhooks).
                 * @example evt_3o6y66r4kb3hi74t4yf35gxhwdzt2mmo
                 */
                "webhook-id": string;
                /**
                 * @description O momento desta tentativa, em segundos desde 1970 (Standard Webhooks).
                 * @example 1763640000
                 */
                "webhook-timestamp": number;
                /**
                 * @description Assinaturas de `{webhook-id}.{webhook-timestamp}.{corpo}`, HMAC-SHA256 em base64, com os bytes que a parte depois de `whsec_` codifica em base64; uma por segredo em vigor, separadas por espaço (Standard Webhooks).
                 * @example v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventoConta"];
            };
        };
        responses: {
            /** @description O endereço não existe mais: o envio é desativado na hora, e os eventos ficam guardados. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description É tentado de novo, respeitando `Retry-After` dentro dos limites das tentativas. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Recebido: não é enviado de novo. O corpo da resposta não é lido. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha: redirecionamentos não são seguidos. É tentado de novo. */
            "3XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha. É tentado de novo. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conta como falha. É tentado de novo; no 503, respeitando `Retry-After`. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.teste": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 dos bytes do corpo, em hexadecimal minúsculo, com o segredo inteiro (`whsec_…`, em UTF-8) como chave. Verifique antes de confiar no corpo, comparando em tempo constante.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature": string;
                /**
                 * @description A mesma assinatura com o segredo anterior, durante as 24 horas que se seguem a uma troca de segredo.
                 * @example sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e
                 */
                "X-Service-Signature-Anterior"?: string;
                /** @description O tipo do evento, igual a `type` no corpo. */
                "X-Service-Event": "webhook.teste";
                /**
                 * @description Qual tentativa de entrega é esta, a partir de 1.
                 * @example 1
                 */
                "X-Service-Attempt": number;
                /**
                 * @description O id do evento, igual a `id` no corpo e em toda tentativa (Standard Webhooks).
                 * @example evt_xbj67bow5wedd7vcyzradoqx44wsgmnn
                 */
                "webhook-id": string;
                /**
                 * @description O momento desta tentativa, em segundos desde 1970 (Standard Webhooks).
                 * @example 1763640000
                 */
                "webhook-timestamp": number;
                /**
                 * @description Assinaturas de `{webhook-id}.{webhook-timestamp}.{corpo}`, HMAC-SHA256 em base64, com os bytes que a parte depois de `whsec_` codifica em base64; uma por segredo em vigor, separadas por espaço (Standard Webhooks).
                 * @example v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventoTeste"];
            };
        };
        responses: {
            /** @description Recebido: o gestor vê que o endereço responde. O corpo da resposta não é lido. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description O gestor vê a resposta. Não é tentado de novo e não desativa o endereço, nem com 410. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description O gestor vê a resposta. Redirecionamentos não são seguidos, e nada é tentado de novo. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

export const OPERATIONS = {
  'create-lead': ['POST', '/v1/leads', 'optional', 'none'],
  'get-lead': ['GET', '/v1/leads/{id}', 'none', 'number'],
  'update-lead': ['PATCH', '/v1/leads/{id}', 'none', 'number'],
  'create-simulation': ['POST', '/v1/simulacoes', 'optional', 'none'],
  'get-simulation': ['GET', '/v1/simulacoes/{id}', 'none', 'number'],
  'get-simulation-instalments': ['GET', '/v1/simulacoes/{id}/parcelas', 'none', 'number'],
  'get-simulation-pdf': ['GET', '/v1/simulacoes/{id}/pdf', 'none', 'number'],
  'get-simulation-comparison': ['GET', '/v1/simulacoes/{id}/comparativo', 'none', 'number'],
  'submit-analyses': ['POST', '/v1/analises', 'required', 'none'],
  'get-analysis-status': ['GET', '/v1/analises/{id}/status', 'none', 'number'],
  'list-lead-analyses': ['GET', '/v1/leads/{id}/analises', 'none', 'number'],
  'list-lead-consents': ['GET', '/v1/leads/{id}/consentimentos', 'none', 'number'],
  'withdraw-consent': ['POST', '/v1/leads/{id}/consentimentos/revogacao', 'optional', 'number'],
  'get-webhook': ['GET', '/v1/webhooks', 'none', 'none'],
  'list-own-deliveries': ['GET', '/v1/webhooks/entregas', 'none', 'none'],
  'resend-delivery': ['POST', '/v1/webhooks/entregas/{id}/reenvio', 'none', 'event'],
  'get-account': ['GET', '/v1/me', 'none', 'none'],
  'list-refused-calls': ['GET', '/v1/erros', 'none', 'none'],
  'reset-sandbox': ['POST', '/v1/sandbox/reinicio', 'none', 'none'],
  'get-health': ['GET', '/health', 'none', 'none'],
} as const;
export const LISTS = {
  'list-lead-analyses': ['analises', 'analise_id'],
  'list-lead-consents': ['consentimentos', 'id'],
  'list-own-deliveries': ['entregas', 'id'],
  'list-refused-calls': ['erros', 'request_id'],
} as const;
