import type { Json, JsonObject } from '@treeos/core'
import {
  answer,
  type Decision,
  defineExtension,
  defineOperation,
  defineRole,
  perform,
  type Script,
  setQuality,
  silence,
  tell,
} from '@treeos/sdk'
import { z } from 'zod'

/** For workers that load it by path. */
export const RELAY_PATH = import.meta.filename

/** What a being of a relay does at a step of its plan. */
export type RelayStep =
  /** asks a being that does this */
  | { readonly ask: string; readonly to: RelayTask }
  /** rings in a space, whose rules may ask somebody before */
  | { readonly ring: string; readonly of: string }
  | 'look'
  | 'touch'
  | 'turn'
  /** answers what it heard last */
  | 'answer'
  /** decides nothing */
  | 'nothing'

type AskingStep = Extract<RelayStep, { readonly ask: string }>

export type RelayTask =
  | { readonly say: Json }
  | { readonly plan: readonly RelayStep[] }
  /** asks all of them, each in a moment of its own */
  | { readonly all: readonly AskingStep[] }
  /** announces something to a being, or answers the question that began its thread in place of who was asked */
  | { readonly usurp: string; readonly says: string; readonly answers: boolean }
  | { readonly fail: true }
  | { readonly silent: true }

/** A plan with its next step: each question has it with it, and the answer brings it back. */
interface RelayState {
  readonly plan: readonly RelayStep[]
  readonly at: number
  /** the state of whoever asked */
  readonly up: Json
}

const see: Decision = { kind: 'call', call: { verb: 'see', address: '/' }, content: null }

/** Runs the step at which a plan stands. @param heard what was answered last */
function step(me: string, { plan, at, up }: RelayState, heard: Json): Decision {
  const next = plan[at] ?? 'nothing'
  const state = { plan, at: at + 1, up, heard } as unknown as Json
  if (typeof next === 'object')
    return 'ask' in next
      ? tell(next.ask, { task: next.to, state } as unknown as Json)
      : perform('relay:ring', next.ring, { of: next.of })
  const made: Record<Exclude<RelayStep, object>, () => Decision> = {
    look: () => see,
    touch: () => perform('set-being', `@${me}`, { field: 'notes.at', value: at }),
    turn: () => tell(`@${me}`, { goesOn: state } as Json),
    answer: () => answer({ heard, state: up } as Json),
    nothing: () => silence,
  }
  return made[next]()
}

const each = (asked: readonly AskingStep[], i: number): Decision => {
  const next = asked[i]
  return next === undefined ? silence : tell(next.ask, { task: next.to } as unknown as Json)
}

const taskOf = (content: Json): JsonObject => {
  const told = typeof content === 'string' ? (JSON.parse(content) as Json) : content
  return typeof told === 'object' && told !== null ? (told as JsonObject) : {}
}

/** By which a being goes on with its plan after a step that asked nobody. */
const GOING_ON = ['look', 'continue', 'denied', 'expired']
/** Steps since the wake that it goes on from. */
const stepsSince = ({ earlier }: JsonObject): number => (Array.isArray(earlier) ? earlier.length : 0) + 1

/** A script of a being that follows the plan which its question holds, and asks others on the way. */
const relayed: Script = ({ wake, face }) => {
  const me = face.me.name
  const content = taskOf(wake.content)
  const resumed = (told: JsonObject, skips: number): Decision => {
    const { state = null, heard = null } = told as unknown as { state?: RelayState | null; heard?: Json }
    const task = (told.task ?? told) as unknown as RelayTask
    if ('all' in task) return each(task.all, skips)
    if ('plan' in task) return step(me, { plan: task.plan, at: skips, up: state as unknown as Json }, null)
    // who heard of a failure alone does not know the plan
    return state === null ? answer({ heard, state }) : step(me, { ...state, at: state.at + skips }, heard)
  }
  if (wake.kind === 'answer') return resumed(content, 0)
  if (wake.kind === 'notice' || wake.kind === 'unanswered')
    return answer({ heard: { told: content.event ?? null, code: content.code ?? null }, state: null })
  if (GOING_ON.includes(wake.kind)) {
    const begun = content.begun as JsonObject
    const told = taskOf('from' in begun ? (begun.content as Json) : (begun as Json))
    if ('goesOn' in told) {
      const state = told.goesOn as unknown as RelayState & { heard: Json }
      return step(me, { ...state, at: state.at + stepsSince(content) }, state.heard)
    }
    return resumed(told, stepsSince(content))
  }
  if ('goesOn' in content) {
    const state = content.goesOn as unknown as RelayState & { heard: Json }
    return step(me, state, state.heard)
  }
  const task = (content.task ?? content) as unknown as RelayTask
  const up = (content.state ?? null) as Json
  if ('all' in task) return each(task.all, 0)
  if ('say' in task) return answer({ heard: task.say, state: up })
  if ('usurp' in task) {
    const call = { verb: 'summon', target: task.usurp, content: task.says } as const
    const said = task.answers ? { inReplyTo: wake.root } : { inReplyTo: null, expectReply: false }
    return { kind: 'call', call: { ...call, ...said }, content: null }
  }
  if ('fail' in task) throw new Error('the script has an error')
  return 'plan' in task ? step(me, { plan: task.plan, at: 0, up }, null) : silence
}

const ring = defineOperation({
  name: 'relay:ring',
  description: 'Rings.',
  on: 'space',
  allow: ['anyone'],
  args: z.strictObject({ of: z.string().describe('for whom') }),
  decide: ({ target, args }) => ({ facts: [setQuality(target, 'relay.rung', args.of)], result: 'rung' }),
})

const ANY = [{ pattern: '*' }]

/** Beings that hand questions on. */
export default defineExtension({
  name: 'relay',
  version: '1.0.0',
  operations: [ring],
  roles: [
    defineRole({
      name: 'relay:desk',
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      selfContinue: 'until-answered',
      prompt: 'You hand questions on.',
    }),
    defineRole({
      name: 'relay:person',
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      canBe: ANY,
      prompt: 'You are a person.',
    }),
    ...(['each', 'all'] as const).map((onAnswers) =>
      defineRole({
        name: `relay:${onAnswers}`,
        canSummon: ANY,
        selfContinue: true,
        onAnswers,
        prompt: 'You ask all at once.',
      }),
    ),
    defineRole({ name: 'relay:deaf', triggerOn: ['schedule'], prompt: 'You hear nobody.' }),
    defineRole({
      name: 'relay:speaker',
      canSummon: [{ rel: 'asker' }, '@billing'],
      prose: 'answers',
      prompt: 'You answer customers. Ask @billing about invoices.',
    }),
  ],
  scripts: { 'relay:relayed': relayed },
})
