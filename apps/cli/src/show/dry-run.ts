import type { ShadowView } from '@treeos/client'
import { shown } from '../text/output.ts'
import { list, timeOf } from './parts.ts'

export function shownDryRun({ tried, said, worn }: ShadowView): string {
  const rules = tried === null ? [] : [`on a dry run  ${shown(tried)}`]
  if (said.length === 0 && worn.length === 0)
    return [...rules, 'nothing would have been otherwise so far'].join('\n')
  return [
    ...rules,
    ...worn.map(
      ({ was, would, times, examples }) =>
        `${times} ${times === 1 ? 'moment' : 'moments'} would wear ${list(would)}, not ${list(was)}, as ${examples.join(', ')}`,
    ),
    ...said.flatMap(({ by, was, would, times, examples }) => [
      `${times} ${times === 1 ? 'call' : 'calls'} would be ${would}, not ${was}, by ${by}`,
      ...examples.map(
        ({ moment, at, verb, key, on }) => `  ${timeOf(at)}  ${moment}  ${verb} ${key} on ${on}`,
      ),
    ]),
  ].join('\n')
}
