import type { FoundBy } from '../api/deed.ts'
import type { momentQuery } from '../api/queries.ts'
import { callText, placesOf, wordsOf } from '../words/tell.ts'

export type MomentView = FoundBy<ReturnType<typeof momentQuery>>
type WordedMoment = Pick<MomentView, 'moment' | 'decision'>

const WOKEN: Readonly<Record<string, string>> = {
  message: 'said',
  answer: 'answered',
  act: 'acted',
  refused: 'waits on after a refusal',
}

/** What woke a moment, in the beginning of a sentence; the words follow where there are some. */
export function wokenIn({ moment: { woke } }: Pick<MomentView, 'moment'>): string {
  if (woke === null) return 'Nothing woke it: a later life of it closed the moment.'
  const { trigger, from, what } = woke
  if (from !== null) return `${from} ${WOKEN[trigger] ?? `woke it by ${trigger}`}`
  return what === undefined ? `It was woken by ${trigger}` : `It was woken by ${trigger}: ${what}`
}

/** What a moment did, in a sentence without the words that it said. */
export function didIn({ moment: { outcome, did, reason }, decision }: WordedMoment): string {
  const call = decision?.kind === 'call' ? decision.call : null
  const done = call === null ? null : doneBy(call, did?.target)
  if (outcome === 'failure') return done === null ? 'It failed.' : `It wanted to ${done.would}, and failed.`
  if (outcome === 'skipped') return `It was skipped${reason === undefined ? '' : `: ${reason}`}.`
  if (outcome === 'waiting') return `It wants to ${done?.would ?? 'act'}, and waits for a yes.`
  return done === null ? 'It did nothing.' : `It ${done.did}`
}

type DecidedCall = Extract<NonNullable<MomentView['decision']>, { kind: 'call' }>['call']

function doneBy(
  call: DecidedCall,
  target: string | undefined,
): { readonly did: string; readonly would: string } {
  if (call.verb === 'summon') {
    const whom = target ?? 'whoever asked'
    return { did: `said to ${whom}:`, would: `speak to ${whom}` }
  }
  if (call.verb === 'see') {
    const at = placesOf(call)
    return { did: `looked at ${at}.`, would: `look at ${at}` }
  }
  const on = target === undefined ? '' : ` on ${target}`
  const words = `${callText(call)}${on}`
  return { did: `did ${words}.`, would: `do ${words}` }
}

/** The words that a moment said to a being; null for none. */
export function spokenIn({ decision }: Pick<MomentView, 'decision'>): string | null {
  if (decision?.kind !== 'call' || decision.call.verb !== 'summon') return null
  return wordsOf(decision.call.content)
}
