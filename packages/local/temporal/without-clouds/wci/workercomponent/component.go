// Package workercomponent would run the controllers' own workflows.
package workercomponent

import "go.uber.org/fx"

var Module = fx.Options()
