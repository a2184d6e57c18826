import type {
  ExplainedMoment,
  Happening,
  ListedMoment,
  LivedMoment,
  MomentView,
  RebuiltPrompt,
} from '@treeos/client'
import { oneLine, plain, shown, table } from '../text/output.ts'
import { cut, list, short, timeOf } from './parts.ts'

/** @param ofAll each with its being */
export function shownMoments(moments: readonly ListedMoment[], ofAll: boolean): string {
  if (moments.length === 0) return ofAll ? 'no such moment is over' : 'no moment is over yet'
  return table(
    moments.map((moment) => [
      ...(ofAll ? [moment.being] : []),
      String(moment.n).padStart(4),
      ...momentCells(moment),
      spentText(moment),
    ]),
  )
}

/** How long it took, and what its model cost. */
function spentText({ openedAt, endedAt, cost }: Pick<LivedMoment, 'openedAt' | 'endedAt' | 'cost'>): string {
  const seconds = `${((Date.parse(endedAt) - Date.parse(openedAt)) / 1000).toFixed(1)} s`
  if (cost === null) return seconds
  return `${seconds}, ${cost.tokens} tokens${cost.money === 0 ? '' : `, ${cost.money} of money`}`
}

/** When it opened, what woke it, how it ended, what it did, what it wore and said. */
function momentCells(moment: MomentView): string[] {
  const { openedAt, woke, did, outcome, reason, primary, stacked, content, message, shadow } = moment
  const { wentOn, orientation } = moment
  return [
    timeOf(openedAt),
    woke === null ? '-' : oneLine([woke.trigger, woke.what ?? woke.from].filter(Boolean).join(' ')),
    (reason === undefined ? outcome : `${outcome} ${reason}`) +
      (shadow === undefined ? '' : ' (otherwise in a dry run)') +
      (wentOn === undefined ? '' : `, ${wentOnText(wentOn)}`),
    did === null
      ? '-'
      : oneLine([did.verb, did.operation, did.target].filter(Boolean).join(' ')) +
        ignoredText(did.ignoredCalls),
    [primary ?? '-', ...stacked].join(' + ') + (orientation === undefined ? '' : `, ${orientation}`),
    cut(oneLine(message ?? content ?? '')),
  ]
}

/** A happening on one line, and the facts of a moment below it. */
export function shownHappening(happening: Happening): string {
  if (happening.type === 'moment')
    return [`${happening.stance} ${happening.n}`, ...momentCells(happening)].filter(Boolean).join('  ')
  const { kind, reel, seq, hash, moment, payload } = happening
  const what = `${kind}  ${reel} ${seq}  ${short(hash)}  ${cut(oneLine(shown(payload)))}`
  return moment === null ? what : `  ${what}`
}

/** That an answer held more calls, of which none was made. */
const ignoredText = (ignored: number | undefined): string =>
  ignored === undefined ? '' : ` (${ignored} more ignored)`

/** That a model decides again after a refusal, and in which moment. */
const wentOnText = (n: number | null): string => (n === null ? 'goes on' : `went on: ${n}`)

export function shownExplanation({
  clauses,
  primary,
  source,
  stacked,
  skip,
  surface,
  leftOut,
  gates,
  shadow = [],
  wouldWear,
  ended,
  unheard,
  ignoredCalls,
  wentOn,
  orientation,
  hiddenBy,
  faults,
  openedAt,
  endedAt,
  cost,
}: ExplainedMoment): string {
  const worn = primary === null ? `no role: ${skip}` : `${primary}, by ${source}`
  const entries = Object.entries(surface).map(([name, allowed]) => [
    name,
    cut(allowed.map(entryText).join(' ') || '-'),
  ])
  return [
    `primary   ${worn}`,
    `stacked   ${list(stacked)}`,
    ...(orientation === undefined ? [] : [`looked    ${orientation}`]),
    ...(hiddenBy === undefined ? [] : [`hidden    ${oneLine(hiddenBy)}`]),
    ...(wouldWear === undefined ? [] : [`dry run   would wear ${list(wouldWear)}`]),
    clauses.length === 0
      ? 'clauses   none'
      : table(
          clauses.map(({ index, role, result, reason }) => [
            String(index),
            role ?? '-',
            result,
            oneLine(reason),
          ]),
          '  ',
        ),
    table(entries),
    ...leftOut.map(
      (item) => `left out  ${entryText('see' in item ? item.see : item.entry)}: ${oneLine(item.reason)}`,
    ),
    `took      ${spentText({ openedAt, endedAt, cost })}`,
    ...(gates.allowed === null ? [] : [`${gates.allowed ? 'allowed' : 'refused'}   ${gateText(gates)}`]),
    ...shadow.map(({ would, by }) => `dry run   would be ${would} by ${by}`),
    ...(ended.reason === null || gates.allowed === false ? [] : [endText(ended, ended.reason)]),
    ...(wentOn === undefined ? [] : [wentOnText(wentOn)]),
    ...(unheard === undefined ? [] : [`unheard   ${oneLine(unheard)}`]),
    ...(ignoredCalls === undefined
      ? []
      : [`ignored   ${ignoredCalls} more of its calls: a moment makes one`]),
    ...faults.map(faultText),
  ].join('\n')
}

/** The stack of an error begins with its message, so only its frames are added. */
function faultText({ part, attempt, at, message, stack }: ExplainedMoment['faults'][number]): string {
  const said = `error     ${part}, attempt ${attempt}, ${at}: ${plain(message)}`
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [said, ...frames.map((line) => plain(line))].join('\n')
}

const endText = ({ outcome, message }: ExplainedMoment['ended'], reason: string): string =>
  `ended     ${outcome} ${reason}${message === null ? '' : `: ${oneLine(message)}`}`

const gateText = ({ by, message }: ExplainedMoment['gates']): string =>
  oneLine(message ?? `by ${by.join(', then ')}`)

const entryText = (entry: unknown): string => (typeof entry === 'string' ? entry : JSON.stringify(entry))

export function shownPrompt({ system, user, digest, identical, older }: RebuiltPrompt): string {
  const verdict = identical
    ? 'the prompt that was recorded'
    : older
      ? 'as this version writes it; the recorded prompt was written by an older version'
      : 'NOT the prompt that was recorded'
  return `--- system\n${plain(system)}\n--- user\n${plain(user)}\n--- ${short(digest)}, ${verdict}`
}
