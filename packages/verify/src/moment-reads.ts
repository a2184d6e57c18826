/** What a moment reads for its words: docs/formats.md, "Words from outside". */

import { beingReel, spaceReel } from '@treeos/core'
import { flowPaths, type RoleSpec } from '@treeos/roles'
import { doMeet, type OutsideMarks, RULES, readByFlow, rowOfChange, wordsShown } from '@treeos/world'
import { rolesByClause } from './bundle/roles-by-clause.ts'
import { at, isArray, isObject, type Json, type JsonObject } from './canonical.ts'
import { hasForm } from './forms/forms.ts'

interface ReadEvidence {
  /** where its being was; null where that is not known */
  readonly place: string | null
  /** undefined where that content is not here */
  readonly program: Json | undefined
  readonly noted: Json | undefined
  /** the spec of a role by its digest; undefined where it is not here */
  readonly specOf: (digest: string) => Json | undefined
}

/** The lists that a spec may leave out. */
const NO_LISTS = { see: [], canSee: [], canDo: [], canSummon: [], canBe: [] }

export class MomentReads {
  readonly #being: string
  readonly #place: string | null
  /** reels with the paths that flow and wake read there; null where that is not known */
  readonly #paths: readonly (readonly [reel: string, path: readonly string[]])[] | null
  /** null where that is not known */
  readonly #shown: ReturnType<typeof wordsShown> | null

  constructor(record: JsonObject, open: Json, { place, program, noted, specOf }: ReadEvidence) {
    this.#being = beingReel(String(record.being))
    this.#place = place === null ? null : spaceReel(place)
    const isKnown = isObject(program) && noted !== undefined
    this.#paths = isKnown ? [...readByFlow(pathsOf(program), place ?? ''), ...changeIn(noted)] : null
    this.#shown = isKnown && record.stack !== null ? shownBefore(program, open, specOf) : null
  }

  /** Whether the marks of a row count; null where that depends on what is not here. */
  count(reel: string, marks: OutsideMarks): boolean | null {
    if (marks === true || reel === this.#being) return true
    const isRead = (path: readonly string[]) => marks.some((mark) => doMeet(mark, path))
    if (reel.startsWith('space:') && isRead(RULES)) return true
    if (this.#paths?.some(([at, path]) => at === reel && isRead(path))) return true
    if (this.#shown === 'all' || (this.#shown === 'place' && reel === this.#place)) return true
    const isOfPlace = this.#place === null && reel.startsWith('space:')
    return this.#paths === null || this.#shown === null || isOfPlace ? null : false
  }
}

const pathsOf = (program: JsonObject): readonly string[] =>
  isArray(program.flow ?? null) ? flowPaths(program.flow as never) : []

function changeIn(noted: Json): [reel: string, path: readonly string[]][] {
  const change = at(noted, 'quotes', 'change')
  const path = at(change, 'path')
  if (!isArray(path)) return []
  return [[rowOfChange({ target: String(at(change, 'target')), path: [] }), path.map(String)]]
}

/**
 * What the stack shows that the flow gave before the moment was known to hold words from outside; null where
 * a spec of it is not here.
 */
function shownBefore(program: JsonObject, open: Json, specOf: ReadEvidence['specOf']) {
  const { outside: _known, ...before } = open as JsonObject
  const context = withoutOutside(at(open, 'context') ?? {})
  const specs = rolesByClause(program, { ...before, context }).map(({ role }) =>
    specOf(String(at(program, 'roles', role, 'digest'))),
  )
  if (!specs.every((spec) => isObject(spec) && hasForm('spec', spec))) return null
  const known = specs.map((spec) => ({ ...NO_LISTS, ...(spec as JsonObject) }) as unknown as RoleSpec)
  return wordsShown(known, at(open, 'cognition', 'kind') as never)
}

function withoutOutside(context: Json): Json {
  const moment = at(context, 'moment')
  if (!isObject(context) || !isObject(moment)) return context
  const origins = at(moment, 'origins')
  const { outside: _known, ...others } = isObject(origins) ? origins : {}
  return {
    ...context,
    moment: {
      ...moment,
      ...(moment.outside === undefined ? {} : { outside: false }),
      ...(origins === undefined ? {} : { origins: others }),
    },
  }
}
