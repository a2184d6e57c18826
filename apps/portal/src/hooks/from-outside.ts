import { act, type Connection, findKeyed, summon } from '@treeos/client'
import { type Json, parseCall, parseStance } from '@treeos/core'
import type { Hook } from './hooks.ts'

/** What a program outside said. */
export interface FromOutside {
  /** names the message; the same when it is sent again */
  readonly id: string
  readonly content: Json
}

/** The key by which a message is one act. */
const hookMessageKey = ({ id }: Pick<Hook, 'id'>, message: string): string => `hook ${id} ${message}`

/** Whether a message came before: sent again, it is not a further act. */
export const wasTold = async (at: Pick<Connection, 'db'>, hook: Hook, message: string): Promise<boolean> =>
  (await findKeyed(at, { as: hook.being, key: hookMessageKey(hook, message) })) !== null

/**
 * What a program outside said becomes an act of the hook's person: a summon, or a signal. This is the one
 * place where it enters, so that all of it says that it comes from outside, and by which hook. The same
 * message is the same act, however often it comes.
 * @throws {TreeosError} the refusal of the act
 */
export async function tellFromOutside(
  at: Connection,
  hook: Hook,
  message: FromOutside,
): Promise<{ readonly correlation: string } | { readonly act: string | null }> {
  const { being: as, name, does } = hook
  const key = hookMessageKey(hook, message.id)
  const said = { outside: { hook: name, id: message.id }, content: message.content }
  if ('summon' in does) {
    const target = parseStance(does.summon)
    const { correlation } = await summon(at, {
      target,
      content: said,
      as,
      outside: true,
      waitSeconds: null,
      key,
    })
    return { correlation }
  }
  const [namespace = '', ...path] = does.signal.split('.')
  const args = { namespace, key: path.join('.'), value: said }
  const call = parseCall({ verb: 'do', operation: 'set-world-signal', target: '/', args })
  return { act: (await act(at, as, call, undefined, key, true)).act }
}
