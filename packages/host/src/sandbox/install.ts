import { createRequire } from 'node:module'
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm.js'
import { GuardedWorkflowCreator } from './threads.ts'

/** The version whose inner classes sandbox/ was written for. Read what changed in them before you raise it. */
const SDK_VERSION = '1.24.0'

type Create = typeof ThreadedVMWorkflowCreator.create

let before: Create | null = null
let users = 0

/**
 * Lets the workers of this process enter workflows without the SDK's timer, and swap only the globals that differ. A workflow that
 * runs for 5 s without giving way ends its thread; see docs/sandbox-entry.md for all that changes. With another version of the SDK
 * it changes nothing and says so in a warning. Call it before `Worker.create`.
 * @returns undoes it; workers that exist stay as they are
 */
export function enterWorkflowsQuickly(version = installedVersion()): () => void {
  if (version !== SDK_VERSION) {
    process.emitWarning(
      `workflows are entered the slow way: @temporalio/worker is ${version}, the quick way is for ${SDK_VERSION}`,
      { code: 'TREEOS_SLOW_ENTRY' },
    )
    return () => undefined
  }
  users += 1
  if (before === null) {
    const create = ThreadedVMWorkflowCreator.create
    before = create
    ThreadedVMWorkflowCreator.create = (async (options) =>
      options.reuseV8Context ? await GuardedWorkflowCreator.create(options) : await create(options)) as Create
  }
  let isUndone = false
  return () => {
    if (isUndone) return
    isUndone = true
    users -= 1
    if (users > 0 || before === null) return
    ThreadedVMWorkflowCreator.create = before
    before = null
  }
}

function installedVersion(): string {
  return (createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string }).version
}
