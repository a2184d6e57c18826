import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isQuorum, type OutsideWitness, parsePolicy, type WitnessPolicy } from '@treeos/verify'
import { addCheckpoint, type NotCosigned, type WitnessAnswer } from './add-checkpoint.ts'
import { appendCosigned } from './checkpoint-files.ts'

/**
 * What is known of the witnesses of a log, as its signer keeps it beside its key. Times are ms since 1970, by
 * the signer's clock.
 */
export interface WitnessFile {
  /** text of the policy */
  readonly policy: string
  /** the newest checkpoint that the witnesses were asked to cosign; null before the first */
  readonly asked: { readonly size: number; readonly at: number } | null
  /** the newest one that a quorum cosigned */
  readonly reached: { readonly size: number; readonly at: number } | null
  readonly witnesses: readonly WitnessState[]
  /** why no witness is asked: the policy cannot be used */
  readonly failed: string | null
}

export interface WitnessState {
  /** in the policy */
  readonly name: string
  /** entries of the log that it cosigned last; 0 for none */
  readonly size: number
  /** when it did; null for never */
  readonly at: number | null
  /** since when, and why, it cosigns nothing */
  readonly fault: { readonly why: NotCosigned; readonly what: string; readonly since: number } | null
}

/** A signed checkpoint that waits for witnesses. */
export interface PendingCheckpoint {
  readonly size: number
  readonly note: string
}

/** @returns the hashes that prove that the log of `to` entries begins with that of `from` */
type ConsistencyProver = (from: number, to: number) => Promise<readonly Buffer[]>

type Cosignature = Extract<WitnessAnswer, { readonly status: 'cosigned' }>

const ANSWER_MS = 10_000
/**
 * A log in which nothing happens is cosigned anew this often: so its witnesses still say that it is the
 * newest.
 */
const RENEW_MS = 3_600_000

/**
 * Asks the witnesses of a policy to cosign one checkpoint after another. It remembers in a file how each of
 * them is.
 */
export class WitnessClient {
  readonly #file: string
  readonly #folder: string
  readonly #policy: WitnessPolicy
  #state: WitnessFile
  /** the signatures of witnesses under the newest checkpoint, which may come one after another */
  #signed = { size: -1, by: new Map<string, Cosignature>() }

  /**
   * @param policy its text; each of its witnesses has a URL
   * @param file for what is known of the witnesses
   * @param folder of the checkpoints
   * @throws {Error} for a policy that cannot be used
   */
  constructor(policy: string, { file, folder }: { readonly file: string; readonly folder: string }) {
    this.#policy = parsePolicy(policy)
    const mute = this.#policy.witnesses.find(({ url }) => url === null)
    if (mute !== undefined) throw new Error(`the policy gives no URL for the witness ${mute.label}`)
    this.#file = file
    this.#folder = folder
    const kept = findWitnessing(file)
    const known = new Map(kept?.witnesses.map((one) => [one.name, one]))
    this.#state = {
      policy,
      asked: kept?.asked ?? null,
      reached: kept?.policy === policy ? kept.reached : null,
      witnesses: this.#policy.witnesses.map(
        ({ label }) => known.get(label) ?? { name: label, size: 0, at: null, fault: null },
      ),
      failed: null,
    }
    writeWitnessing(file, this.#state)
  }

  get state(): WitnessFile {
    return this.#state
  }

  /** Asks all witnesses for a checkpoint that they did not cosign yet, at once, and keeps what they sign. */
  async ask({ size, note }: PendingCheckpoint, prove: ConsistencyProver, signal: AbortSignal): Promise<void> {
    const now = Date.now()
    const due = this.#state.witnesses.filter(
      (one) => one.fault !== null || one.size < size || now - (one.at ?? 0) > RENEW_MS,
    )
    if (due.length === 0) return
    const answers = await Promise.all(
      due.map(async (one) => {
        const witness = this.#policy.witnesses.find(({ label }) => label === one.name) as OutsideWitness
        return [one.name, await submit(witness, { size, note, known: one.size }, prove, signal)] as const
      }),
    )
    if (signal.aborted) return
    if (this.#signed.size !== size) this.#signed = { size, by: new Map() }
    const { by } = this.#signed
    for (const [name, answer] of answers) if (answer.status === 'cosigned') by.set(name, answer)
    const lines = [...by.values()].map((one) => one.lines).join('')
    if (answers.some(([, { status }]) => status === 'cosigned'))
      appendCosigned(this.#folder, size, `${note}${lines}`)
    const signers = [...by].map(([name, { at }]) => ({ by: name, at }))
    const answered = new Map(answers)
    const { reached, witnesses } = this.#state
    this.#keep({
      ...this.#state,
      asked: { size, at: now },
      reached: isQuorum(this.#policy.quorum, signers) ? { size, at: now } : reached,
      witnesses: witnesses.map((one) => stateAfter(one, answered.get(one.name), size, now)),
    })
  }

  #keep(state: WitnessFile): void {
    writeWitnessing(this.#file, state)
    this.#state = state
  }
}

