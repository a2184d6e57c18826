/**
 * 1. A role flow: an ordered list of clauses that picks the role a being wears in a moment. Pure, no
 *   services. node examples/01-flow.ts
 */
import type { RoleFlow } from '@treeos/sdk'
import { compileFlow, evaluateFlow } from '@treeos/sdk/testing'

const flow: RoleFlow = [
  // the first plain clause that matches gives the primary role
  { when: { 'world.court.in-session': true }, role: 'judge' },
  { role: 'watcher' },
  // each stacked clause that matches adds a role
  { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'bored' },
]
const roles = { judge: {}, watcher: {}, bored: {} }

for (const [inSession, silenceSeconds] of [
  [false, 5],
  [true, 5],
  [true, 90],
] as const) {
  const context = { time: { sinceLastMoment: silenceSeconds }, world: { court: { 'in-session': inSession } } }
  const worn = evaluateFlow(compileFlow(flow), { context, cognition: 'llm', roles })
  console.log(JSON.stringify({ inSession, silenceSeconds, ...worn }))
}
