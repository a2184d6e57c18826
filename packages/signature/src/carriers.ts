import type { Json } from '@treeos/core'

/**
 * What says of words that they came from outside.
 * - `wake`: the field of the wake that brings them; the block `[Wake]` says it to the mind
 * - `row`: the marks of the rows that they are read from; the view says it to the mind
 * - `consent`: a person accepted exactly these words before any mind is told them
 * - `own`: who wrote them may speak for the reality: its code, or a person in a session of its own
 */
export type OutsideRule = 'wake' | 'row' | 'consent' | 'own'

interface CarrierLine {
  readonly marked: OutsideRule
  /** what travels by it, one after the other; each has a test that brings it and a control */
  readonly brings: readonly string[]
}

/**
 * All that carries words to a mind. Nothing else makes {@link MindWords} or {@link MindData}, so a new carrier
 * without a line here does not compile.
 */
export const CARRIERS = {
  sentence: { marked: 'own', brings: ['a sentence of TreeOS', 'a probe of a model'] },
  signature: { marked: 'own', brings: ['the task of a Signature', 'the declaration of its answer'] },
  self: { marked: 'row', brings: ['a name', 'a path'] },
  list: { marked: 'row', brings: ['an entry of a list'] },
  role: { marked: 'row', brings: ['the text of a role', 'a role of a world file', 'a role of a trial'] },
  view: {
    marked: 'row',
    brings: [
      ...['a quality', 'the key of a quality', 'a place', 'a thing', 'a note', 'a signal', 'a subscription'],
      ...['a conversation', 'a view of an extension', 'a recalled note', 'past acts', 'an open approval'],
    ],
  },
  'wake-row': { marked: 'wake', brings: ['who speaks', 'an id that a client chose'] },
  event: {
    marked: 'wake',
    brings: [
      ...['a change', 'a schedule', 'what a sequence begun with', 'the result of a step', 'what a look saw'],
      ...['a yes', 'a yes to other arguments', 'a no', 'an approval that expired', 'a notice'],
      ...['the result of a tool', 'the error of a tool', 'a completed effect'],
    ],
  },
  content: {
    marked: 'wake',
    brings: [
      ...['a message', 'an answer', 'the subject of a mail', 'the history of a chat client'],
      ...['the state of an AG-UI client', 'a message of another agent', 'words of a program to a child'],
      ...['words of a child to others', 'the input of a workflow', 'the input of a Signature'],
    ],
  },
  refusal: { marked: 'wake', brings: ['what was refused'] },
  file: { marked: 'row', brings: ['the name of a file', 'the text of a file', 'a picture'] },
  overlay: {
    marked: 'own',
    brings: ['an overlay of a call', 'an overlay of a thread', 'a stored overlay'],
  },
  declaration: { marked: 'consent', brings: ['an operation of code', 'a tool of a server'] },
} as const satisfies Readonly<Record<string, CarrierLine>>

export type Carrier = keyof typeof CARRIERS

/** Everything that travels by some carrier. */
export type CarriedKind = (typeof CARRIERS)[Carrier]['brings'][number]

declare const forMind: unique symbol

/** Words that a mind is told. Only a carrier makes them. */
export type MindWords = string & { readonly [forMind]: true }

/** Data that a mind is told. Only a carrier makes it. */
export interface MindData {
  readonly [forMind]: true
}

/** Words as a carrier brings them. They are unchanged: the carrier's line says what marks them. */
export const carry = (_carrier: Carrier, text: string): MindWords => text as MindWords

/** The same of data. */
export const carryData = (_carrier: Carrier, data: Json): MindData => data as unknown as MindData

/** Data as it was before a carrier took it. */
export const dataOf = (data: MindData): Json => data as unknown as Json

/** Several words, one below the other. */
export const joinWords = (parts: readonly MindWords[], between: '\n' | '\n\n'): MindWords =>
  parts.join(between) as MindWords
