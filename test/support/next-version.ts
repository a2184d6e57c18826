import { readFile } from 'node:fs/promises'
import type { WorkerOptions } from '@temporalio/worker'
import { BEING_VERSION } from '@treeos/protocol'
import { inject } from 'vitest'

export const NEXT_VERSION = BEING_VERSION + 1

interface OtherVersion {
  readonly bundle: { readonly code: string }
  readonly worker: Partial<WorkerOptions>
}

/**
 * The workflows as a next version of the code could have them: its runs begin with a timer, of which older code knows nothing. The
 * bundle also serves to replay what its workers ran.
 */
export async function nextVersion(): Promise<OtherVersion> {
  const code = await readFile(inject('replayBundlePath'), 'utf8')
  const raised = replaceOnce(code, /BEING_VERSION = \d+;/, `BEING_VERSION = ${NEXT_VERSION};`)
  const timer = 'await new Promise((done) => setTimeout(done, 1));'
  const begun = `requireKnownVersion(input); if (input.version === ${NEXT_VERSION}) ${timer}`
  const bundle = { code: replaceOnce(raised, /(?<!function )requireKnownVersion\(input\);/, begun) }
  return {
    bundle,
    worker: { workflowBundle: bundle, sinks: { strict: { command: { fn: () => undefined } } } },
  }
}

/** Workers of the present version that do not look at the version of a run. */
export async function heedlessVersion(): Promise<Partial<WorkerOptions>> {
  const code = await readFile(inject('bundlePath'), 'utf8')
  return {
    workflowBundle: { code: replaceOnce(code, /(?<!function )requireKnownVersion\(input\);/, '') },
  }
}

/** @throws {Error} unless the text has it once */
function replaceOnce(text: string, from: RegExp, to: string): string {
  const found = text.split(from).length - 1
  if (found !== 1) throw new Error(`the bundle has ${from} ${found} times`)
  return text.replace(from, () => to)
}
