// Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"time"

	"partner/credito"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	var bodies struct {
		Lead       credito.LeadNovo
		Simulation credito.SimulacaoNova
		Analysis   credito.AnaliseNova
	}
	if err := json.Unmarshal(must(os.ReadFile("bodies.json")), &bodies); err != nil {
		panic(err)
	}
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("KEY"))
		return nil
	}
	api := must(credito.NewClientWithResponses(os.Getenv("BASE_URL"), credito.WithRequestEditorFn(key)))
	ctx := context.Background()

	created := must(api.CreateLeadWithResponse(ctx, nil, bodies.Lead))
	made := created.JSON201
	if made == nil {
		made = created.JSON200
	}
	lead := made.LeadId
	bodies.Simulation.LeadId = lead
	simulated := must(api.CreateSimulationWithResponse(ctx, nil, bodies.Simulation)).JSON200.Resultado.Resultados
	var offers [][]any
	for _, offer := range simulated {
		offers = append(offers, []any{offer.Banco, offer.Sucesso, offer.Parcela1 != nil})
	}
	pdf := must(api.GetSimulationPdfWithResponse(ctx, *simulated[0].SimulacaoId)).Body

	bodies.Analysis.LeadId = lead
	once := &credito.SubmitAnalysesParams{IdempotencyKey: os.Getenv("IDEMPOTENCY_KEY")}
	analysis := must(api.SubmitAnalysesWithResponse(ctx, once, bodies.Analysis)).JSON202.Analises[0].AnaliseId
	status := must(api.GetAnalysisStatusWithResponse(ctx, analysis)).JSON200.Analise
	for until := time.Now().Add(time.Minute); status.Pendente && time.Now().Before(until); {
		time.Sleep(300 * time.Millisecond)
		status = must(api.GetAnalysisStatusWithResponse(ctx, analysis)).JSON200.Analise
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"nome":     must(api.GetLeadWithResponse(ctx, lead)).JSON200.Lead.Nome,
		"offers":   offers,
		"pdf":      string(pdf[:5]),
		"situacao": status.Situacao,
		"refusal":  must(api.GetLeadWithResponse(ctx, 1)).JSON404.Codigo,
	})
}
