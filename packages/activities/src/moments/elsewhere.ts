/**
 * What a worker does with a moment whose code it has not loaded. Extensions are rolled out while beings live,
 * so workers with several versions share a task queue. Which version a moment needs is a fact of the
 * registry; once it is open, its record says so.
 */
import { Context } from '@temporalio/activity'
import {
  type BeingName,
  type Digest,
  holdsCall,
  type Json,
  type MomentId,
  type PinnedStack,
  parseMomentId,
  REGISTRY_REEL,
} from '@treeos/core'
import type { ElsewhereMoment, OutdatedMoment } from '@treeos/protocol'
import { codeOf, codesOf, installExtensions, type LoadedMoment, readSpec, specsOf } from '@treeos/reality'
import {
  digestOf,
  findEffect,
  isCallUnderWay,
  type LoadedVersion,
  listWorkers,
  readBlobCached,
  readClock,
  releaseClaim,
} from '@treeos/store'
import { type CodeManifest, codeIn, extensionsNeeded } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'

type CodedMoment = Pick<LoadedMoment, 'record' | 'content'>

/** Extensions that a moment needs and that this worker has not loaded so. */
interface NeededCode {
  readonly extensions: readonly string[]
  /** whether what a worker has loaded of one of them is what the moment needs */
  readonly isRight: (extension: string, loaded: LoadedVersion) => boolean
}

/**
 * Leaves a moment that is not open yet to a worker that has loaded the current code of what it needs, and
 * gives its claim back. Needs no statement where this worker has loaded all that is current.
 * @param stack the roles that its flow gives; null for none
 * @param call what its mind has decided; null before that
 * @returns null where it is lived here; also where no worker with its code came for too long
 */
export async function leaveUnopened(
  deps: BeatDeps,
  moment: CodedMoment,
  stack: PinnedStack | null,
  { call, wakeAt }: { readonly call: Json; readonly wakeAt: number },
): Promise<ElsewhereMoment | null> {
  const { memory } = deps
  const { record } = moment
  const { being } = parseMomentId(record.moment)
  const [, seq] = record.heads.find(([reel]) => reel === REGISTRY_REEL) ?? []
  if (stack === null || seq === undefined) return null
  const others = await memory.code.others(deps, seq)
  const extensions = await neededOf(deps, moment, stack, call, others)
  if (extensions.length === 0) {
    memory.code.lives(being)
    return null
  }
  const current = memory.code.known?.current
  const isRight: NeededCode['isRight'] = (extension, { digest }) => current?.get(extension)?.digest === digest
  let isLonely = !(await isLoadedElsewhere(deps, { extensions, isRight }))
  if (isLonely && memory.code.maySettle() && (await settle(deps))) isLonely = false // now it is loaded here
  if (isLonely && record.openedAt - wakeAt > 1000 * deps.handOn.secondsMax) return null
  await releaseClaim(deps.db, being, record.moment)
  return handedOn(deps, being, isLonely)
}

/** Makes this worker's code current where no other worker has what is. @returns whether it did */
async function settle(deps: BeatDeps): Promise<boolean> {
  const { worker } = deps.handOn
  if (!(await listWorkers(deps.db)).some(({ id }) => id === worker)) return false // it ends
  const { moved } = await installExtensions(deps, deps.registry, worker)
  await deps.memory.code.read(deps)
  return moved.length > 0
}

/** Lets another worker take the run while it waits. */
function handedOn(deps: BeatDeps, being: BeingName, isLonely: boolean): ElsewhereMoment {
  const waitMs = deps.memory.code.waitMs(being, isLonely)
  const { isLocal, workflowExecution: run } = Context.current().info
  // any worker may take a regular activity anyway
  if (isLocal && run !== undefined) deps.handOn.release(run, waitMs)
  return { elsewhere: { waitMs } }
}

/**
 * Leaves a moment that is open to a worker with the code that it opened with. Needs no statement where that
 * is all that this worker has loaded.
 * @returns null where it is lived here, also where its model has answered and no worker has that code any more;
 *   `outdated` where none has it, nobody has decided, and nothing was asked of the outside: its wake is to be
 *   opened again
 */
