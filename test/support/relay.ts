import type { Json, JsonObject } from '@treeos/core'
import { answer, defineExtension, defineRole, type Script, silence, tell } from '@treeos/sdk'

/**
 * A script of a being that asks others. `{ask, with}` is put to that being, and its answer is answered; `{say}` is answered; for anything
 * else it stays silent.
 */
const desk: Script = ({ wake }) => {
  const told = wake.content as JsonObject | null
  if (wake.kind === 'answer') return answer({ heard: wake.content })
  if (wake.kind === 'notice') return answer({ told: told?.event ?? null, code: told?.code ?? null })
  if (typeof told?.ask === 'string') return tell(told.ask, told.with as Json)
  return told !== null && typeof told === 'object' && 'say' in told ? answer(told.say as Json) : silence
}

const ANY = [{ pattern: '*' }]

/** Beings that hand questions on. */
export const relay = defineExtension({
  name: 'relay',
  version: '1.0.0',
  roles: [
    defineRole({ name: 'relay:desk', canSummon: ANY, prompt: 'You hand questions on.' }),
    defineRole({
      name: 'relay:speaker',
      canSummon: [{ rel: 'asker' }, '@billing'],
      prose: 'answers',
      prompt: 'You answer customers. Ask @billing about invoices.',
    }),
  ],
  scripts: { 'relay:desk': desk },
})
