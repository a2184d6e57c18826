import {
  type ErrorCode,
  isJsonObject,
  type Json,
  type JsonObject,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { ceilingsOf, isBelow } from '../gates/list-gate.ts'
import { type AskedGate, GateRefusal } from '../gates/refusal.ts'
import { ruleRepair } from '../gates/rule-repair.ts'
import { type RowSource, WorldReader } from '../read/reader.ts'
import { covers, type Surface } from '../rows/lists.ts'
import { type BeingRow, beingKey, type SpaceRow, spaceKey } from '../rows/rows.ts'
import { decideCall } from './act.ts'
import type { Acting } from './acting.ts'

/**
 * A change of one permission. `path` is a composed list (`canDo`), a list of a ceiling (`@ann ceiling.canDo`) or a rule of a
 * space (`/hall permissions.do.take`). A side that is left out is missing.
 */
export type PermissionChange = { readonly path: string; readonly from?: Json; readonly to?: Json }

export type WhyNotAllowed =
  /** none when it was allowed */
  | { readonly changes: readonly PermissionChange[]; readonly code?: undefined }
  /** no permission would help: the fault that is left when the gates allow what they can */
  | { readonly changes: null; readonly code: ErrorCode; readonly message: string }

/** Questions to the gates in one call, with those of what it carries out. */
const ROUNDS_MAX = 64

/**
 * The smallest change of permissions under which a call would have been allowed. It decides the call, grants what the gate that
 * refused it was asked, and decides again. What one gate needs is never less than the least, so neither is the whole.
 * @param source the rows that `at.reader` reads
 * @throws the error of a read that failed
 */
export async function whyNotAllowed(call: VerbCall, at: Acting, source: RowSource): Promise<WhyNotAllowed> {
  const permissions = new Permissions(at, source)
  for (let round = 0; ; round++) {
    const refusal = await refusalOf(call, permissions.acting)
    if (refusal === null) return { changes: permissions.changes }
    const { code, message } = refusal
    const isGranted =
      refusal instanceof GateRefusal && round < ROUNDS_MAX && (await permissions.grant(refusal.asked))
    if (!isGranted) return { changes: null, code, message }
  }
}

async function refusalOf(call: VerbCall, at: Acting): Promise<TreeosError | null> {
  try {
    await decideCall(call, at)
    return null // one that waits for its effect passed both gates
  } catch (error) {
    if (error instanceof TreeosError) return error
    throw error
  }
}

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

/** The permissions of a moment, changed step by step. */
class Permissions {
  readonly #at: Acting
  readonly #source: RowSource
  readonly #rows = new Map<string, Json>()
  readonly #changes = new Map<string, PermissionChange>()
  #surface: Surface

  constructor(at: Acting, source: RowSource) {
    this.#at = at
    this.#source = source
    this.#surface = at.surface
  }

  /** sorted by path */
  get changes(): PermissionChange[] {
    return [...this.#changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  get acting(): Acting {
    const me = this.#rows.get(beingKey(this.#at.me.name)) as unknown as BeingRow | undefined
    return { ...this.#at, me: me ?? this.#at.me, surface: this.#surface, reader: this.#reader() }
  }

  /** Changes what a gate needs to allow what it was asked. @returns false when nothing can */
  async grant(asked: AskedGate): Promise<boolean> {
    return asked.gate === 'list' ? this.#grantEntry(asked) : this.#grantStanding(asked)
  }

  async #grantEntry({ actor, list, target }: Extract<AskedGate, { gate: 'list' }>): Promise<boolean> {
    const { me, reader } = this.acting
    if (actor !== me.name) return false // what another being could do when it asked is past
    if (covers(this.#surface[list], target) === undefined) {
      const entries = [...this.#surface[list], target]
      this.#note(list, this.#surface[list] as unknown as Json, entries as unknown as Json)
      this.#surface = { ...this.#surface, [list]: entries }
    }
    for (const ceiling of await ceilingsOf(reader, me)) {
      if (isBelow(ceiling, list, target)) continue
      const from = ceiling.lists[list]
      const raised = { ...ceiling.lists, [list]: [...from, target] }
      const row = (await reader.being(ceiling.being)) as unknown as JsonObject
      this.#rows.set(beingKey(ceiling.being), { ...row, ceiling: raised as unknown as Json })
      const path = `${stanceOf(ceiling.being)} ceiling.${list}`
      this.#note(path, from as unknown as Json, raised[list] as unknown as Json)
    }
    return true
  }

  async #grantStanding({ question }: Extract<AskedGate, { gate: 'rules' }>): Promise<boolean> {
    const changes = await ruleRepair(this.#reader(), question)
    for (const { space, name, from, to } of changes ?? []) {
      const row = (await this.#reader().space(space)) as SpaceRow
      const permissions = objectOr(row.qualities.permissions)
      const { [name]: _, ...others } = objectOr(permissions[question.verb])
      const rules = to === undefined ? others : { ...others, [name]: to }
      const changed = {
        ...row,
        qualities: { ...row.qualities, permissions: { ...permissions, [question.verb]: rules } },
      }
      this.#rows.set(spaceKey(space), changed as unknown as Json)
      this.#note(`${space} permissions.${question.verb}.${name}`, from, to)
    }
    return changes !== null && changes.length > 0
  }

  /** A permission that is changed twice is one change. */
  #note(path: string, from: Json | undefined, to: Json | undefined): void {
    const first = this.#changes.get(path)
    const before = first === undefined ? from : first.from
    this.#changes.set(path, {
      path,
      ...(before === undefined ? {} : { from: before }),
      ...(to === undefined ? {} : { to }),
    })
  }

  #reader(): WorldReader {
    const rows = async (keys: readonly string[]) =>
      (await this.#source.rows(keys)).map((found) => {
        const state = this.#rows.get(found.key)
        return state === undefined ? found : { ...found, state }
      })
    return new WorldReader({ ...this.#source, rows })
  }
}
