import {
  type BeingName,
  filesNamed,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  parseStoredCall,
  readPath,
  stanceOf,
  type VerbCall,
  wakeLabel,
} from '@treeos/core'
import { bareJson, inline } from '@treeos/signature'
import { callText } from './steps.ts'
import type { WakeRow } from './wake-block.ts'

/** A wake as the user message tells it. */
export interface ToldWake {
  /** what happened, in one line; null where a being speaks, whose words stand for themselves */
  readonly before: string | null
  /** undefined where the sentence says everything */
  readonly content: Json | undefined
}

/** Ids of moments and wakes. Nobody can be reached by them, and models take them for addresses. */
const IDS: ReadonlySet<string> = new Set(['prior', 'moment', 'correlation', 'root'])

/** Events by which a being goes on, and whose sentence tells most of the content. */
const GOES_ON: ReadonlySet<string> = new Set(['continue', 'denied', 'expired', 'approved'])

/** A longer question stays in the JSON. */
const QUOTED_CHARS_MAX = 1000

/**
 * Tells an event in one plain sentence, with its content after it. The words of a being are told as they are.
 * What kind of event it is comes from the row of the wake; a content that does not have the fields of its
 * kind is told by its kind alone.
 */
export function toldWake({ wake, content }: Pick<WakeRow, 'wake'> & { readonly content: Json }): ToldWake {
  if (wake.kind !== 'event') return { before: null, content }
  const kind = wakeLabel(wake)
  const fields = isJsonObject(content) ? content : {}
  const tell = tellerOf(kind)
  const before = tell?.(fields, TO_ITSELF) ?? anyEvent(kind, fields, TO_ITSELF)
  if (!isJsonObject(content) || tell === undefined) return { before, content: withoutIds(content) }
  if (kind === 'look') return { before, content: prunedLook(content) }
  if (kind === 'continue') return { before, content: untold(goneOn(content)) }
  return { before, content: GOES_ON.has(kind) ? untold(content) : withoutIds(content) }
}

/**
 * Tells the same event to somebody else: in the page, on the command line, in a file, to an agent. What a call
 * gave stands in the sentence, as plain words. Null where a being speaks: its words are not an event.
 * @param being who was woken
 */
export function toldOf(
  { wake, content }: Pick<WakeRow, 'wake'> & { readonly content: Json },
  being: BeingName,
): string | null {
  if (wake.kind !== 'event') return null
  const kind = wakeLabel(wake)
  const fields = isJsonObject(content) ? content : {}
  const voice = { who: stanceOf(being), isOwn: false }
  return tellerOf(kind)?.(fields, voice) ?? anyEvent(kind, fields, voice)
}

/** What was said or what happened, in plain words. @param being who was woken */
export const toldText = (
  told: Pick<WakeRow, 'wake'> & { readonly content: Json },
  being: BeingName,
): string => toldOf(told, being) ?? spokenText(told.content)

/** What somebody says, as every door tells it to people: its text, and JSON in plain words. */
export function spokenText(content: Json): string {
  if (typeof content === 'string') return content
  const text = filesNamed(content).length === 0 ? undefined : readPath(content, ['text'])
  return typeof text === 'string' ? text : bareJson(valueWords(content))
}

/** A call as every door tells it to people who are asked about it: `till:pay on /shop (euros 18)`. */
export function callSentence(call: Json): string {
  try {
    return plainCall(parseStoredCall(call))
  } catch {
    return spokenText(call)
  }
}

/** To whom an event is told, and so how who was woken is named. */
interface Voice {
  readonly who: string
  /** who was woken hears it */
  readonly isOwn: boolean
}

const TO_ITSELF: Voice = { who: 'You', isOwn: true }

type EventTeller = (content: JsonObject, voice: Voice) => string | undefined

const tellerOf = (kind: string): EventTeller | undefined =>
  Object.hasOwn(TELLERS, kind) ? TELLERS[kind] : undefined

/** What the sentence of a self-continue leaves of what its steps gave. */
const goneOn = ({ result, earlier, refused, queued: _queued, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  ...(refused === undefined || isText(rest.did) ? {} : { refused }),
  ...(result === undefined || isTold(result) ? {} : { result: result as Json }),
  ...(earlier === undefined || deedsIn(earlier) !== undefined ? {} : { earlier }),
})

const withoutIds = (content: Json): Json =>
  isJsonObject(content)
    ? Object.fromEntries(Object.entries(content).filter(([key]) => !IDS.has(key)))
    : content

