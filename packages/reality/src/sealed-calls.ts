import {
  type BeingName,
  isJsonObject,
  type Json,
  type JsonObject,
  matterReel,
  readPath,
  sealedId,
  type VerbCall,
} from '@treeos/core'
import { type Db, openShown, sealedWithout, sealText } from '@treeos/store'
import { type Face, PAST_VIEW, type Registry, SUBSTRATE_VIEWS } from '@treeos/world'
import type { LoadedMoment } from './loaded-moment.ts'
import { type OpenReality, readerOf } from './open-reality.ts'
import { isAnythingSealed, requireSealingOperations, type SealingOperations } from './sealing-code.ts'

type ActReality = OpenReality & { readonly registry: Registry }
type DoCall = Extract<VerbCall, { readonly verb: 'do' }>

/**
 * Stands in a call for a text that could not be sealed. No operation takes it for a sealed one, so that it is
 * refused.
 */
const NOT_SEALED = '(not sealed: too many texts of this being wait)'

/**
 * Stands in a call for what an operation that seals texts does not take, or not so: it may be the text under another name. The operation
 * refuses it, and the record does not keep it in clear.
 */
const NOT_KEPT = '(not kept: this operation seals its texts, and does not take this)'

/**
 * A call of a mind as it may be recorded: the texts that its operation seals are sealed. Any other call comes
 * back as it is, without a query.
 * @param wake of its moment
 */
export async function sealCall(
  { db, registry }: { readonly db: Db; readonly registry: Pick<Registry, 'operations'> },
  being: BeingName,
  call: VerbCall,
  wake: string,
): Promise<VerbCall> {
  return withSealed(
    registry.operations,
    call,
    async (_name, text) => (await sealText(db, text, { being, wake })) ?? NOT_SEALED,
  )
}

/** A call as it would be judged once it is sealed, without a key: for what is tried and never recorded. */
export const asIfSealed = ({ operations }: Pick<Registry, 'operations'>, call: VerbCall): Promise<VerbCall> =>
  withSealed(operations, call, async (_name, text) => sealedWithout(text))

/** An act of a person that says texts which are to be sealed. */
export interface SealedAct {
  /** the operation that seals them; of a yes with other arguments that of the call which it is said to */
  readonly operation: string
  /**
   * The act as it may be recorded.
   * @param wake its id in the inbox
   * @param earlier the act that another request put there with this id, if one did: where its texts cannot be
   *   sealed again, they stay
   */
  seal(wake: string, earlier: () => Promise<VerbCall | null>): Promise<VerbCall>
}

/**
 * How an act of a person is sealed; null where nothing is. What a yes changes is sealed for who asked, as its
 * call was.
 * @throws {TreeosError} SERVICE_UNAVAILABLE where nobody knows which of its texts are sealed
 */
export async function sealingOf(at: ActReality, as: BeingName, act: VerbCall): Promise<SealedAct | null> {
  if (act.verb !== 'do') return null
  const inYes = act.operation === 'approve' ? await callInYes(at, act) : null
  if (act.operation === 'approve' && inYes === null) return withoutArguments(at, act)
  const { being, call } = inYes ?? { being: as, call: act }
  const operations = await requireSealingOperations(at, call.operation, call.args)
  if (textsIn(operations, call).length === 0) return null
  return {
    operation: call.operation,
    async seal(wake, earlier) {
      const args = await sealedArgs(operations, call, async (name, text) => {
        const sealed = await sealText(at.db, text, { being, wake, name })
        if (sealed !== null) return sealed
        const before = readPath(
          (await earlier()) ?? {},
          inYes === null ? ['args', name] : ['args', 'args', name],
        )
        return sealedId(before) === null ? NOT_SEALED : String(before)
      })
      return inYes === null ? { ...act, args } : { ...act, args: { ...act.args, args } }
    },
  }
}

/**
 * A yes to a call that does not wait, or with other arguments than a yes has: nobody knows what its texts are. It is refused in any case, and
 * kept without them. Null where it has none, or no operation seals anything.
 */
async function withoutArguments(at: ActReality, act: DoCall): Promise<SealedAct | null> {
  const { id, args: given = null, ...others } = act.args
  const isAlone = (given === null || isJsonObject(given)) && Object.keys(others).length === 0
  if (isAlone && (given === null || (await findApproval(at, id ?? null)) !== null)) return null
  if (!(await isAnythingSealed(at))) return null
  const kept = Object.fromEntries(Object.keys(others).map((name) => [name, NOT_KEPT]))
  const args = { ...(id === undefined ? {} : { id }), ...(given === null ? {} : { args: {} }), ...kept }
  return { operation: act.operation, seal: async () => ({ ...act, args }) }
}

/** What waits under an id, without the number of its revision. */
const findApproval = async (at: OpenReality, id: Json) =>
  typeof id === 'string' ? readerOf(at).approval(id.split('/').slice(0, 3).join('/')) : null

