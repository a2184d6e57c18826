import type { InspectedMoment } from '@treeos/client/records'
import type { Json } from '@treeos/core'
import { actualText, type Trace } from '@treeos/roles'
import { jsonLine, oneLine, plain, prettyJson } from '../text/output.ts'

/** One moment with where it is: all that a page shows. */
export interface DebuggedMoment extends InspectedMoment {
  readonly stance: string
  readonly n: number
  /** number of the newest finished moment */
  readonly newest: number
  /** pages of Temporal's UI; null where none is known */
  readonly temporal: { readonly workflow: string | null; readonly event: string | null }
}

/** A line of a page. Its text is inert: no character of it controls a terminal. */
export interface PageLine {
  readonly text: string
  readonly tone?: 'heading' | 'good' | 'bad' | 'quiet'
}

/** The whole page of a moment, before it is cut to the width of a terminal. */
export function pageOf(view: DebuggedMoment): PageLine[] {
  return [
    ...section('What woke it', wakeLines(view)),
    ...section('Context', contextLines(view)),
    ...section('Clauses', clauseLines(view)),
    ...section('Stack', stackLines(view)),
    ...section('Prompt', promptLines(view)),
    ...section('Decision', jsonLines(view.decision, 'nothing is recorded')),
    ...section('Gates', gateLines(view)),
    ...section('Facts', factLines(view)),
    ...section('Cost', costLines(view)),
    ...section('Errors', errorLines(view)),
    ...section('Temporal', temporalLines(view)),
  ]
}

/** One line that says which moment it is and how it ended. */
export function titleOf({ stance, n, newest, moment }: DebuggedMoment): string {
  const worn = [moment.primary ?? 'no role', ...moment.stacked].join(' + ')
  const reason = moment.reason === undefined ? '' : ` ${moment.reason}`
  return oneLine(
    `${stance}  moment ${n} of ${newest}  ${moment.outcome}${reason}  ${worn}  ${moment.openedAt}`,
  )
}

const section = (title: string, lines: readonly PageLine[]): PageLine[] =>
  lines.length === 0 ? [] : [{ text: title, tone: 'heading' }, ...lines, { text: '' }]

const indented = (text: string, tone?: PageLine['tone']): PageLine[] =>
  plain(text)
    .split('\n')
    .map((line) => ({ text: `  ${line.replaceAll('\t', '  ')}`, ...(tone === undefined ? {} : { tone }) }))

const jsonLines = (value: Json | object | null, instead: string): PageLine[] =>
  value === null ? indented(instead, 'quiet') : indented(prettyJson(value))

function wakeLines({ moment: { woke, message }, wake, wakeText }: DebuggedMoment): PageLine[] {
  const said = message === undefined ? [] : indented(oneLine(message), 'bad')
  if (woke === null) return [...indented('nothing: a younger life of the being closed it', 'quiet'), ...said]
  const { trigger, from, what, thread } = woke
  const by = `${trigger}${from === null ? '' : ` from ${from}`}${what === undefined ? '' : `: ${what}`}`
  return [
    ...indented(oneLine(`${by}, thread ${thread}`)),
    ...(wake === null ? [] : indented(wakeText)),
    ...said,
  ]
}

const contextLines = ({ explained }: DebuggedMoment): PageLine[] =>
  explained === null ? [] : jsonLines(explained.context, '')

function clauseLines({ explained }: DebuggedMoment): PageLine[] {
  if (explained === null) return indented('it was never opened', 'quiet')
  return explained.clauses.flatMap(({ index, role, stack, result, reason, tree }): PageLine[] => {
    const head = `${index}  ${stack ? '+ ' : ''}${role ?? '-'}  ${result}: ${reason}`
    const isWorn = result === 'primary' || result === 'stacked'
    return [
      ...indented(oneLine(head), isWorn ? 'good' : undefined),
      ...(tree === null ? [] : traceLines(tree, '     ')),
    ]
  })
}