/** What the sentence of a self-continue leaves to say. */
function untold({
  event: _event,
  actor: _self,
  step: _step,
  of: _of,
  did: _did,
  ignoredCalls: _ignored,
  same: _same,
  approval: _approval,
  call: _call,
  wanted: _wanted,
  why: _why,
  lease: _lease,
  begun,
  ...rest
}: JsonObject): Json | undefined {
  const left = {
    ...(withoutIds(rest) as JsonObject),
    ...(begun === undefined || isQuoted(begun) ? {} : { begun }),
  }
  return Object.keys(left).length === 0 ? undefined : left
}

/** The sentence for each kind of event; undefined for a content without the fields of its kind. */
const TELLERS: Readonly<Record<string, EventTeller>> = {
  look: ({ step, of, begun, refused, ignoredCalls, same, ...look }, { who, isOwn }) => {
    const places = placesIn(look)
    if (places === undefined) return undefined
    if (!isOwn) return `${who} looked at ${places}${refused === undefined ? '' : `: ${refusal(refused)}`}.`
    const looked = `${begunBy(begun)}You looked at ${places}.${ofSteps(step, of)}${ignored(ignoredCalls)}${repeated(same)}`
    return refused === undefined ? `${looked} This is what you saw:` : `${looked} It was refused:`
  },
  continue: ({ step, of, begun, did, result, refused, earlier, ignoredCalls, same }, { who, isOwn }) => {
    if (!isOwn) {
      if (isText(did) && refused !== undefined) return `${who} ${triedDeed(did)}: ${refusal(refused)}.`
      const gave = result === undefined || result === null ? '' : `, which gave: ${plainWords(result)}`
      return isText(did) ? `${who} ${plainDeed(did)}${gave}.` : `${who} goes on by itself.`
    }
    const began = `${begunBy(begun)}${
      deedsIn(earlier)
        ?.map((deed) => `${deed}\n`)
        .join('') ?? ''
    }`
    if (!isText(did)) return `${began}You go on by yourself.${ofSteps(step, of)}${ignored(ignoredCalls)}`
    const more = isUntold(result) ? ' This is what it gave:' : ''
    return `${began}${ownDeed(did, result, refused)}${ofSteps(step, of)}${ignored(ignoredCalls)}${repeated(same)}${more}`
  },
  refused: ({ refused }, { who, isOwn }) => {
    const [last] = Array.isArray(refused) ? refused.slice(-1) : []
    return isOwn || last === undefined
      ? undefined
      : `A call of ${who} was refused: ${refusal(last)}. It decides again.`
  },
  asked: ({ actor, call }, { who, isOwn }) =>
    isOwn ? undefined : `${by(actor)} asks for the yes of ${who} to ${deed(call, isOwn)}.`,
  denied: ({ actor, wanted, why, begun }, { who, isOwn }) =>
    `${isOwn ? begunBy(begun) : ''}${who} wanted to ${deed(wanted, isOwn)}, and ${by(actor)} said no${isText(why) ? `: ${quotedQuestion(why)}` : ''}. It was not done.`,
  expired: ({ wanted, begun }, { who, isOwn }) =>
    `${isOwn ? begunBy(begun) : ''}${who} wanted to ${deed(wanted, isOwn)}, and nobody said yes in time. It was not done.`,
  approved: ({ actor, call, begun }, { who, isOwn }) =>
    `${isOwn ? begunBy(begun) : ''}${who} wanted to ${deed(call, isOwn)}, and ${by(actor)} said yes.`,
  change: ({ actor, what, target, value, changes }, { who, isOwn }) => {
    if (!isText(what)) return `Something changed that ${isOwn ? 'you' : who} may not see.`
    const name = what.replace(/^(world|being\.quality|space\.quality)\./, '')
    const whose = isText(target) ? `${inline(name)} of ${inline(target)}` : `the world signal ${inline(name)}`
    const now = value === undefined ? '' : ` to ${bareJson(JSON.stringify(value))}`
    const more = typeof changes === 'number' && changes > 1 ? `, the first of ${changes} changes` : ''
    return isText(actor)
      ? `${by(actor)} changed ${whose}${now}${more}.`
      : `${upper(whose)} changed${now}${more}.`
  },
  idle: ({ seconds }, { who, isOwn }) =>
    typeof seconds === 'number'
      ? `${who} ${isOwn ? 'have' : 'has'} been silent for ${seconds} seconds.`
      : undefined,
  schedule: ({ name }, { who, isOwn }) =>
    isText(name)
      ? isOwn
        ? `Your schedule ${inline(name)} woke you.`
        : `Its schedule ${inline(name)} woke ${who}.`
      : undefined,
  notice: (notice, { who, isOwn }) =>
    (notice.event === 'unanswered' ? unanswered(notice, isOwn ? 'you' : who) : undefined) ??
    endedMoment(notice),
  spent: stoppedSentence,
  looked: stoppedSentence,
  repeated: stoppedSentence,
  'chain-spent': stoppedSentence,
  unanswered: (notice, { who, isOwn }) => unanswered(notice, isOwn ? 'you' : who),
}

