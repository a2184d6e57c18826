import type { ShadowView } from '@treeos/client'
import { shown } from '../text/output.ts'
import { timeOf } from './parts.ts'

export function shownShadow({ tried, said }: ShadowView): string {
  const rules = tried === null ? [] : [`tried     ${shown(tried)}`]
  if (said.length === 0) return [...rules, 'nothing would have been otherwise so far'].join('\n')
  return [
    ...rules,
    ...said.flatMap(({ by, was, would, times, examples }) => [
      `${times} ${times === 1 ? 'call' : 'calls'} would be ${would}, not ${was}, by ${by}`,
      ...examples.map(
        ({ moment, at, verb, key, on }) => `  ${timeOf(at)}  ${moment}  ${verb} ${key} on ${on}`,
      ),
    ]),
  ].join('\n')
}
