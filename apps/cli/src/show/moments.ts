import type {
  ActResult,
  BeingView,
  BudgetView,
  Cancelled,
  ChannelView,
  ExplainedMoment,
  GatherResult,
  Happening,
  InboxView,
  MomentView,
  NamespaceView,
  RebuiltPrompt,
  RoleView,
  SummonResult,
  ThreadView,
} from '@treeos/client'
import type { Exported, LogVerified, Verified } from '@treeos/proofs'
import type { Difference, Replayed, WornStack } from '@treeos/replay'
import type { Lint } from '@treeos/roles'
import type { OverlayChange, Refolded } from '@treeos/store'
import type { Descriptor } from '@treeos/world'
import { oneLine, plain, prettyJson, shown, table } from '../../text/output.ts'
import type { ExtensionView, OperationView } from './queries.ts'

/** Long enough to be told apart. */
const HASH_SHOWN = 12
const LINE_SHOWN = 72

const short = (hash: string): string => hash.slice(0, HASH_SHOWN)
const cut = (text: string): string => (text.length > LINE_SHOWN ? `${text.slice(0, LINE_SHOWN - 1)}…` : text)
const list = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(' '))
const timeOf = (iso: string): string => iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z')

export function shownSummoned({ correlation, moment, reply }: SummonResult): string {
  if (moment === null) return `summoned; an answer will name ${correlation}`
  if (reply !== null) return `${reply.from}: ${shown(reply.content)}`
  const said = moment.content === undefined ? '' : `, and said to nobody: ${oneLine(moment.content)}`
  return `no reply: the moment ended as ${moment.outcome}${said}`
}

export function shownReplied(replied: SummonResult): string {
  return replied.moment === null
    ? `replied; an answer to the reply will name ${replied.correlation}`
    : shownSummoned(replied)
}

export function shownDone({ act, result, facts }: ActResult): string {
  const head = act === null ? 'nothing was changed' : `act ${act}`
  const lines = facts.map(({ kind, reel, seq, hash }) => [kind, `${reel} ${seq}`, short(hash)])
  return [head, ...(lines.length > 0 ? [table(lines, '  ')] : []), prettyJson(result)].join('\n')
}

export const shownCancelled = ({ being, n }: Cancelled): string =>
  `cancelled: moment ${n} of @${being} ends as a failure, and whoever asked is told`

export function shownInbox(entries: readonly InboxView[]): string {
  if (entries.length === 0) return 'nothing waits for you'
  return table(
    entries.map(({ correlation, from, content, at, priority, notice, times = 1 }) => [
      correlation,
      timeOf(at),
      from ?? (notice === true ? 'notice' : '-'),
      times === 1 ? priority : `${priority}, ${times} times`,
      cut(oneLine(shown(content))),
    ]),
  )
}

export function shownGathered({ complete, replies, silent, waiting }: GatherResult): string {
  return [
    ...replies.map(({ from, content }) => `${from}: ${shown(content)}`),
    ...silent.map(({ from, outcome, reason }) => `${from} gave no answer: ${reason ?? outcome}`),
    ...waiting.map((from) => `${from} has not answered yet: its answer will be in the inbox`),
    ...(complete ? [] : ['fewer answered than were needed']),
  ].join('\n')
}

export function shownBudgets(budgets: readonly BudgetView[]): string {
  return table([
    ['', 'moments a minute', 'tokens', 'money', 'births', 'per'],
    ...budgets.map(({ stance, for: whose, standard, limits, used }) => {
      const use = (limit: number | undefined, amount: number) =>
        whose === undefined ? `${amount} of ${limit ?? 'any'}` : String(limit ?? 'any')
      const name = whose === undefined ? (stance ?? '-') : `each ${whose}`
      return [
        standard === true ? `${name} (standard)` : name,
        use(limits.momentsPerMinute, used.moments),
        use(limits.tokens, used.tokens),
        use(limits.money, used.money),
        use(limits.births, used.births),
        limits.per ?? 'total',
      ]
    }),
  ])
}

export function shownThreads(threads: readonly ThreadView[]): string {
  if (threads.length === 0) return 'no thread is open'
  return table(
    threads.map(({ thread, state, moved, wakes, open, acts, participants }) => [
      thread,
      state,
      timeOf(moved),
      `${wakes} wakes, ${open} open, ${acts} acts`,
      cut(list(participants)),
    ]),
  )
}

export const shownConversation = (view: ThreadView | ChannelView): string =>
  'channel' in view ? shownThreads(view.threads) : shownThread(view)

function shownThread({ thread, state, began, moved, participants, ...counts }: ThreadView): string {
  return table([
    ['thread', thread],
    ['state', state],
    ['began', timeOf(began)],
    ['moved', timeOf(moved)],
    ['beings', list(participants)],
    ...Object.entries(counts).map(([name, count]) => [name, String(count)]),
  ])
}

