import type { ChainsVerified, ExportedBundle } from '@treeos/proofs'
import type { Difference, ReplayReport, RuledOtherwise, WornStack } from '@treeos/replay'
import type { RefoldReport } from '@treeos/store'
import type { LogCompared } from '../instance/checkpoints.ts'
import { oneLine, shown, table } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { cut, timeOf } from './parts.ts'

export function shownReplayed({
  beings,
  moments,
  identical,
  mismatches,
  olderPrompts = 0,
  erased = [],
  partly = 0,
  otherCode = 0,
  elsewhere = [],
  unattested = 0,
  deleted = 0,
}: ReplayReport): string {
  const head = `${beings} beings, ${moments} moments: ${identical ? 'identical' : 'NOT identical'}`
  const rowOf = ({
    being,
    n,
    field,
    from,
    recorded,
    accepted,
    ...computed
  }: ReplayReport['mismatches'][number]) => {
    const other = `${from} ${shown(computed[from])}`
    const end =
      accepted === undefined ? '' : `; accepted by @${accepted.by} at ${new Date(accepted.at).toISOString()}`
    return `  @${being} ${n} ${field}: recorded ${cut(oneLine(shown(recorded)))}, ${cut(oneLine(other))}${end}`
  }
  const rows = mismatches.map(rowOf)
  const older =
    olderPrompts === 0
      ? []
      : [
          `  ${olderPrompts} of these moments had their prompt written by an older version of TreeOS: all but its text was compared`,
        ]
  const gone = erased.map(
    ({ reel, seq, moment, by, why }) =>
      `  erased by ${by}: ${seq === null ? `moment ${moment}` : `fact ${seq} of ${reel}`} (${cut(oneLine(why))})`,
  )
  const rest = [
    ...(partly === 0 ? [] : [`  ${partly} moments were compared as far as what they rest on was not erased`]),
    ...(otherCode === 0
      ? []
      : [
          `  ${otherCode} moments were lived with other extensions than are loaded here, which show or judge them otherwise:`,
          ...elsewhere.map((one) => `  ${rowOf(one)}`),
        ]),
    ...(deleted === 0
      ? []
      : [
          `  ${deleted} moments are not attested any more: Temporal has deleted their histories after its retention, and the archive has none`,
        ]),
    ...(unattested === 0
      ? []
      : [
          `  ${unattested} moments are in no history of Temporal yet: their workflow task has not ended, or was cut off when their run was ended`,
        ]),
  ]
  return [head, ...older, ...gone, ...rest, ...rows].join('\n')
}

export function shownDifferences(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'no moment would differ'
  const roles = ({ primary, stacked, skip }: WornStack) => skip ?? [primary ?? '-', ...stacked].join(' + ')
  return table(
    differences.map(({ n, openedAt, differs, was, would, refused }) => [
      String(n).padStart(4),
      timeOf(openedAt),
      differs.join(' ') || '-',
      `${roles(was)} → ${roles(would)}`,
      refused === null ? '' : cut(oneLine(`its act is refused: ${refused.message}`)),
    ]),
  )
}

export function shownRuledOtherwise(calls: readonly RuledOtherwise[]): string {
  if (calls.length === 0) return 'no call would have come to something else'
  return table(
    calls.map(({ n, openedAt, call, was, would, message }) => [
      String(n).padStart(4),
      timeOf(openedAt),
      `${was} → ${would}`,
      cut(oneLine(message ?? JSON.stringify(call))),
    ]),
  )
}

const HEADS = { ok: 'unbroken', unproven: 'unbroken, and not proven', broken: 'BROKEN' } as const

export interface VerifiedView extends ChainsVerified {
  readonly status: 'ok' | 'unproven' | 'broken'
  /** in words, what no checkpoint says */
  readonly unproven: readonly string[]
  readonly log: Omit<LogCompared, 'broken'>
}

export function shownVerified({
  reels,
  facts,
  moments,
  status,
  broken,
  unproven,
  log,
}: VerifiedView): string {
  const head = `${reels} reels, ${facts} facts, ${moments} moment records: ${HEADS[status]}`
  return [
    head,
    ...shownLog(log),
    ...unproven.map((one) => `  not proven: ${one}`),
    ...broken.map(
      ({ reel, seq, reason, key }) =>
        `  ${reel} ${seq}: ${reason}${key === undefined || key === reel ? '' : ` of ${key}`}`,
    ),
  ].join('\n')
}

function shownLog({ entries, checkpoints, lastGood, suspect, cosigned }: VerifiedView['log']): string[] {
  const upTo = lastGood === null ? '' : `, the last good one over ${lastGood.size} entries`
  const head = `${entries} entries in the log, ${checkpoints} signed checkpoints${upTo}`
  const witnessed = (cosigned?.by ?? []).map(
    ({ by, at }) => `  ${cosigned?.size} entries cosigned by ${by} at ${new Date(1000 * at).toISOString()}`,
  )
  if (suspect === null) return [head, ...witnessed]
  const { from, to, gone, reels } = suspect
  return [
    head,
    ...witnessed,
    `changed between entries ${from} and ${to}${gone === 0 ? '' : `, ${gone} of them gone`}:`,
    ...reels.map((one) => `  ${one.reel} ${one.from}–${one.to}`),
  ]
}

export function shownExported({ file, lines, counts }: ExportedBundle): string {
  const { fact = 0, moment = 0, checkpoint = 0 } = counts
  return [
    `${file}: ${fact} facts and ${moment} moments in ${lines} lines${checkpoint === 0 ? ', without proofs' : ''}`,
    `Check it with \`${programName()} verify --bundle ${file}\`, or with @treeos/verify alone.`,
  ].join('\n')
}

export interface RefoldedView {
  readonly rows: number
  readonly changed: number
  /** of the rows that were changed */
  readonly keys: RefoldReport['changed']
  readonly erased: RefoldReport['erased']
}

export function shownRefolded({ rows, changed, keys, erased }: RefoldedView): string {
  return [
    `${rows} rows made again: ${changed === 0 ? 'all were as their facts say' : `${changed} repaired`}`,
    ...keys.map((key) => `  ${key}`),
    ...erased.map(({ reel, seq }) => `  ${reel} left as it is: the payload of fact ${seq} was erased`),
  ].join('\n')
}
