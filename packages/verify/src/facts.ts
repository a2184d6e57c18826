import { at, isArray, isObject, type Json, type JsonObject, same } from './canonical.ts'
import {
  type Act,
  type Due,
  FACTS,
  isEndedSubscription,
  speechOf,
  type WrittenFact,
  wrongIn,
} from './fact-forms.ts'
import { OPERATIONS } from './operations.ts'
import { faultOfMarks, MARKED } from './origin.ts'
import { written } from './written.ts'

/** A moment, and what is known where its call was judged from. */
export interface Doing {
  readonly record: JsonObject
  readonly open: Json
  /** null: it was erased, or there was none */
  readonly decision: Json
  /** the spec of the primary role of its stack; null where that is not there */
  readonly role: Json
  /** the written form of what it is done to; left out where the call alone says it */
  readonly target?: string
  /** the state of a reel; null where it is not known */
  readonly stateOf: (reel: string) => JsonObject | null
}

/** What came of comparing the facts of a moment with its decision. */
export interface CheckedFacts {
  /** what is wrong, in words; null where nothing is */
  readonly fault: string | null
  /** in words, what of the facts is said by the record alone */
  readonly attested: readonly string[]
}

/**
 * Compares the facts that a moment wrote with what its decision yields: which facts, on which reels, and what they say.
 * @param facts in the order of its record
 */
export function checkFacts(all: readonly WrittenFact[], doing: Doing): CheckedFacts {
  const { record, open, decision } = doing
  const attested: string[] = []
  if (decision === null) return { fault: null, attested }
  const facts = all.filter(({ reel, kind }) => !isTally(reel) && kind !== MARKED)
  const counted = all.filter(({ reel }) => isTally(reel))
  const beside = countFault(counted, doing) ?? faultOfMarks(all)
  if (counted.length > 0) attested.push('by which counts of rules acts are counted')
  const wake = String(at(open, 'wake', 'id'))
  const isBrought = at(open, 'wake', 'kind') === 'event' && wake.startsWith('approved/')
  const yes = isBrought ? `approval:${wake.slice('approved/'.length)}` : null
  if (record.outcome !== 'act') return { fault: beside ?? faultOf(facts, [...notesOf(doing, yes)]), attested }
  const used: Due[] =
    yes === null ? [] : [{ reel: yes, kind: 'approval:used', fields: { moment: record.moment ?? null } }]
  const own = facts.slice(0, Math.max(0, facts.length - used.length))
  const due = dueOf(own, doing, attested)
  const rest = facts.slice(own.length)
  const fault = beside ?? (due === null ? null : faultOf(own, due)) ?? faultOf(rest, used)
  return { fault, attested }
}

/** Reels of acts that rules count. */
const isTally = (reel: string): boolean => reel.startsWith('tally:')

/** Facts by which a call is counted: by an act, or before an effect. The amounts are its arguments. */
function countFault(counted: readonly WrittenFact[], { record, decision }: Doing): string | null {
  if (counted.length === 0) return null
  if (record.outcome !== 'act' && record.effect === undefined) return 'it is counted, and it did not act'
  const call = at(decision, 'call') ?? null
  const args = at(call, 'args')
  const amounts = (said: Json | undefined) =>
    isObject(said) && Object.entries(said).every(([name, amount]) => same(at(args, name), amount))
  const fields = { amounts, ...(record.outcome === 'act' ? {} : { failed: true }) } // which comes before nothing
  const isCounted = ({ kind, payload }: WrittenFact) =>
    kind === 'tally:counted' && (payload === null || wrongIn(payload, { fields }) === null)
  return counted.every(isCounted) ? null : 'it is counted with other amounts than those of its call'
}