export function shownOverlayChanges(changes: readonly OverlayChange[]): string {
  if (changes.length === 0) return 'no overlay was set in this thread'
  return table(
    changes.map(({ at, by, commitment }) => [
      timeOf(new Date(at).toISOString()),
      `@${by}`,
      commitment === null ? 'took it away' : `set it, commitment ${short(commitment)}`,
    ]),
  )
}

export function shownSeen(seen: Descriptor): string {
  const { address, identity, size, coord, content, catalogs } = seen
  const rows = [
    ['address', address.being === null ? address.path : `${address.path} ${address.being}`],
    ['type', seen.type],
    ['beings', list(seen.beings)],
    ['things', list(seen.matters)],
    ['spaces', list(seen.children)],
  ]
  if (address.being !== null) {
    rows.push(['made by', list(seen.beingLineage)], ['cognition', identity.cognition ?? '-'])
    rows.push(['default role', identity.defaultRole ?? '-'], ['home', identity.home ?? '-'])
  }
  if (identity.ended !== undefined) rows.push(['ended', identity.ended])
  if (identity.inhabitedBy !== undefined) rows.push(['inhabited by', identity.inhabitedBy])
  if (seen.owner !== undefined) rows.push(['owner', seen.owner ?? '-'])
  if (seen.contributors !== undefined && seen.contributors.length > 0)
    rows.push(['contributors', list(seen.contributors)])
  if (size !== undefined) rows.push(['size', Object.values(size).join(' × ')])
  if (coord !== undefined) rows.push(['coord', Object.values(coord).join(', ')])
  if (catalogs !== undefined)
    rows.push(['catalogs', `${Object.keys(catalogs).join(', ')}: --json shows them`])
  const parts = Object.entries({ content, qualities: seen.qualities }).filter(([, value]) =>
    isSomething(value),
  )
  return [table(rows), ...parts.flatMap(([name, value]) => [name, prettyJson(value)])].join('\n')
}

/** Neither nothing nor empty. */
const isSomething = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)

export function shownMoments(moments: readonly MomentView[]): string {
  if (moments.length === 0) return 'no moment is over yet'
  return table(moments.map((moment) => [String(moment.n).padStart(4), ...momentCells(moment)]))
}