/** Every test with what it expected and what it found. */
function traceLines(trace: Trace, indent: string): PageLine[] {
  const mark = trace.result ? '✓' : '✗'
  const tone = trace.result ? ('good' as const) : ('bad' as const)
  if ('nodes' in trace) {
    if (trace.nodes.length === 0) return []
    const below = trace.nodes.flatMap((node) => traceLines(node, `${indent}  `))
    return [{ text: `${indent}${mark} ${trace.operator}`, tone }, ...below]
  }
  const actual = actualText(trace, jsonLine)
  const text = `${indent}${mark} ${plain(trace.path)} ${trace.operator} ${jsonLine(trace.expected)}, it was ${actual}`
  return [{ text, tone }]
}

function stackLines({ explained, moment }: DebuggedMoment): PageLine[] {
  const { primary, stacked, stackDigest } = moment
  const by = explained?.source == null ? '' : `, by ${explained.source}`
  return [
    ...indented(primary === null ? `no role: ${explained?.skip ?? moment.reason ?? ''}` : `${primary}${by}`),
    ...stacked.flatMap((role) => indented(`+ ${role}`)),
    ...(stackDigest === null ? [] : indented(stackDigest, 'quiet')),
  ]
}

function promptLines({ prompt, layers }: DebuggedMoment): PageLine[] {
  if (prompt === null) return indented('it wore no role, so it had no prompt', 'quiet')
  const verdict = prompt.identical
    ? 'rebuilt, as it was recorded'
    : prompt.older
      ? 'rebuilt; an older version wrote the recorded one in another form'
      : 'rebuilt, and NOT as it was recorded'
  return [
    ...indented(verdict, prompt.identical || prompt.older ? 'quiet' : 'bad'),
    ...[
      ...layers,
      { title: 'User message', origin: 'content of the wake, and how to answer', text: prompt.user },
    ].flatMap(({ title, origin, text }) => [
      ...indented(oneLine(`─ ${title} (${origin})`), 'quiet'),
      ...indented(text),
    ]),
  ]
}

function gateLines({ explained }: DebuggedMoment): PageLine[] {
  if (explained === null) return []
  const { gates, ended } = explained
  const ends = ended.reason === null ? [] : indented(oneLine(`ended ${ended.outcome}: ${ended.reason}`))
  if (gates.allowed === null) return [...indented('none was asked', 'quiet'), ...ends]
  const verdict = gates.allowed ? 'allowed' : `refused: ${gates.message ?? gates.reason ?? ''}`
  return [
    ...indented(oneLine(verdict), gates.allowed ? 'good' : 'bad'),
    ...gates.by.flatMap((rule) => indented(oneLine(`by ${rule}`))),
  ]
}

const factLines = ({ facts }: DebuggedMoment): PageLine[] =>
  facts.length === 0
    ? indented('none', 'quiet')
    : facts.flatMap(({ reel, seq, kind, hash, payload }) => [
        ...indented(oneLine(`${reel} ${seq}  ${kind}`)),
        ...indented(hash, 'quiet'),
        ...indented(payload === null ? 'erased' : prettyJson(payload)),
      ])

const costLines = ({ cost }: DebuggedMoment): PageLine[] =>
  cost === null ? [] : indented(`${cost.tokens} tokens in ${cost.attempts} calls of a model`)

const errorLines = ({ explained }: DebuggedMoment): PageLine[] =>
  (explained?.faults ?? []).flatMap(({ part, attempt, message }) =>
    indented(`${part}, attempt ${attempt}: ${oneLine(message)}`, 'bad'),
  )

const temporalLines = ({ temporal: { workflow, event } }: DebuggedMoment): PageLine[] => [
  ...(workflow === null ? [] : indented(`workflow  ${workflow}`)),
  ...(event === null ? [] : indented(`event     ${event}`)),
]
