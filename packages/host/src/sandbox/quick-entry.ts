import { createRequire } from 'node:module'
import vm from 'node:vm'
import type { Workflow, WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface.js'
import reusableVm from '@temporalio/worker/lib/workflow/reusable-vm.js'
import vmShared from '@temporalio/worker/lib/workflow/vm-shared.js'
import { GlobalsOfRun, SandboxGlobals } from './sandbox-globals.ts'
import type { Watch } from './watch.ts'

/** How the main thread wants a workflow to be entered. */
export interface Entering {
  /** the workflow's number in the watch */
  readonly slot: number
  /** with the timer of `vm`, as the SDK does: for a workflow that ran away before */
  readonly isTimed: boolean
}

export interface QuickCreateOptions extends WorkflowCreateOptions {
  readonly entering: Entering
}

type WorkflowModule = ConstructorParameters<typeof reusableVm.ReusableVMWorkflow>[3]
type CreatorArguments = ConstructorParameters<typeof reusableVm.ReusableVMWorkflowCreator>

const { native } = createRequire(import.meta.resolve('@temporalio/worker'))('@temporalio/core-bridge') as {
  native: { getTimeOfDay(): bigint }
}
const enterScript = new vm.Script('__TREEOS_ENTER__()')

/**
 * The SDK's creator of workflows that share a context, with a cheaper way in. The SDK enters a workflow three or four times an
 * activation. Each time it starts a timer in a thread of its own, and compares all globals when another workflow was in before.
 * Here an entry starts no timer, and of the globals only those change that differ. What a runaway workflow then meets is in
 * threads.ts.
 */
export class QuickWorkflowCreator extends reusableVm.ReusableVMWorkflowCreator {
  /** set by the thread that runs this, before it creates workflows */
  static watch: Watch | null = null
  readonly #globals: SandboxGlobals
  #call: readonly [name: string, args: readonly unknown[]] = ['', []]

  constructor(...args: CreatorArguments) {
    super(...args)
    const define = vm.runInContext(DEFINE_ENTER, this.context) as (take: () => unknown) => void
    define(() => this.#call)
    this.#globals = new SandboxGlobals(this.context)
  }

  override async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const { entering, ...rest } = options as QuickCreateOptions
    const { context } = this
    const run = new GlobalsOfRun()
    const module = this.#moduleOf(run, entering)
    module.initRuntime({
      ...rest,
      sourceMap: this.workflowBundle.sourceMap,
      getTimeOfDay: native.getTimeOfDay,
      registeredActivityNames: this.registeredActivityNames,
      stackTracesEnabled: vmShared.globalHandlers.promiseHookInstalled,
      patchActivationCallback: this.patchActivationCallback,
    } as Parameters<WorkflowModule['initRuntime']>[0])
    const activator = context.__TEMPORAL_ACTIVATOR__ as never
    const { runId } = options.info
    const workflow = new reusableVm.ReusableVMWorkflow(runId, context, activator, module)
    reusableVm.ReusableVMWorkflowCreator.workflowByRunId.set(runId, workflow)
    return workflow
  }

  /** The functions of the bundle, each of which enters the workflow. */
  #moduleOf(run: GlobalsOfRun, { slot, isTimed }: Entering): WorkflowModule {
    const { watch } = QuickWorkflowCreator
    const timeout = this.isolateExecutionTimeoutMs
    const enter = (name: string, args: readonly unknown[]): unknown => {
      this.#globals.give(run)
      this.#call = [name, args]
      if (isTimed || watch === null) return enterScript.runInContext(this.context, { timeout })
      watch.enter(slot)
      try {
        return enterScript.runInContext(this.context) // its microtasks have run when it returns
      } finally {
        watch.leave()
      }
    }
    return new Proxy({} as WorkflowModule, {
      get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => enter(String(name), args)),
    })
  }
}

/** Runs in the sandbox. The name and the arguments of a call wait outside. */
const DEFINE_ENTER = `(take) => {
  const { api } = globalThis.__TEMPORAL__
  Object.defineProperty(globalThis, '__TREEOS_ENTER__', {
    value: () => { const [name, args] = take(); return api[name](...args) },
    writable: false, enumerable: false, configurable: false,
  })
}`
