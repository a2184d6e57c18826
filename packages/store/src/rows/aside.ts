import {
  type Aside,
  type BeingName,
  type CitedFact,
  fromJson,
  type Json,
  type OpenThread,
  type RoleName,
  type WaitingWake,
} from '@treeos/core'
import { decodeJson } from '../sql/stored-json.ts'
import type { ReadSetItem } from './read-set-items.ts'

/**
 * Tables that are not reels, and single facts, that a reading may ask for. Few readings ask, so each part is
 * queried only then.
 */
export type AsidePart = 'said' | 'did' | 'waiting' | 'threads'

/** What a reading asks for beside rows. */
export interface AsideAsked {
  readonly asides: ReadonlySet<AsidePart>
  /** beings whose last role is asked for */
  readonly wore: ReadonlySet<BeingName>
}

/** What was read beside rows, for the parts that were asked for. */
export interface FetchedAside {
  readonly said: { readonly facts: readonly CitedFact[]; readonly earlier: number }
  readonly did: readonly CitedFact[]
  readonly wore: Readonly<Record<BeingName, RoleName>>
  readonly waiting: NonNullable<Aside['waiting']>
  readonly threads: NonNullable<Aside['threads']>
}

export function asideOf(of: (what: ReadSetItem['what']) => readonly ReadSetItem[]): FetchedAside {
  const said = of('said')
  const waiting = of('waiting')
  const threads = of('thread')
  return {
    said: { earlier: beyond(said, said[0]?.state_seq), facts: said.map(citedFact) },
    did: of('did').map(citedFact),
    wore: Object.fromEntries(of('wore').flatMap(({ key, text }) => (text === null ? [] : [[key, text]]))),
    waiting: {
      wakes: waiting.map(({ text }) => fromJson<WaitingWake>(parse(text))),
      more: beyond(waiting, waiting[0]?.number),
    },
    threads: {
      threads: threads.map(({ text }) => fromJson<OpenThread>(parse(text))),
      more: beyond(threads, threads[0]?.number),
    },
  }
}

const parse = (text: string | null): Json => (text === null ? null : decodeJson<Json>(text))

const beyond = (lines: readonly ReadSetItem[], total: number | null | undefined): number =>
  Math.max(0, (total ?? 0) - lines.length)

function citedFact({ key, text, number, hash }: ReadSetItem): CitedFact {
  const space = key.indexOf(' ')
  return {
    kind: key.slice(0, space),
    ref: [key.slice(space + 1), number ?? 0, hash?.toString('hex') ?? ''],
    payload: parse(text),
  }
}
