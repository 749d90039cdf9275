// Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the client of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ogen-go/ogen/ogenerrors"

	"partner/credito"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Returns an answer as the type that it has if the call succeeds.
func as[T any](answer any, err error) T {
	value, ok := must(answer, err).(T)
	if !ok {
		panic(fmt.Sprintf("%T %+v", answer, answer))
	}
	return value
}

type security struct{}

func (security) Chave(context.Context, credito.OperationName) (credito.Chave, error) {
	return credito.Chave{APIKey: os.Getenv("KEY")}, nil
}

func (security) Bearer(context.Context, credito.OperationName) (credito.Bearer, error) {
	return credito.Bearer{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	var bodies struct {
		Lead       credito.LeadNovo
		Simulation json.RawMessage
		Analysis   credito.AnaliseNova
	}
	if err := json.Unmarshal(must(os.ReadFile("bodies.json")), &bodies); err != nil {
		panic(err)
	}
	ctx := context.Background()
	api := must(credito.NewClient(os.Getenv("BASE_URL"), security{}))

	created := must(api.CreateLead(ctx, &bodies.Lead, credito.CreateLeadParams{}))
	var lead int64
	switch made := created.(type) {
	case *credito.CreateLeadCreated:
		lead = made.Response.LeadID
	case *credito.CreateLeadOK:
		lead = made.Response.LeadID
	}
	// The types of ogen refuse a body that lacks a field, so the lead is put into the text.
	withLead := append(fmt.Appendf(nil, `{"lead_id":%d,`, lead), bodies.Simulation[1:]...)
	var wanted credito.SimulacaoNova
	if err := wanted.UnmarshalJSON(withLead); err != nil {
		panic(err)
	}
	simulated := as[*credito.SimulacaoCriadaHeaders](api.CreateSimulation(ctx, &wanted, credito.CreateSimulationParams{}))
	var offers [][]any
	for _, offer := range simulated.Response.Resultado.Resultados {
		offers = append(offers, []any{offer.Banco, offer.Sucesso, offer.Parcela1.Set})
	}
	first := simulated.Response.Resultado.Resultados[0].SimulacaoID.Value
	pdf := as[*credito.GetSimulationPdfOKHeaders](api.GetSimulationPdf(ctx, credito.GetSimulationPdfParams{ID: first}))
	start := must(io.ReadAll(io.LimitReader(pdf.Response, 5)))

	bodies.Analysis.LeadID = lead
	once := credito.SubmitAnalysesParams{IdempotencyKey: os.Getenv("IDEMPOTENCY_KEY")}
	accepted := as[*credito.AnalisesAceitasHeaders](api.SubmitAnalyses(ctx, &bodies.Analysis, once))
	asked := credito.GetAnalysisStatusParams{ID: accepted.Response.Analises[0].AnaliseID}
	look := func() credito.AnaliseSituacaoAnalise {
		return as[*credito.AnaliseSituacaoHeaders](api.GetAnalysisStatus(ctx, asked)).Response.Analise
	}
	status := look()
	for until := time.Now().Add(time.Minute); status.Pendente && time.Now().Before(until); status = look() {
		time.Sleep(300 * time.Millisecond)
	}
	found := as[*credito.LeadConsultadoHeaders](api.GetLead(ctx, credito.GetLeadParams{ID: lead}))
	refused := as[*credito.NaoEncontradoHeaders](api.GetLead(ctx, credito.GetLeadParams{ID: 1}))
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"nome":     found.Response.Lead.Nome,
		"offers":   offers,
		"pdf":      string(start),
		"situacao": status.Situacao,
		"refusal":  refused.Response.Codigo,
	})
}
