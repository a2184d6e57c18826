import type { JsonObject } from '@treeos/core'
import { type Decision, defineExtension, defineRole, type Script, silence } from '@treeos/sdk'

const ANY = [{ pattern: '*' }]

/**
 * A script that does what its wake says: `{call, say?}` is the call it makes, `{return}` its whole answer,
 * `{throw}` the error it throws. For any other wake it stays silent.
 */
const puppet: Script = ({ wake }) => {
  const told = wake.content as JsonObject
  if (typeof told !== 'object' || told === null) return silence
  if ('throw' in told) throw new Error(String(told.throw))
  if ('return' in told) return told.return as unknown as Decision
  if ('call' in told)
    return { kind: 'call', call: told.call, content: told.say ?? null } as unknown as Decision
  return silence
}

/** Tells a puppet to write a quality of its own. */
export const acting = (value: number): JsonObject => ({
  call: { verb: 'do', operation: 'set-being', args: { field: 'a.b', value } },
})

/** Beings and roles to make scenes from. */
export const stage = defineExtension({
  name: 'stage',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'stage:free',
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      canBe: ANY,
      prompt: 'You may reach for everything.',
    }),
    defineRole({ name: 'stage:mute', prompt: 'You may reach for nothing.' }),
    ...Array.from({ length: 16 }, (_, i) => defineRole({ name: `stage:mode-${i}`, prompt: '' })),
    defineRole({
      name: 'stage:seer',
      see: ['stage:board'],
      views: 'only',
      canSee: ['~'],
      prompt: 'You watch the board.',
    }),
  ],
  see: {
    'stage:board': ({ me }) => ({ place: me.space, squares: 64 }),
  },
  scripts: { 'stage:puppet': puppet },
})
