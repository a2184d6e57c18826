import { at, type JsonObject } from '../canonical.ts'
import { written } from '../written.ts'
import type { Wearer } from './gates.ts'
import { need } from './need.ts'
import type { Target } from './question.ts'
import type { Parts } from './witness.ts'
import type { World } from './world.ts'

/** What names what is called, by verb. */
const KEY_OF: Readonly<Record<string, string>> = { see: 'address', do: 'operation', be: 'operation' }

/** What the list gate and the rule gate are asked about. */
export function targetOf(
  { target, specs }: Parts,
  call: JsonObject,
  { me, asker }: Wearer,
): { asked: string; key: string; target: string } {
  const named = at(call, 'target') ?? null
  const key = KEY_OF[String(call.verb)]
  const isForm = key === undefined || typeof call[key] === 'string'
  need(isForm && (named === null || typeof named === 'string'), 'its call has another form')
  switch (call.verb) {
    case 'see': {
      const asked = written('canSee', String(call.address), me.home)
      need(asked === target, 'its target is not the one of the call')
      return { asked, key: asked, target }
    }
    case 'summon': {
      const isAsker = (at(specs[0], 'replyTo') ?? 'asker') === 'asker'
      const due =
        named === null
          ? isAsker && asker !== null
            ? `@${asker}`
            : target
          : written('canSummon', String(named), me.home)
      need(due === target && target.startsWith('@'), 'its target is not the one of the call')
      return { asked: target, key: target, target }
    }
    case 'be':
      need(target === `@${me.name}`, 'a BE is done to the being itself')
      return { asked: String(call.operation), key: String(call.operation), target }
    default: {
      const due =
        named === null ? ['/', `@${me.name}`, me.space] : [written('canSee', String(named), me.home)]
      need(due.includes(target), 'its target is not the one of the call')
      return { asked: String(call.operation), key: String(call.operation), target }
    }
  }
}

/** What a call is done to, where it was then. */
export function placed(world: World, target: string): Target {
  const there = <T>(found: T | null): T => {
    if (found === null) throw new Error(`${target} was not there`)
    return found
  }
  if (target.startsWith('@')) {
    const being = there(world.being(target.slice(1)))
    return { being, space: being.space, owner: undefined }
  }
  if (target.startsWith('thread:')) return { being: null, space: '/', owner: undefined }
  if (!target.startsWith('matter:'))
    return { being: null, space: there(world.space(target)).name, owner: undefined }
  const { owner, space } = there(world.state(target))
  return {
    being: null,
    space: space.startsWith('@') ? there(world.being(space.slice(1))).space : space,
    owner,
  }
}
