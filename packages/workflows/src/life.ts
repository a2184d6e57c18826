import { workflowInfo } from '@temporalio/workflow'
import type { BeingName, RoleName } from '@treeos/core/workflow'
import type { EvaluatedMoment, OpenedMoment } from '@treeos/protocol/workflow'
import { type CompiledFlow, compileFlow } from '@treeos/roles/workflow'
import { localBeats } from './beats.ts'
import type { IdleWait } from './run.ts'
import type { Hinter, SignalledAct } from './signals.ts'

/** Input of the workflow. Nothing else survives continue-as-new. */
export interface BeingInput {
  readonly reality: string
  readonly being: BeingName
  /** left out on the first run of an execution chain, which takes a new generation */
  readonly life?: {
    readonly generation: number
    readonly n: number
    readonly idle?: IdleWait
    /** how long the being was silent at the end of the run before; left out for 0 */
    readonly silentMs?: number
    /** what the Temporal UI shows of the last moments */
    readonly shown?: readonly string[]
  }
  /** version of the code by which the run began: BEING_VERSION at that time */
  readonly version: number
  /** events after which a run ends and the next begins; left out for the bounds of `run.ts` */
  readonly historyEventsMax?: number
}

/** State of a being's workflow: a cursor into its moments. It holds no wakes. */
export interface Life {
  readonly being: BeingName
  readonly generation: number
  /** number of the next moment */
  n: number
  /** the compiled flow; null at the start of a run, and then requested by digest */
  program: CompiledProgram | null
  /** when the being wakes by itself; null when it never does */
  idle: IdleWait | null
  /** how long the being has been silent already when it next sleeps */
  silentMs: number
  /** what the Temporal UI shows of the last moments, a line each, oldest first */
  shown: readonly string[]
  /** the moments that the last call of `liveMoments` lived, with their roles; empty at the start of a run */
  last: string
  readonly asking: Hinter
}

export interface BegunLife {
  readonly life: Life
  /** the last moments of generations before, which no workflow may have evaluated */
  readonly before: readonly EvaluatedMoment[]
}

export async function beginLife({ being, life }: BeingInput, asking: Hinter): Promise<BegunLife> {
  if (life !== undefined) {
    const { generation, n, idle = null, silentMs = 0, shown = [] } = life
    return {
      life: { being, generation, n, idle, silentMs, program: null, shown, last: '', asking },
      before: [],
    }
  }
  const chain = workflowInfo().firstExecutionRunId
  const { value } = await localBeats('begin a life').beginLife({ being, chain })
  const { generation, n, before = [] } = value
  const fresh = { program: null, idle: null, silentMs: 0, shown: [], last: '' }
  return { life: { being, generation, n, ...fresh, asking }, before }
}

/** Puts an act that came as a signal into the inbox. */
export async function enqueueAct({ being }: Life, { id, act }: SignalledAct): Promise<void> {
  await localBeats('take an act').intake({ being, id, act })
}

/** A compiled flow, with what its evaluation needs to know about each role. */
export interface CompiledProgram {
  readonly digest: string
  readonly flow: CompiledFlow
  readonly defaultRole: RoleName | null
  readonly roles: NonNullable<OpenedMoment['program']>['roles']
}

/**
 * Returns the program of a moment: the held one, or the one that `liveMoments` returned, compiled.
 * @throws {Error} when there is neither
 */
export function programFor(
  held: CompiledProgram | null,
  { moment, program, programDigest: digest }: OpenedMoment,
): CompiledProgram {
  if (program !== undefined) {
    const { flow, defaultRole, roles } = program
    return { digest, flow: compileFlow(flow), defaultRole, roles }
  }
  if (held?.digest === digest) return held
  throw new Error(`the program ${digest} of ${moment} was not returned, and this run does not hold it`)
}
