import { type Decision, messageOfThrown, parseDecision, quote, wakeLabel } from '@treeos/core'
import type { ThinkInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import type { Registry } from '@treeos/world'
import { failureDecision } from '../guard/failure-decision.ts'
import { type FaultDeps, reportFault } from '../moments/fault.ts'

/** Time limit of a script. */
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

/** Runs the script of a being. An error of the script becomes a failure of the moment, code INTERNAL. */
export async function runScript(
  deps: FaultDeps & { readonly registry: Registry },
  loaded: LoadedMoment,
  stack: ThinkInput['stack'],
): Promise<Decision> {
  const { record, face, content } = loaded
  const name = record.cognition.script ?? ''
  const script = deps.registry.scripts.get(name)
  if (script === undefined)
    return failureDecision('INTERNAL', `script ${quote(name)} is not loaded in this worker`)
  if (face === null) return failureDecision('INTERNAL', 'the moment has no face')
  const started = performance.now()
  try {
    const deciding = script({
      moment: record.moment,
      face,
      primary: stack.primary.name,
      stacked: stack.stacked.map((role) => role.name),
      wake: {
        // Where the being goes on, a script answers the wake that it goes on from.
        correlation: record.wake.kind === 'act' ? record.wake.id : (record.answers ?? record.wake.id),
        kind: wakeLabel(record.wake),
        root: record.wake.root,
        verb: record.verb,
        from: record.caller?.name ?? null,
        callerCognition: record.caller?.cognition ?? null,
        content,
        inReplyTo: record.wake.inReplyTo,
        expectReply: record.wake.expectReply !== false,
        outside: record.wake.outside === true,
      },
    })
    return parseDecision(await withTimeout(SCRIPT_SECONDS_MAX, deciding))
  } catch (error) {
    const seconds = (performance.now() - started) / 1000
    await reportFault(deps, record.moment, { part: 'script', attempt: 1, seconds, error })
    return failureDecision('INTERNAL', `script ${quote(name)}: ${messageOfThrown(error)}`)
  }
}
