import {
  answer,
  type Decision,
  type Json,
  perform,
  type SceneAct,
  type Script,
  silence,
  type WakeView,
} from '@treeos/sdk'
import { z } from 'zod'
import { profileOf } from './child.ts'

const told = z.object({
  event: z.string(),
  message: z.string().optional(),
  begun: z.unknown().optional(),
  step: z.number().optional(),
})
const begunBy = z.object({ from: z.string(), content: z.unknown() })
const children = z.array(
  z.object({ child: z.string(), role: z.string(), state: z.string(), asleep: z.boolean() }),
)
const BEGIN = 'begin'

/** What a moment is about: its own wake, or the one that it goes on from. */
function aboutOf({ kind, from, content }: Pick<WakeView, 'kind' | 'from' | 'content'>): {
  event: string | null
  from: string | null
  content: unknown
} {
  const goesOn = kind === 'continue'
  const event = from === null || goesOn ? told.safeParse(content).data : undefined
  if (event === undefined) return { event: null, from, content }
  const begun = goesOn ? begunBy.safeParse(event.begun).data : undefined
  if (begun === undefined) return { event: event.event, from: null, content }
  return { event: event.event, from: begun.from.replace(/^@/, ''), content: begun.content }
}

/**
 * The parent of the scene: spawns three children, gives the analyst a task, and deals with what the guardian
 * reports.
 */
export const keeper: Script = ({ wake, face }) => {
  const me = `@${face.me.name}`
  const about = aboutOf(wake)
  const isNew = wake.kind !== 'continue'
  const brood = children.safeParse(face.views.find(({ name }) => name === 'children')?.view).data ?? []
  if (about.content === BEGIN)
    return nextStep(me, new Set(brood.map(({ role }) => role)), stepOf(wake.content))
  const guardian = brood.find(({ child, role }) => role === 'guardian' && child === `@${about.from}`)
  if (guardian !== undefined && String(about.content).startsWith('anomaly')) {
    // The scene ends the guardian that told of it, to show that it comes back.
    if (isNew && guardian.state === 'healthy')
      return perform('lineage:move-child', me, moveOf(guardian.child, 'unhealthy'))
    if (!isNew && guardian.state === 'unhealthy')
      return perform('lineage:move-child', me, moveOf(guardian.child, 'failed'))
    return silence
  }
  if (!isNew) return silence
  const analyst = brood.find(({ child, role }) => role === 'analyst' && child === `@${wake.from}`)
  if (analyst !== undefined)
    return perform('lineage:write-file', me, { path: 'reports/market.md', text: String(wake.content) })
  if (wake.from === null || wake.inReplyTo !== null || brood.some(({ child }) => child === `@${wake.from}`))
    return silence
  return answer({ children: brood })
}

const moveOf = (child: string, to: string) => ({ child, to, reason: 'the scene tries whether it comes back' })

const stepOf = (content: Json): number => told.safeParse(content).data?.step ?? 0

const STEPS = [
  { name: 'scribe', role: 'writer', message: 'the weather of the week' },
  { name: 'scout', role: 'analyst' },
  { name: 'watch', role: 'guardian', message: 'the gauge of the hall' },
] as const

/** @param step how often it has gone on by itself */
function nextStep(me: string, roles: ReadonlySet<string>, step: number): Decision {
  const next = STEPS.find(({ role }) => !roles.has(role))
  if (next !== undefined) return perform('lineage:spawn-child', me, { ...next, script: 'lineage:worker' })
  if (step !== STEPS.length) return silence
  const call = {
    verb: 'summon',
    target: '@scout',
    content: 'what do the markets say?',
    inReplyTo: null,
    expectReply: true,
    outside: false,
  }
  return { kind: 'call', call: call as Extract<Decision, { kind: 'call' }>['call'], content: null }
}

/** A child of the scene: does the work of its role, then reports. */
export const worker: Script = ({ wake, face }) => {
  const me = `@${face.me.name}`
  const role = profileOf(face.me)?.role
  const about = aboutOf(wake)
  if (wake.inReplyTo !== null) return silence
  const report = (content: string) => perform('lineage:inbox-reply', me, { content })
  if (role === 'guardian') {
    if (about.event === 'self-continue') return silence
    if (about.event === 'restarted') return report('back on watch')
    const { heat } = (face.space.qualities.gauge ?? {}) as { heat?: Json }
    const reading = `the gauge of ${face.space.path} is at ${JSON.stringify(heat ?? null)}`
    const isHot = typeof heat === 'number' && heat > HEAT_MAX
    if (isHot && about.event === 'spawned') return report(`anomaly: ${reading}, above ${HEAT_MAX}`)
    return perform('lineage:log-thought', me, { thought: reading })
  }
  if (about.event === 'schedule') return silence
  if (about.event === 'self-continue')
    return report(role === 'analyst' ? 'rising, slowly' : 'the draft is written')
  const subject = told.safeParse(about.content).data?.message ?? String(about.content)
  return perform('lineage:write-file', me, { path: 'draft.md', text: `On ${subject}.` })
}
const HEAT_MAX = 80

export const scene: readonly SceneAct[] = [
  { verb: 'do', operation: 'create-space', target: '/', args: { path: '/nursery' } },
  { verb: 'do', operation: 'set-space', target: '/nursery', args: { field: 'gauge.heat', value: 93 } },
  {
    verb: 'be',
    operation: 'birth',
    args: {
      name: 'keeper',
      cognition: 'scripted',
      script: 'lineage:keeper',
      role: 'lineage:parent',
      home: '/nursery',
    },
  },
  {
    verb: 'do',
    operation: 'set-being',
    target: '@keeper',
    args: { field: 'lineage.prompt', value: 'Keep the house, and tell the truth about it.' },
  },
  { verb: 'summon', target: '@keeper', content: BEGIN },
]
