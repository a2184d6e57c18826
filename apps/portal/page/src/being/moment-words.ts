import type { FoundBy } from '../api/deed.ts'
import type { momentQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { callText, placesOf, wordsOf } from '../words/tell.ts'

export type MomentView = FoundBy<ReturnType<typeof momentQuery>>
type WordedMoment = Pick<MomentView, 'moment' | 'decision'>

const WOKEN: Readonly<Record<string, string>> = {
  message: t('said'),
  answer: t('answered'),
  act: t('acted'),
  refused: t('waits on after a refusal'),
}

/** What woke a moment, in the beginning of a sentence; the words follow where there are some. */
export function wokenIn({ moment: { woke } }: Pick<MomentView, 'moment'>): string {
  if (woke === null) return t('Nothing woke it: a later life of it closed the moment.')
  const { trigger, from, what } = woke
  if (from !== null) return `${from} ${WOKEN[trigger] ?? t('woke it by {{trigger}}', { trigger })}`
  return what === undefined
    ? t('It was woken by {{trigger}}', { trigger })
    : t('It was woken by {{trigger}}: {{what}}', { trigger, what })
}

/** What a moment did, in a sentence without the words that it said. */
export function didIn({ moment: { outcome, did, reason }, decision }: WordedMoment): string {
  const call = decision?.kind === 'call' ? decision.call : null
  const done = call === null ? null : doneBy(call, did?.target)
  if (outcome === 'failure')
    return done === null ? t('It failed.') : t('It wanted to {{would}}, and failed.', { would: done.would })
  if (outcome === 'skipped')
    return reason === undefined ? t('It was skipped.') : t('It was skipped: {{reason}}.', { reason })
  if (outcome === 'waiting')
    return t('It wants to {{would}}, and waits for a yes.', { would: done?.would ?? t('act') })
  return done === null ? t('It did nothing.') : t('It {{did}}', { did: done.did })
}

type DecidedCall = Extract<NonNullable<MomentView['decision']>, { kind: 'call' }>['call']

function doneBy(
  call: DecidedCall,
  target: string | undefined,
): { readonly did: string; readonly would: string } {
  if (call.verb === 'summon') {
    const whom = target ?? t('whoever asked')
    return { did: t('said to {{whom}}:', { whom }), would: t('speak to {{whom}}', { whom }) }
  }
  if (call.verb === 'see') {
    const at = placesOf(call)
    return { did: t('looked at {{at}}.', { at }), would: t('look at {{at}}', { at }) }
  }
  const words =
    target === undefined ? callText(call) : t('{{call}} on {{target}}', { call: callText(call), target })
  return { did: t('did {{words}}.', { words }), would: t('do {{words}}', { words }) }
}

/** The words that a moment said to a being; null for none. */
export function spokenIn({ decision }: Pick<MomentView, 'decision'>): string | null {
  if (decision?.kind !== 'call' || decision.call.verb !== 'summon') return null
  return wordsOf(decision.call.content)
}