/** @returns null for facts that code of an extension, or another being, decides */
function dueOf(facts: readonly WrittenFact[], doing: Doing, attested: string[]): readonly Due[] | null {
  const call = at(doing.decision, 'call') ?? null
  const verb = String(at(call, 'verb'))
  const attest = (key: string) => (what: string) => void attested.push(`the facts of ${key}: ${what}`)
  if (verb === 'summon') return speechOf(actOf(facts, doing, attest(verb)))
  if (verb !== 'do' && verb !== 'be') return []
  const key = String(at(call, 'operation'))
  const makes = Object.hasOwn(FACTS[verb], key) ? FACTS[verb][key] : undefined
  if (makes === undefined) {
    const isOurs = Object.hasOwn(OPERATIONS[verb], key)
    attest(key)(isOurs ? 'what its asker asked for is not derived' : 'they are code of its extension')
    return null
  }
  const due = makes(actOf(facts, doing, attest(key)))
  const more = ENDING.has(key) ? facts.slice(due.length) : []
  if (more.length === 0 || !more.every(isEndedSubscription)) return due
  attest(key)('that the subscriptions which it ended rested on it')
  return [...due, ...more.map(({ reel, kind }) => ({ reel, kind, fields: {}, isOpen: true }) as const)]
}

/** Operations that end subscriptions to what a being may see no more. */
const ENDING: ReadonlySet<string> = new Set([
  ...['set-roleflow', 'set-role', 'delete-role', 'set-space', 'remove-contributor'],
])

/** What a moment wrote that did not act: that its being is parked, that its call waits, or that a yes is over. */
function* notesOf({ record, decision }: Doing, yes: string | null): Generator<Due> {
  const breach = at(decision, 'breach')
  if (breach !== undefined) yield { reel: `being:${record.being}`, kind: 'being:parked', fields: { breach } }
  const call = at(decision, 'call') ?? null
  if (record.outcome === 'waiting')
    yield { reel: `approval:${record.moment}`, kind: 'approval:asked', fields: { call }, isOpen: true }
  const code = record.reason ?? record.outcome ?? null
  if (yes !== null) yield { reel: yes, kind: 'approval:voided', fields: { code }, isOptional: true }
}

function actOf(
  facts: readonly WrittenFact[],
  { record, open, decision, role, target, stateOf }: Doing,
  attest: Act['attest'],
): Act {
  const me = String(record.being)
  const { home, space } = stateOf(`being:${me}`) ?? {}
  const call = at(decision, 'call') ?? null
  const named = at(call, 'target')
  const list = at(call, 'verb') === 'summon' ? 'canSummon' : 'canSee'
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : null)
  const args = at(call, 'args')
  return {
    ...{ me, call, record, open, role, stateOf, facts, attest },
    args: isObject(args) ? args : {},
    target:
      target ?? (named === '~' ? text(home) : typeof named === 'string' ? written(list, named, '/') : null),
    place: text(space),
    home: text(home),
  }
}

function faultOf(facts: readonly WrittenFact[], all: readonly Due[]): string | null {
  const due = all.filter(({ isOptional }, i) => isOptional !== true || i < facts.length)
  const kinds = (of: readonly { readonly kind: string }[]) =>
    of.map(({ kind }) => kind).join(', ') || 'no fact'
  const told = `its decision yields ${kinds(due)}, and it wrote ${kinds(facts)}`
  if (facts.length !== due.length) return told
  for (const [i, { reel, kind, ...form }] of due.entries()) {
    const fact = facts[i] as WrittenFact
    if (fact.kind !== kind) return told
    if (reel !== null && fact.reel !== reel)
      return `its decision yields ${kind} on ${reel}, and it wrote it on ${fact.reel}`
    const wrong = fact.payload === null ? null : wrongIn(fact.payload, form)
    if (wrong !== null) return `its decision yields ${kind} with another ${wrong}`
  }
  return null
}

/** The facts that a record names, in its order; without those that are not there. */
export const inOrder = (
  refs: Json | undefined,
  find: (reel: string, seq: number) => Omit<WrittenFact, 'reel'> | undefined,
): WrittenFact[] =>
  (isArray(refs) ? refs : []).flatMap((ref) => {
    const [reel, seq] = isArray(ref) ? ref : []
    const fact = find(String(reel), Number(seq))
    return fact === undefined ? [] : [{ reel: String(reel), ...fact }]
  })
