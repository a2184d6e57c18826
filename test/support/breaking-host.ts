/** A module of workflow interceptors of a host, which fails each task of a being. */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow'

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute() {
        throw new Error('the interceptor of the host has a fault')
      },
    },
  ],
})
