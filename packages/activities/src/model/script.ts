import { type Decision, parseDecision, quote } from '@treeos/core'
import type { ThinkInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import type { Registry } from '@treeos/world'
import { failureDecision } from './failure-decision.ts'

/** A script reads the moment and decides; what takes longer than this is not going to. */
const SCRIPT_SECONDS_MAX = 30

async function withTimeout<T>(seconds: number, work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no decision within ${seconds} s`)), seconds * 1000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A script's fault is its being's failure, never the worker's. */
export async function runScript(
  registry: Registry,
  loaded: LoadedMoment,
  stack: ThinkInput['stack'],
): Promise<Decision> {
  const { record, face, content } = loaded
  const name = record.cognition.script ?? ''
  const script = registry.scripts.get(name)
  if (script === undefined)
    return failureDecision('INTERNAL', `script ${quote(name)} is not loaded in this worker`)
  if (face === null) return failureDecision('INTERNAL', 'there is nothing to see')
  try {
    const deciding = script({
      moment: record.moment,
      face,
      primary: stack.primary.name,
      stacked: stack.stacked.map((role) => role.name),
      wake: {
        correlation: record.wake.id,
        root: record.wake.root,
        verb: record.verb,
        from: record.caller?.name ?? null,
        callerCognition: record.caller?.cognition ?? null,
        content,
        inReplyTo: record.wake.inReplyTo,
      },
    })
    return parseDecision(await withTimeout(SCRIPT_SECONDS_MAX, deciding))
  } catch (error) {
    return failureDecision(
      'INTERNAL',
      `script ${quote(name)}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