export async function leaveOpen(
  deps: BeatDeps,
  moment: CodedMoment,
  stack: PinnedStack | null,
): Promise<ElsewhereMoment | OutdatedMoment | null> {
  const { code } = moment.record
  if (stack === null || code === codeOf(deps.registry)) return null
  const { others, isRight } = await openedWith(deps, code, stack)
  return leave(deps, moment, { extensions: await neededOf(deps, moment, stack, null, others), isRight })
}

/** The same for the effect that a moment asked for, before anything is done outside. */
export async function leaveEffect(
  deps: BeatDeps,
  moment: Pick<LoadedMoment, 'record'>,
  operation: string,
): Promise<ElsewhereMoment | null> {
  const { code } = moment.record
  if (code === codeOf(deps.registry)) return null
  const { others, isRight } = await openedWith(deps, code, null)
  const extensions = extensionsNeeded({ specs: [], script: null, call: operation }, others)
  const left = await leave(deps, moment, { extensions, isRight })
  return left !== null && 'elsewhere' in left ? left : null
}

async function leave(
  deps: BeatDeps,
  { record }: Pick<LoadedMoment, 'record'>,
  needed: NeededCode,
): Promise<ElsewhereMoment | OutdatedMoment | null> {
  if (needed.extensions.length === 0) return null
  const { being } = parseMomentId(record.moment)
  if (await isLoadedElsewhere(deps, needed)) return handedOn(deps, being, false)
  const effect = await findEffect(deps.db, record.moment)
  if (effect === null && (await isDecidedFor(deps, record.moment))) return null
  // a worker that ends may still hear what it asked
  if (effect === null && !(await isCallUnderWay(deps.db, record.moment))) return { outdated: true }
  if (effect !== null && effect.result !== null) return null // it is done: what is left is written here
  const waitedMs = (await readClock(deps.db)) - record.openedAt
  return waitedMs > 1000 * deps.handOn.secondsMax ? null : handedOn(deps, being, true)
}

/** Whether a model has answered, and what it chose is here: then it is not asked again. */
async function isDecidedFor({ db, memory, registry }: BeatDeps, moment: MomentId): Promise<boolean> {
  const stored = await memory.moments.decision(db, moment)
  if (stored?.prompt === undefined) return false
  const { decision } = stored
  const call = decision.kind === 'call' ? decision.call : null
  if (call === null || (call.verb !== 'do' && call.verb !== 'be')) return true
  const all = call.verb === 'do' ? registry.operations : registry.beOperations
  return all.has(call.operation)
}

/** The extensions that a moment needs, among some. */
async function neededOf(
  { db }: BeatDeps,
  { record, content }: CodedMoment,
  stack: PinnedStack,
  call: Json,
  among: ReadonlySet<string>,
): Promise<string[]> {
  if (among.size === 0) return []
  const specs = await specsOf((digest) => readSpec(db, digest), stack)
  const { kind, script } = record.cognition
  const chosen = holdsCall(record.wake) ? content : call
  return extensionsNeeded({ specs, script: kind === 'scripted' ? script : null, call: chosen }, among)
}

async function isLoadedElsewhere(deps: BeatDeps, { extensions, isRight }: NeededCode): Promise<boolean> {
  const workers = await listWorkers(deps.db)
  return workers.some(({ codes }) =>
    extensions.every((extension) => {
      const loaded = codes[extension]
      return loaded !== undefined && isRight(extension, loaded)
    }),
  )
}

/** The extensions that this worker has loaded otherwise than the one that opened a moment. */
async function openedWith(
  { db, registry }: BeatDeps,
  code: Digest | undefined,
  stack: PinnedStack | null,
): Promise<{ readonly others: ReadonlySet<string>; readonly isRight: NeededCode['isRight'] }> {
  const manifest = code === undefined ? null : await readBlobCached(db, code)
  const then = manifest as unknown as CodeManifest | null
  if (then === null) return { others: new Set(), isRight: () => true }
  const own = codesOf(registry)
  const names = [...new Set([...Object.keys(then.extensions), ...own.keys()])]
  const others = new Set(names.filter((name) => own.get(name)?.code !== codeIn(then, name, digestOf)))
  for (const { name, digest } of stack === null ? [] : [stack.primary, ...stack.stacked]) {
    const [extension = '', isOfExtension] = name.split(':')
    if (isOfExtension !== undefined && own.get(extension)?.roles[name] !== digest) others.add(extension)
  }
  return { others, isRight: (extension, loaded) => loaded.code === codeIn(then, extension, digestOf) }
}
