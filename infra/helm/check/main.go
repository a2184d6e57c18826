// Command helm-check lints and renders the chart beside it, by Helm's own packages, for each file of values that it is given. It prints
// one line of JSON for each: {"values","lint","manifests","error"}. What it finds wrong is in the answer; it ends with 1 only when it
// could not do its work.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
)

type answer struct {
	Values string `json:"values"`
	// Lint has every message of Helm's linter but those of severity INFO.
	Lint []string `json:"lint"`
	// Manifests are by the path of their template.
	Manifests map[string]string `json:"manifests"`
	Error     string            `json:"error,omitempty"`
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: helm-check CHART VALUES…")
		os.Exit(1)
	}
	encoder := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[2:] {
		if err := encoder.Encode(check(os.Args[1], path)); err != nil {
			fmt.Fprintln(os.Stderr, "helm-check:", err)
			os.Exit(1)
		}
	}
}

func check(chartPath, valuesPath string) answer {
	a := answer{Values: filepath.Base(valuesPath), Lint: []string{}}
	values, err := common.ReadValuesFile(valuesPath)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	for _, message := range lint.RunAll(chartPath, values, "default").Messages {
		if message.Severity > 1 { // above INFO
			a.Lint = append(a.Lint, message.Error())
		}
	}
	if a.Manifests, err = render(chartPath, values); err != nil {
		a.Error = err.Error()
	}
	return a
}

// render is `helm template`, with the schema of values.
func render(chartPath string, values common.Values) (map[string]string, error) {
	chart, err := loader.Load(chartPath)
	if err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "check", Namespace: "default", Revision: 1, IsInstall: true}
	scope, err := util.ToRenderValues(chart, values, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, scope)
}