/** A being that goes on no more, by a limit. */
function stoppedSentence({ actor, message }: JsonObject): string | undefined {
  return isText(actor) && isText(message)
    ? `${inline(actor)} was stopped: ${quotedQuestion(message)}.`
    : undefined
}

function unanswered({ actor, message }: JsonObject, who: string): string | undefined {
  if (!isText(actor)) return undefined
  return `${inline(actor)} does not answer what ${who} asked${isText(message) ? `: ${quotedQuestion(message)}` : ''}.`
}

const endedMoment = ({ event, actor, message }: JsonObject): string | undefined =>
  isText(message) && isText(actor)
    ? `The moment of ${inline(actor)} ended as ${inline(isText(event) ? event : 'a failure')}: ${quotedQuestion(message)}.`
    : undefined

function anyEvent(
  kind: string,
  { event, actor, message, summary }: JsonObject,
  { who, isOwn }: Voice,
): string {
  const told = [message, summary].find(isText)
  if (!isOwn && told !== undefined) return oneLine(told)
  return `This woke ${isOwn ? 'you' : who}: ${inline(isText(event) ? event : kind)}${isText(actor) ? `, by ${inline(actor)}` : ''}.`
}

const refusal = (told: Json): string =>
  isJsonObject(told) && isText(told.message) ? oneLine(told.message).replace(/\.$/, '') : 'refused'

/** A call in plain words: `till:pay on /shop (euros 18)`. */
function plainCall(call: VerbCall): string {
  if (call.verb === 'summon')
    return `say to ${inline(call.target ?? 'whoever asked')}: ${plainWords(call.content)}`
  if (call.verb === 'see') return oneLine(callText(call))
  const args = Object.keys(call.args).length === 0 ? '' : ` (${plainWords(call.args)})`
  return oneLine(callText({ ...call, args: {} })) + args
}

/** A deed as `actStep` writes it, with its arguments in plain words. */
function plainDeed(did: string): string {
  const [, before = did, args] = /^(.*?) with (\{.*\})$/su.exec(did) ?? []
  const said = /^(said to \S+): (".*")$/su.exec(did)
  if (said !== null) return `${oneLine(said[1] ?? '')}: ${oneLine(said[2] ?? '')}`
  if (args === undefined) return oneLine(before)
  try {
    return `${oneLine(before)} (${plainWords(JSON.parse(args))})`
  } catch {
    return oneLine(did)
  }
}

/** What it gave is a sentence of its own: in one sentence, small models take the call for undone, and make it again. */
function ownDeed(did: string, result: Json | undefined, refused: Json | undefined): string {
  if (refused !== undefined) return `You ${triedDeed(did)}: ${refusal(refused)}.`
  return `You ${plainDeed(did)}.${isTold(result) ? ` It gave: ${plainWords(result)}.` : ''}`
}

/** A deed that was refused, or gave nothing. */
const triedDeed = (did: string): string => `called ${plainDeed(did).replace(/^did /, '')}, and it failed`

/** Earlier acts as sentences; undefined where one was not an act, or gave more than a sentence can tell. */
function deedsIn(earlier: Json | undefined): string[] | undefined {
  if (!Array.isArray(earlier)) return undefined
  const told = earlier.map((step) =>
    isDeed(step) ? ownDeed(step.did, step.result, step.refused) : undefined,
  )
  return told.every((deed) => deed !== undefined) && told.join('').length <= PLAIN_CHARS_MAX
    ? told
    : undefined
}

const isDeed = (step: Json): step is { did: string; result?: Json; refused?: Json } =>
  isJsonObject(step) &&
  isText(step.did) &&
  !isUntold(step.result) &&
  Object.keys(step).every((field) => ['did', 'result', 'refused'].includes(field))

const PLAIN_CHARS_MAX = 2000

