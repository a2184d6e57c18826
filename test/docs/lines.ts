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
const rolesIn = (file: string) =>
  (
    JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/examples', file), 'utf8')) as {
      roles: { name: string; prompt: string }[]
    }
  ).roles
const roles = ['coronation.json', 'desk.json'].flatMap(rolesIn)
/** What the beings of the desk say, by role. */
const ANSWERS: Readonly<Record<string, string>> = { billing: 'You owe 42.', legal: 'That is lawful.' }
/** The desk asks one after the other, and sums up once it has heard both. */
function deskLine(user: string): Reply {
  if (user.includes('You said to @billing')) return say('Is that lawful?', '@legal')
  if (user.includes('You said to @legal')) return { content: 'I wait.' }
  const isFirst = user.includes('What do I owe')
  return isFirst ? say('What is owed?', '@billing') : { content: 'You owe 42, and that is lawful.' }
}

/** Like a small model, it does what its role's prompt says. */
export function lineOf({ messages }: ModelRequest): Reply | undefined {
  const [system, user] = [messages[0]?.content ?? '', messages.at(-1)?.content ?? '']
  const role = roles.findLast(({ prompt }) => system.includes(prompt))?.name
  if (role === undefined) return /^I am (archbishop|chancellor|heir)\b/.test(system) ? LISTENING : undefined
  if (role === 'desk') return deskLine(user)
  const answer = ANSWERS[role]
  if (answer !== undefined) return { content: answer }
  if (role !== 'herald') return LINES[role]
  const step = user.match(/^You said to /gm)?.length ?? 0
  return step < GUESTS.length ? say('The heir is crowned.', GUESTS[step]) : { content: 'All know.' }
}
