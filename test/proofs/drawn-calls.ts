/** Calls that are drawn from what is there: of every verb and operation, most of them sensible, some not. */
import type { Json, JsonObject, VerbCall } from '@treeos/core'
import { drawnArguments, drawnBirth } from './drawn-arguments.ts'
import type { PartDrawer } from './drawn-parts.ts'

/** Operations that rules of spaces are about. */
const FREQUENT = [
  'create-space',
  'create-matter',
  'move',
  'take',
  'put',
  'set-size',
  'add-contributor',
].flatMap((name) => [name, name, name])

/** One call. */
export function drawnCall(of: PartDrawer): VerbCall {
  const { draw } = of
  const verb = draw.pick(['do', 'do', 'do', 'do', 'do', 'do', 'see', 'summon', 'be'] as const)
  if (verb === 'see')
    return { verb, address: of.mostly([of.space(), of.stance(), of.thing()], ['nonsense!']) }
  if (verb === 'summon') return drawnSummon(of)
  if (verb === 'be') return drawnBe(of)
  const forms = drawnArguments(of)
  const operation = draw.pick([...Object.keys(forms), ...FREQUENT])
  const [target, args] = forms[operation]?.() ?? [null, {}]
  const misplaced = draw.chance(0.04) ? draw.pick([of.stance(), of.space(), of.thing(), null]) : target
  return { verb, operation, target: misplaced, args: draw.chance(0.03) ? { ...args, more: 1 } : args }
}

function drawnBe(of: PartDrawer): VerbCall {
  const { draw } = of
  const operation = of.mostly(['birth', 'birth', 'birth', 'connect', 'release'], ['no:such'])
  if (operation === 'birth') return { verb: 'be', operation, args: drawnBirth(of) }
  const own: JsonObject = draw.chance(0.3) ? { own: true } : {}
  if (operation === 'connect') return { verb: 'be', operation, args: { being: of.stance(), ...own } }
  return { verb: 'be', operation, args: draw.chance(0.7) ? { being: of.stance() } : {} }
}

function drawnSummon(of: PartDrawer): VerbCall {
  const { draw } = of
  const more: JsonObject = {
    ...(draw.chance(0.1) ? { expectReply: draw.chance(0.5) } : {}),
    ...(draw.chance(0.1) ? { role: of.role() } : {}),
    ...(draw.chance(0.1) ? { orientation: draw.pick(['half', 'inward', 'forward']) } : {}),
    ...(draw.chance(0.05) ? { channel: 'news' } : {}),
    ...(draw.chance(0.02) ? { thread: 'none' } : {}),
  }
  const entries = of.said
  const inReplyTo =
    entries.length > 0 && draw.chance(0.15)
      ? (entries.at(-draw.between(1, Math.min(5, entries.length))) ?? null)
      : null
  const target = draw.chance(0.25) ? null : of.stance()
  return {
    verb: 'summon',
    target,
    content: draw.pick<Json>(['hello', { a: 1 }]),
    inReplyTo,
    ...more,
  } as VerbCall
}