/** When it opened, what woke it, how it ended, what it did, what it wore and said. */
function momentCells(moment: MomentView): string[] {
  const { openedAt, woke, did, outcome, reason, primary, stacked, content, message } = moment
  return [
    timeOf(openedAt),
    woke === null ? '-' : oneLine([woke.trigger, woke.what ?? woke.from].filter(Boolean).join(' ')),
    reason === undefined ? outcome : `${outcome} ${reason}`,
    did === null ? '-' : oneLine([did.verb, did.operation, did.target].filter(Boolean).join(' ')),
    [primary ?? '-', ...stacked].join(' + '),
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

export function shownExplanation({
  clauses,
  primary,
  source,
  stacked,
  skip,
  surface,
  leftOut,
  gates,
  ended,
  faults,
}: ExplainedMoment): string {
  const worn = primary === null ? `no role: ${skip}` : `${primary}, by ${source}`
  const entries = Object.entries(surface).map(([name, allowed]) => [
    name,
    cut(allowed.map(entryText).join(' ') || '-'),
  ])
  return [
    `primary   ${worn}`,
    `stacked   ${list(stacked)}`,
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
    ...(gates.allowed === null ? [] : [`${gates.allowed ? 'allowed' : 'refused'}   ${gateText(gates)}`]),
    ...(ended.reason === null || gates.allowed === false ? [] : [endText(ended, ended.reason)]),
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

export function shownNamespaces(namespaces: readonly NamespaceView[]): string {
  if (namespaces.length === 0) return 'nothing is published, so nobody owns a namespace'
  return table(
    namespaces.map(({ namespace, owner, publishers, reserved }) => [
      namespace,
      owner ?? 'nobody: the first being that publishes here owns it',
      reserved ? 'of an extension or of TreeOS' : '-',
      publishers.length === 0 ? 'granted to nobody' : `granted to ${list(publishers)}`,
    ]),
  )
}

export function shownBeings(beings: readonly BeingView[]): string {
  return table(
    beings.map((being) => [
      being.stance,
      lifeOf(being),
      being.space,
      being.defaultRole ?? '-',
      being.parent === null ? 'the first' : `child of ${being.parent}`,
    ]),
  )
}

function lifeOf({ cognition, ended, paused, parked }: BeingView): string {
  if (ended !== undefined) return 'ended'
  if (paused !== undefined) return `${cognition}, paused`
  return parked === undefined ? cognition : `${cognition}, parked by a budget of ${parked.limit}`
}

export function shownRoles(roles: readonly RoleView[]): string {
  return table(roles.map(({ name, origin, digest, usedBy }) => [name, origin, short(digest), list(usedBy)]))
}

export const shownRole = (role: RoleView): string => prettyJson(role)

/** @param what the whole that was checked: a fault without a path is of this */
export function shownLint({ errors, warnings }: Lint, what: 'flow' | 'role'): string {
  if (errors.length + warnings.length === 0) return 'nothing is wrong with it'
  return [
    ...errors.map((fault) => ['error', fault] as const),
    ...warnings.map((fault) => ['warning', fault] as const),
  ]
    .map(([kind, { path, message }]) => `${kind} ${oneLine(path || what)}: ${oneLine(message)}`)
    .join('\n')
}

export function shownExtensions(extensions: readonly ExtensionView[]): string {
  return extensions
    .map(({ name, version, demo, ...brings }) => {
      const rows = Object.entries(brings).filter(([, names]) => names.length > 0)
      const head = `${name} ${version}${demo ? `, shown by up --demo ${name}` : ''}`
      return [
        head,
        table(
          rows.map(([what, names]) => [what, list(names)]),
          '  ',
        ),
      ].join('\n')
    })
    .join('\n')
}

export function shownOperations(operations: readonly OperationView[]): string {
  return operations
    .map(({ verb, name, origin, description, targets, allow, args }) => {
      const head = `${verb} ${name} (${origin}; on a ${targets.join(' or a ')}; by ${allow.join(' or ')}): ${description}`
      const rows = Object.entries(args).map(([argument, takes]) => [argument, takes])
      return rows.length === 0 ? head : `${head}\n${table(rows, '  ')}`
    })
    .join('\n')
}

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
}: Replayed): string {
  const head = `${beings} beings, ${moments} moments: ${identical ? 'identical' : 'NOT identical'}`
  const rowOf = ({ being, n, field, recorded, chain, temporal }: Replayed['mismatches'][number]) => {
    const other = chain === null ? `temporal ${shown(temporal)}` : `chain ${shown(chain)}`
    return `  @${being} ${n} ${field}: recorded ${cut(oneLine(shown(recorded)))}, ${cut(oneLine(other))}`
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
          `  ${otherCode} acts and refusals were judged by other extensions than are loaded here, which judge them otherwise:`,
          ...elsewhere.map((one) => `  ${rowOf(one)}`),
        ]),
    ...(unattested === 0
      ? []
      : [
          `  ${unattested} moments are in no history of Temporal: their run was terminated in the middle of a task`,
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

export interface VerifiedView extends Verified {
  readonly log: Omit<LogVerified, 'broken'>
}

export function shownVerified({ reels, facts, moments, ok, broken, log }: VerifiedView): string {
  const head = `${reels} reels, ${facts} facts, ${moments} moment records: ${ok ? 'unbroken' : 'BROKEN'}`
  return [
    head,
    ...shownLog(log),
    ...broken.map(
      ({ reel, seq, reason, key }) =>
        `  ${reel} ${seq}: ${reason}${key === undefined || key === reel ? '' : ` of ${key}`}`,
    ),
  ].join('\n')
}

function shownLog({ entries, checkpoints, lastGood, suspect }: VerifiedView['log']): string[] {
  const upTo = lastGood === null ? '' : `, the last good one over ${lastGood.size} entries`
  const head = `${entries} entries in the log, ${checkpoints} signed checkpoints${upTo}`
  if (suspect === null) return [head]
  const { from, to, gone, reels } = suspect
  return [
    head,
    `changed between entries ${from} and ${to}${gone === 0 ? '' : `, ${gone} of them gone`}:`,
    ...reels.map((one) => `  ${one.reel} ${one.from}–${one.to}`),
  ]
}

export function shownExported({ file, lines, counts }: Exported): string {
  const { fact = 0, moment = 0, checkpoint = 0 } = counts
  return [
    `${file}: ${fact} facts and ${moment} moments in ${lines} lines${checkpoint === 0 ? ', without a checkpoint' : ''}`,
    `Check it with \`treeos verify --bundle ${file}\`, or with @treeos/verify alone.`,
  ].join('\n')
}

export interface RefoldedView {
  readonly rows: number
  readonly changed: number
  /** of the rows that were changed */
  readonly keys: Refolded['changed']
  readonly erased: Refolded['erased']
}

export function shownRefolded({ rows, changed, keys, erased }: RefoldedView): string {
  return [
    `${rows} rows made again: ${changed === 0 ? 'all were as their facts say' : `${changed} repaired`}`,
    ...keys.map((key) => `  ${key}`),
    ...erased.map(({ reel, seq }) => `  ${reel} left as it is: the payload of fact ${seq} was erased`),
  ].join('\n')
}
