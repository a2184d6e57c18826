/** What the model of the pages answers: the beings of docs/rituals.md do as their roles say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelRequest, Reply } from '../support/model-server.ts'

const say = (content: string, target?: string): Reply => ({
  tool: { name: 'summon', args: target === undefined ? { content } : { target, content } },
})
const LISTENING: Reply = { content: 'I listen.' }
/** What the beings of the coronation answer, by role. All others give the default answer. */
const LINES: Readonly<Record<string, Reply>> = {
  presider: say('Bring the crown.', '@chancellor'),
  chancellor: say('Here is the crown.'),
  'presider-with-crown': say('Do you swear the oath?', '@heir'),
  heir: say('I swear.'),
  'presider-with-oath': {
    tool: { name: 'do', args: { operation: 'set-space', args: { field: 'crown.head', value: '@heir' } } },
  },
  sovereign: LISTENING,
}
const GUESTS = ['@chancellor', '@heir', '@archbishop']
const { roles } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../docs/examples/coronation.json'), 'utf8'),
) as {
  roles: { name: string; prompt: string }[]
}

/** Like a small model, it does what its role's prompt says. */
export function lineOf({ messages }: ModelRequest): Reply | undefined {
  const [system, user] = [messages[0]?.content ?? '', messages.at(-1)?.content ?? '']
  const role = roles.findLast(({ prompt }) => system.includes(prompt))?.name
  if (role === undefined) return /^I am (archbishop|chancellor|heir)\b/.test(system) ? LISTENING : undefined
  if (role !== 'herald') return LINES[role]
  const step = Number(/, step (\d+) of at most/.exec(user)?.[1] ?? 0)
  return step < GUESTS.length ? say('The heir is crowned.', GUESTS[step]) : { content: 'All know.' }
}
