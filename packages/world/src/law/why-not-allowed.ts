import {
  type ErrorCode,
  isErrorCode,
  isJsonObject,
  type Json,
  type JsonObject,
  stanceOf,
  type VerbCall,
} from '@treeos/core'
import { ceilingsOf, isBelow } from '../gates/list-gate.ts'
import { type AskedGate, GateRefusal } from '../gates/refusal.ts'
import { ruleRepair } from '../gates/rule-repair.ts'
import { type RowSource, WorldReader } from '../read/reader.ts'
import { covers, type Surface } from '../rows/lists.ts'
import { beingKey, type SpaceRow, spaceKey } from '../rows/rows.ts'
import { concludeCall, type LawOver } from './conclude.ts'
import type { CallingMoment } from './judge.ts'

/**
 * A change of one permission. `path` is a composed list (`canDo`), a list of a ceiling (`@ann ceiling.canDo`)
 * or a rule of a space (`/hall permissions.do.take`). A side that is left out is missing.
 */
export type PermissionChange = { readonly path: string; readonly from?: Json; readonly to?: Json }

export type WhyNotAllowed =
  /** none when it was allowed */
  | { readonly changes: readonly PermissionChange[]; readonly code?: undefined }
  /** no permission would help: the fault that is left when the gates allow what they can */
  | { readonly changes: null; readonly code: ErrorCode; readonly message: string }

/** Questions to the gates in one call, with those of what it carries out. */
const ROUNDS_MAX = 64

/** A moment, and the rows and code over which it asks the law. */
export interface PermissionQuestion {
  readonly moment: Omit<CallingMoment, 'decision'>
  readonly source: RowSource
  readonly over: Omit<LawOver, 'reader'>
}

/**
 * The smallest change of permissions under which a call would have been allowed. It asks the law, grants what
 * the gate that refused it was asked, and asks again. What one gate needs is never less than the least, so
 * neither is the whole.
 * @throws the error of a read that failed
 */
export async function whyNotAllowed(call: VerbCall, wondering: PermissionQuestion): Promise<WhyNotAllowed> {
  const permissions = new PermissionSteps(wondering)
  for (let round = 0; ; round++) {
    const concluded = await concludeCall(permissions.moment, call, {
      ...wondering.over,
      reader: permissions.reader(),
    })
    if (concluded.kind === 'effect-pending') return { changes: permissions.changes } // it passed both gates
    const { refusal, beside, reason, detail } = concluded
    if (beside !== undefined || (concluded.kind === 'failure' && refusal === undefined))
      return {
        changes: null,
        code: isErrorCode(reason ?? '') ? (reason as ErrorCode) : 'INTERNAL',
        message: detail ?? '',
      }
    if (refusal === undefined) return { changes: permissions.changes }
    const isGranted =
      refusal instanceof GateRefusal && round < ROUNDS_MAX && (await permissions.grant(refusal.asked))
    if (!isGranted) return { changes: null, code: refusal.code, message: refusal.message }
  }
}

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

/** The permissions of a moment, changed step by step. */
class PermissionSteps {
  readonly #moment: PermissionQuestion['moment']
  readonly #source: RowSource
  readonly #rows = new Map<string, Json>()
  readonly #changes = new Map<string, PermissionChange>()
  #surface: Surface

  constructor({ moment, source }: PermissionQuestion) {
    this.#moment = moment
    this.#source = source
    this.#surface = moment.worn.surface
  }

  /** sorted by path */
  get changes(): PermissionChange[] {
    return [...this.#changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  get moment(): PermissionQuestion['moment'] {
    return { ...this.#moment, worn: { ...this.#moment.worn, surface: this.#surface } }
  }

  /** Changes what a gate needs to allow what it was asked. @returns false when nothing can */
  async grant(asked: AskedGate): Promise<boolean> {
    return asked.gate === 'list' ? this.#grantEntry(asked) : this.#grantStanding(asked)
  }

  async #grantEntry({ actor, list, target }: Extract<AskedGate, { gate: 'list' }>): Promise<boolean> {
    const reader = this.reader()
    const me = actor === this.#moment.being ? await reader.being(actor) : null
    if (me === null) return false // what another being could do when it asked is past
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
    const changes = await ruleRepair(this.reader(), question)
    for (const { space, name, from, to } of changes ?? []) {
      const row = (await this.reader().space(space)) as SpaceRow
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

  /** The world with the permissions changed so far. */
  reader(): WorldReader {
    const rows = async (keys: readonly string[]) =>
      (await this.#source.rows(keys)).map((found) => {
        const state = this.#rows.get(found.key)
        return state === undefined ? found : { ...found, state }
      })
    return new WorldReader({ ...this.#source, rows })
  }
}
