// Package rest stands in for the client of Kubernetes: charts are rendered here without a cluster.
package rest

// Config is never made.
type Config struct{}