function writeWitnessing(file: string, state: WitnessFile): void {
  const draft = `${file}.new`
  const handle = openSync(draft, 'w', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(state)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}

/** Keeps why no witness is asked, for those who ask how the witnesses are. */
export const failWitnessing = (file: string, why: string): void =>
  writeWitnessing(file, { policy: '', asked: null, reached: null, witnesses: [], failed: why })

function stateAfter(
  one: WitnessState,
  answer: WitnessAnswer | undefined,
  size: number,
  now: number,
): WitnessState {
  if (answer === undefined) return one
  if (answer.status === 'cosigned') return { ...one, size, at: now, fault: null }
  const { why, what } =
    answer.status === 'conflict'
      ? { why: 'away' as const, what: `another one has it cosign this log, now ${answer.size} entries` }
      : answer
  const since = one.fault?.why === why ? one.fault.since : now
  return { ...one, fault: { why, what, since } }
}

/** Submits a checkpoint, and once more if the witness knows another size than was thought. */
async function submit(
  witness: OutsideWitness,
  { size, note, known }: PendingCheckpoint & { readonly known: number },
  prove: ConsistencyProver,
  stop: AbortSignal,
): Promise<WitnessAnswer> {
  const from = async (old: number): Promise<WitnessAnswer> => {
    const proof = old === 0 || old === size ? [] : await prove(old, size)
    return addCheckpoint(
      witness,
      { old, proof, note },
      AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]),
    )
  }
  const answer = await from(known > size ? 0 : known)
  if (answer.status !== 'conflict') return answer
  if (answer.size > size)
    return {
      status: 'refused',
      why: 'ahead',
      what: `it cosigned ${answer.size} entries of this log, which has ${size}`,
    }
  return from(answer.size)
}

export interface CosigningOptions {
  readonly seconds: number
  readonly signal: AbortSignal
  /** the newest signed checkpoint; null before the first */
  readonly newest: () => PendingCheckpoint | null
  readonly prove: ConsistencyProver
  readonly onRound: (state: WitnessFile) => void
  readonly onError: (error: unknown) => void
}

/** Asks for the newest checkpoint every few seconds, until it is stopped. */
export async function cosignRepeatedly(
  cosigning: WitnessClient,
  { seconds, signal, newest, prove, onRound, onError }: CosigningOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const pending = newest()
      if (pending !== null) await cosigning.ask(pending, prove, signal)
      onRound(cosigning.state)
    } catch (error) {
      onError(error)
    }
    await sleep(1000 * seconds, undefined, { signal }).catch(() => undefined)
  }
}

/** @returns null where no witness was ever asked, or the file cannot be read */
export function findWitnessing(file: string): WitnessFile | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as WitnessFile
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: unknown }).code === 'ENOENT') return null
    throw error
  }
}

/** A log that has no witnesses any more. */
export const forgetWitnessing = (file: string): void => rmSync(file, { force: true })
