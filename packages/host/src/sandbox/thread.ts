/** The program of a workflow thread: the SDK's, with our way into workflows. */
import { workerData } from 'node:worker_threads'
import reusableVm from '@temporalio/worker/lib/workflow/reusable-vm.js'
import { QuickWorkflowCreator } from './quick-entry.ts'
import { Watch } from './watch.ts'

QuickWorkflowCreator.watch = new Watch((workerData as { watch: SharedArrayBuffer }).watch)
Object.assign(reusableVm, { ReusableVMWorkflowCreator: QuickWorkflowCreator })
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js')
