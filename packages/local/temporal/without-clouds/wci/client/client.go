// Package client answers for controllers of workers that there are none.
package client

import (
	"context"

	deployment "go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Client is what the server asks of controllers.
type Client interface {
	DescribeWorkerControllerInstance(
		context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion,
	) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error)
	ValidateWorkerControllerInstanceSpec(
		ctx context.Context, in *namespace.Namespace, version *deployment.WorkerDeploymentVersion, identity string,
		upserts map[string]iface.ScalingGroupSpecUpdate, removes []string,
	) error
	UpdateWorkerControllerInstance(
		ctx context.Context, in *namespace.Namespace, version *deployment.WorkerDeploymentVersion, conflictToken []byte,
		identity string, upserts map[string]iface.ScalingGroupSpecUpdate, removes []string,
	) (*iface.UpdateWorkerControllerInstanceResponse, error)
	DeleteWorkerControllerInstance(
		ctx context.Context, in *namespace.Namespace, version *deployment.WorkerDeploymentVersion, identity string,
	) error
}

var Module = fx.Options(fx.Provide(func() Client { return none{} }))

type none struct{}

var (
	errNone    = serviceerror.NewNotFound("no controller of workers is there")
	errNotHere = serviceerror.NewUnimplemented("this server starts no workers: start them yourself")
)

func (none) DescribeWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion,
) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, errNone
}

func (none) ValidateWorkerControllerInstanceSpec(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, string,
	map[string]iface.ScalingGroupSpecUpdate, []string,
) error {
	return errNotHere
}

func (none) UpdateWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, []byte, string,
	map[string]iface.ScalingGroupSpecUpdate, []string,
) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, errNotHere
}

func (none) DeleteWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, string,
) error {
	return nil
}