/** Whether a sentence tells a whole result: a longer one stands as JSON below it. */
const isTold = (result: Json | undefined): result is Json =>
  result !== undefined && result !== null && valueWords(result).length <= PLAIN_CHARS_MAX

const isUntold = (result: Json | undefined): boolean =>
  result !== undefined && result !== null && !isTold(result)

/** A value in plain words: `order 1002, shipped 3 May`. Names of fields stand before their values. */
function plainWords(value: Json): string {
  const text = oneLine(valueWords(value))
  return text.length <= PLAIN_CHARS_MAX ? text : `${text.slice(0, PLAIN_CHARS_MAX)} …`
}

function valueWords(value: Json): string {
  if (value === null) return 'nothing'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(valueWords).join('; ')
  const fields = Object.entries(value)
  if (fields.length === 0) return 'nothing'
  return fields.map(([name, one]) => `${name.replaceAll(/[_-]/g, ' ')} ${valueWords(one)}`).join(', ')
}

/** The call that waited, in words. @param isOwn told to the mind that made it, which knows how it is written */
function deed(call: Json | undefined, isOwn: boolean): string {
  try {
    const parsed = parseStoredCall(call)
    return isOwn ? oneLine(callText(parsed)) : plainCall(parsed)
  } catch {
    return 'act'
  }
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''
const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
const by = (actor: Json | undefined): string => (isText(actor) ? inline(actor) : 'Somebody')
const oneLine = (text: string): string => bareJson(text.replace(/\s+/gu, ' '))
const quotedQuestion = (text: string): string => bareJson(JSON.stringify(text))
const ignored = (calls: Json | undefined): string =>
  typeof calls === 'number'
    ? ` You wrote ${calls + 1} calls, and only the first was made: make one call at a time.`
    : ''
const repeated = (same: Json | undefined): string => {
  const times = isJsonObject(same) ? same.times : undefined
  return typeof times === 'number' && times >= LIMITS.repeatsTold
    ? ` You made this call ${times} times in a row, and it gave the same each time. Do not make it again.`
    : ''
}
/** Said once half of the steps are used: small models take a number that means nothing yet for a part of the task. */
const ofSteps = (step: Json | undefined, of: Json | undefined): string =>
  typeof step === 'number' && typeof of === 'number' && 2 * step > of
    ? ` This was step ${step} of at most ${of}.`
    : ''

/**
 * What the being goes on with: the question first, since a model that reads it last looks at the same address
 * again.
 */
function begunBy(begun: Json | undefined): string {
  if (!isQuoted(begun)) return ''
  return `${inline(begun.from)} asked: ${quotedQuestion(begun.content)}\n\n`
}

const isQuoted = (begun: Json | undefined): begun is { from: string; content: string } =>
  isJsonObject(begun) &&
  isText(begun.from) &&
  isText(begun.content) &&
  begun.content.length <= QUOTED_CHARS_MAX

/** The addresses of a look, of several of them in a list. */
function placesIn({ address, addresses, looks }: JsonObject): string | undefined {
  const named = Array.isArray(looks) ? looks.map((look) => readPath(look, ['address'])) : addresses
  const all = Array.isArray(named) ? named : [address]
  return all.every(isText)
    ? all
        .map(inline)
        .join(', ')
        .replace(/, ([^,]*)$/, ' and $1')
    : undefined
}

/** What the sentence has not told, without what is empty. */
function prunedLook({ begun, seen = null, looks, refused, earlier = null }: JsonObject): Json {
  const rest = {
    ...(begun === undefined || isQuoted(begun) ? {} : { begun }),
    ...(Array.isArray(earlier) && earlier.length > 0 ? { earlier: earlier.map(prunedPart) } : {}),
  }
  if (refused !== undefined) return { ...rest, refused }
  const shown = Array.isArray(looks) ? looks.map(prunedPart) : pruned(seen, 2)
  return Object.keys(rest).length === 0 ? shown : { ...rest, seen: shown }
}

function prunedPart(step: Json): Json {
  if (!isJsonObject(step)) return step
  if (Array.isArray(step.looks)) return { ...step, looks: step.looks.map(prunedPart) }
  return step.seen === undefined ? step : { ...step, seen: pruned(step.seen, 2) }
}

function pruned(value: Json, depth: number): Json {
  if (depth === 0 || !isJsonObject(value)) return value
  const kept = Object.entries(value).map(([key, part]): [string, Json] => [key, pruned(part, depth - 1)])
  return Object.fromEntries(kept.filter(([, part]) => !isEmpty(part)))
}

const isEmpty = (value: Json): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0)
