// Package v1 would hold the types of custom resources. The chart has none.
package v1

import "k8s.io/apimachinery/pkg/runtime"

// AddToScheme adds nothing.
func AddToScheme(*runtime.Scheme) error { return nil }