/** The call that a yes makes of the one that waits; null where it is the same, or none waits. */
async function callInYes(
  at: OpenReality,
  { args: { id, args } }: DoCall,
): Promise<{ readonly being: BeingName; readonly call: DoCall } | null> {
  if (!isJsonObject(args)) return null
  const row = await findApproval(at, id ?? null)
  return row?.call.verb === 'do' ? { being: row.asker, call: { ...row.call, args } } : null
}

async function withSealed(
  operations: SealingOperations,
  call: VerbCall,
  seal: (name: string, text: string) => Promise<string>,
): Promise<VerbCall> {
  if (call.verb !== 'do' || textsIn(operations, call).length === 0) return call
  return { ...call, args: await sealedArgs(operations, call, seal) }
}

interface HeldText {
  readonly name: string
  /** null where it is not kept at all */
  readonly text: string | null
}

/** What of the arguments of a call may not be recorded in clear. */
function textsIn(operations: SealingOperations, { operation, args }: DoCall): HeldText[] {
  const known = operations.get(operation)
  const seals = known === undefined ? hasSealing(operations, operation) && [] : (known.seals ?? false)
  if (seals === false) return []
  return Object.entries(args).flatMap(([name, value]): HeldText[] => {
    if (seals.includes(name) && typeof value === 'string') return [{ name, text: value }]
    const isTaken = known !== undefined && Object.hasOwn(known.args, name) && !seals.includes(name)
    return isTaken || value === null || value === undefined ? [] : [{ name, text: null }]
  })
}

/** Whether the extension of an operation that there is not has one that seals: its name may be a wrong one of that. */
function hasSealing(operations: SealingOperations, operation: string): boolean {
  const [extension, ...rest] = operation.split(':')
  if (rest.length === 0) return false
  return [...operations].some(([name, { seals }]) => seals !== undefined && name.startsWith(`${extension}:`))
}

async function sealedArgs(
  operations: SealingOperations,
  call: DoCall,
  seal: (name: string, text: string) => Promise<string>,
): Promise<JsonObject> {
  const sealed = await Promise.all(
    textsIn(operations, call).map(
      async ({ name, text }) => [name, text === null ? NOT_KEPT : await seal(name, text)] as const,
    ),
  )
  return { ...call.args, ...Object.fromEntries(sealed) }
}

/** Stands where a text was whose key is gone. */
const GONE = '(erased)'

/** Views of what others wrote and said. */
const OWN_VIEWS: ReadonlySet<string> = new Set([...SUBSTRATE_VIEWS, PAST_VIEW])

/** Reads sealed texts. */
type TextOpener = (sealed: readonly string[]) => Promise<ReadonlyMap<string, string>>

/**
 * A moment as its mind reads it: the notes that its search found are readable, where a view of an extension
 * shows them as notes. Of any other sealed text, wherever it came from, it gets what is recorded. The record,
 * its digests and replay know sealed texts only.
 */
export async function readableBy<Moment extends Pick<LoadedMoment, 'noted' | 'face'>>(
  loaded: Moment,
  open: TextOpener,
): Promise<Moment> {
  const found = loaded.noted?.aside?.recalled?.notes ?? []
  if (found.length === 0 || loaded.face === null) return loaded
  const ids = new Set(found.map(({ id }) => id))
  const sealed: string[] = []
  const { views } = loaded.face
  const inViews = (change: (text: string) => string): Face['views'] =>
    views.map((one) => (OWN_VIEWS.has(one.name) ? one : { ...one, view: withNotes(one.view, ids, change) }))
  inViews((text) => {
    sealed.push(text)
    return text
  })
  if (sealed.length === 0) return loaded
  const texts = await open(sealed)
  return { ...loaded, face: { ...loaded.face, views: inViews((text) => texts.get(text) ?? GONE) } }
}

/**
 * A view with the texts changed that it shows as those of notes:
 * `{"note": "matter:ID", "text": "sealed:ID:…"}`.
 */
function withNotes(view: Json, ids: ReadonlySet<string>, change: (text: string) => string): Json {
  if (Array.isArray(view)) return view.map((one) => withNotes(one, ids, change))
  if (!isJsonObject(view)) return view
  const { note, text } = view
  const id = sealedId(text)
  if (id !== null && ids.has(id) && note === matterReel(id)) return { ...view, text: change(String(text)) }
  return Object.fromEntries(
    Object.entries(view).map(([key, one]) => [key, withNotes(one ?? null, ids, change)]),
  )
}

/** A value with the sealed texts readable that something shows to a person, see {@link openShown}. */
export async function openedIn(db: Db, shownIn: string, value: Json): Promise<Json> {
  const sealed: string[] = []
  withTexts(value, (text) => {
    if (sealedId(text) !== null) sealed.push(text)
    return text
  })
  if (sealed.length === 0) return value
  const texts = await openShown(db, shownIn, sealed)
  return withTexts(value, (text) => texts.get(text) ?? text)
}

function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one ?? null, change)]))
}
