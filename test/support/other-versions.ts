/**
 * Other versions of the workflows, made for tests from the bundle of the present one. Each serves to run a
 * worker, and to replay what that worker ran.
 */
import { readFile } from 'node:fs/promises'
import type { WorkerOptions } from '@temporalio/worker'
import { BEING_VERSION } from '@treeos/protocol'
import { inject } from 'vitest'

export const NEXT_VERSION = BEING_VERSION + 1

interface OtherVersion {
  readonly bundle: { readonly code: string }
  readonly worker: Partial<WorkerOptions>
}

const CHECKS_VERSION = /(?<!function )requireKnownVersion\(input\);/

/** As a next version could be: its runs begin with a timer, of which older code knows nothing. */
export function nextVersion(): Promise<OtherVersion> {
  const timer = 'await new Promise((done) => setTimeout(done, 1));'
  return otherVersion(
    [/BEING_VERSION = \d+;/, `BEING_VERSION = ${NEXT_VERSION};`],
    [CHECKS_VERSION, `requireKnownVersion(input); if (input.version === ${NEXT_VERSION}) ${timer}`],
  )
}

/** The present version, but it does not look at the version of a run. */
export const heedlessVersion = (): Promise<OtherVersion> => otherVersion([CHECKS_VERSION, ''])

/**
 * The present version, but it takes the signals as settled that it had heard when it asked, whatever the
 * result says.
 */
export function hastyVersion(): Promise<OtherVersion> {
  const signals = '_class_private_field_get(this, _signals)' // as the bundler writes `this.#signals`
  return otherVersion(
    [`heard: ${signals}.heard`, `heard: (this.toldOf = ${signals}.heard)`],
    [`${signals}.settle(heard);`, `${signals}.settle(this.toldOf);`],
  )
}

/** The present version, but it evaluates flows without their stacked roles. */
export const stacklessVersion = (): Promise<OtherVersion> =>
  otherVersion(['stacked: stacked.map(pinned)', 'stacked: []'])

/** @throws {Error} unless the bundle has each of these once */
async function otherVersion(
  ...changes: readonly [from: string | RegExp, to: string][]
): Promise<OtherVersion> {
  let code = await readFile(inject('replayBundlePath'), 'utf8')
  for (const [from, to] of changes) {
    const found = code.split(from).length - 1
    if (found !== 1) throw new Error(`the bundle has ${from} ${found} times`)
    code = code.replace(from, () => to)
  }
  const sinks = { strict: { command: { fn: () => undefined } } }
  return { bundle: { code }, worker: { workflowBundle: { code }, sinks } }
}
