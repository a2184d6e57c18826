import type { OutsideWitness, WitnessCosignature } from './cosignature.ts'
import { COSIGNATURE, parseKey, parseKeyOf, type VerifierKey } from './signature.ts'

/** Whose signatures make a checkpoint count: a file in the format of C2SP tlog-policy. */
export interface WitnessPolicy {
  /** keys of the log, one of which must have signed */
  readonly logs: readonly VerifierKey[]
  readonly witnesses: readonly OutsideWitness[]
  /** null: no witness is needed */
  readonly quorum: Quorum | null
}

/** A witness, or a group of which so many must have cosigned. */
export interface Quorum {
  readonly name: string
  readonly threshold: number
  /** none: it is a witness */
  readonly members: readonly Quorum[]
}

/** The policy that asks for the signature of one key. */
const policyOfKey = (key: VerifierKey): WitnessPolicy => ({ logs: [key], witnesses: [], quorum: null })

/** What a check is told of whose signatures count. */
export interface TrustOptions {
  /** of the log; left out or null: those of the policy */
  readonly key?: VerifierKey | null | undefined
  /** left out or null: no witness is needed */
  readonly policy?: WitnessPolicy | null | undefined
}

/**
 * @returns null where nothing was told: then no signature is checked.
 * @throws {Error} for a policy without a log, and no key
 */
export function trustedPolicy({ key = null, policy = null }: TrustOptions): WitnessPolicy | null {
  if (policy === null) return key === null ? null : policyOfKey(key)
  if (key === null && policy.logs.length === 0)
    throw new Error('the policy names no log: add a line `log VKEY`, or give the key of the log')
  return key === null ? policy : { ...policy, logs: [key] }
}

/**
 * @throws {Error} that names the line, for a text that is not a policy
 * @example
 * const policy = parsePolicy(readFileSync('witnesses.policy', 'utf8'))
 */
export function parsePolicy(text: string): WitnessPolicy {
  const reading = new PolicyReader()
  for (const [i, line] of text.split('\n').entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '')
    if (words.length === 0 || words[0]?.startsWith('#')) continue
    try {
      reading.take(words)
    } catch (error) {
      throw new Error(`line ${i + 1} of the policy: ${(error as Error).message}`)
    }
  }
  return reading.end()
}

class PolicyReader {
  readonly #logs: VerifierKey[] = []
  readonly #witnesses: OutsideWitness[] = []
  /** witnesses and groups by name */
  readonly #named = new Map<string, Quorum>()
  /** names that are in a group */
  readonly #taken = new Set<string>()
  #quorum: Quorum | null | undefined

  take([kind, ...words]: readonly string[]): void {
    if (kind === 'log') this.#log(words)
    else if (kind === 'witness') this.#witness(words)
    else if (kind === 'group') this.#group(words)
    else if (kind === 'quorum') this.#ends(words)
    else throw new Error(`it begins with ${kind}: there are log, witness, group and quorum`)
  }

  #log([vkey = '', , ...more]: readonly string[]): void {
    if (more.length > 0) throw new Error('it reads log VKEY [URL]')
    this.#logs.push(once(parseKey(vkey), this.#logs))
  }

  #witness([label = '', vkey = '', url, ...more]: readonly string[]): void {
    if (more.length > 0) throw new Error('it reads witness NAME VKEY [URL]')
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new Error('the URL of a witness begins with http: or https:')
    this.#name({ name: label, threshold: 1, members: [] })
    const key = once(parseKeyOf(vkey, COSIGNATURE), this.#witnesses)
    this.#witnesses.push({ ...key, label, url: url?.replace(/\/$/, '') ?? null })
  }

  #group([name = '', count = '', ...members]: readonly string[]): void {
    const threshold = count === 'all' ? members.length : count === 'any' ? 1 : Number(count)
    const isCount = /^(all|any|[1-9]\d{0,5})$/.test(count) && threshold <= members.length
    if (!isCount || members.length === 0) throw new Error('it reads group NAME all|any|COUNT MEMBER…')
    const found = members.map((member) => {
      if (this.#taken.has(member)) throw new Error(`${member} is in a group already`)
      this.#taken.add(member)
      return this.#find(member)
    })
    this.#name({ name, threshold, members: found })
  }

  #ends([name = '', ...more]: readonly string[]): void {
    if (more.length > 0 || this.#quorum !== undefined) throw new Error('there is one line quorum NAME')
    this.#quorum = name === 'none' ? null : this.#find(name)
  }

  #name(named: Quorum): void {
    if (named.name === 'none' || this.#named.has(named.name))
      throw new Error(`the name ${named.name} is taken`)
    this.#named.set(named.name, named)
  }

  #find(name: string): Quorum {
    const found = this.#named.get(name)
    if (found === undefined) throw new Error(`no line before it defines ${name}`)
    return found
  }

  end(): WitnessPolicy {
    if (this.#quorum === undefined)
      throw new Error('the policy has no line quorum: write `quorum none` where no witness is needed')
    return { logs: this.#logs, witnesses: this.#witnesses, quorum: this.#quorum }
  }
}

/** @throws {Error} for a public key that is there already, also under another name */
function once(key: VerifierKey, known: readonly VerifierKey[]): VerifierKey {
  if (known.some((one) => one.key.equals(key.key))) throw new Error('its key is there twice')
  return key
}

/** Whether these witnesses are enough. */
export function isQuorum(quorum: Quorum | null, cosigned: readonly WitnessCosignature[]): boolean {
  if (quorum === null) return true
  const reached = ({ name, threshold, members }: Quorum): boolean =>
    members.length === 0
      ? cosigned.some(({ by }) => by === name)
      : members.filter(reached).length >= threshold
  return reached(quorum)
}

/** In words. */
export const describeQuorum = ({ name, threshold, members }: Quorum): string =>
  members.length === 0 ? name : `${threshold} of (${members.map(describeQuorum).join(', ')})`

/** In words, what a checkpoint lacks of the quorum that is asked for. Empty: nothing. */
export function quorumFaults(
  { cosigned }: { readonly cosigned: readonly WitnessCosignature[] },
  policy: WitnessPolicy | null,
): string[] {
  if (policy === null || policy.quorum === null || isQuorum(policy.quorum, cosigned)) return []
  const who = cosigned.length === 0 ? 'no witness of it' : cosigned.map(({ by }) => by).join(', ')
  return [`the policy asks for ${describeQuorum(policy.quorum)}, and ${who} cosigned the checkpoint`]
}
