import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isConsistent } from '@treeos/proofs'
import { parseKey, readCheckpoint } from '@treeos/verify'

const EMPTY_ROOT = createHash('sha256').digest()

export interface Seen {
  readonly size: number
  readonly root: Buffer
}

export interface Cosigner {
  readonly name: string
  readonly privateKey: KeyObject
}

const rawOf = (privateKey: KeyObject): Buffer =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)

const typed = (privateKey: KeyObject): Buffer => Buffer.concat([Buffer.of(0x04), rawOf(privateKey)])

const idOf = ({ name, privateKey }: Cosigner): Buffer =>
  createHash('sha256').update(`${name}\n`).update(typed(privateKey)).digest().subarray(0, 4)

/** @param seed 32 bytes; left out: a new key */
export function newCosigner(name: string, seed?: Buffer): Cosigner {
  if (seed === undefined) return { name, privateKey: generateKeyPairSync('ed25519').privateKey }
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  return { name, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
}

export const vkeyOf = (cosigner: Cosigner): string =>
  `${cosigner.name}+${idOf(cosigner).toString('hex')}+${typed(cosigner.privateKey).toString('base64')}`

/** The line of C2SP tlog-cosignature, ed25519. @param text of the checkpoint. @param at seconds since 1970 */
export function cosign(cosigner: Cosigner, text: string, at = Math.floor(Date.now() / 1000)): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(at))
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${at}\n${text}`), cosigner.privateKey)
  const bytes = Buffer.concat([idOf(cosigner), time, signature])
  return `— ${cosigner.name} ${bytes.toString('base64')}\n`
}

export const textOf = (note: string): string => note.slice(0, note.indexOf('\n\n') + 1)

/**
 * A witness as C2SP tlog-witness describes it, for tests: it watches one log, and keeps what it saw in
 * memory.
 */
export class WitnessServer {
  readonly cosigner: Cosigner
  readonly #server: Server
  #logs: readonly string[] = []
  #origin = ''
  seen: Seen = { size: 0, root: EMPTY_ROOT }
  /** requests that were answered, by status */
  readonly answered: number[] = []
  /** answers instead of the witness */
  instead: ((note: string, response: ServerResponse) => void) | null = null

  constructor(name: string) {
    this.cosigner = newCosigner(name)
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const body = Buffer.concat(parts).toString('utf8')
        if (this.instead !== null) return this.instead(body.slice(body.indexOf('\n\n') + 2), response)
        const [status, text] =
          request.method === 'POST' && request.url === '/add-checkpoint' ? this.#add(body) : [405, '']
        this.answered.push(status)
        response.writeHead(status, { 'content-type': status === 409 ? 'text/x.tlog.size' : 'text/plain' })
        response.end(text)
      })
    })
  }

  /**
   * @param origin of the log that it watches.
   * @param logs verifier keys of it; left out: none, until `watch`
   */
  static async start(name: string, origin = '', logs: readonly string[] = []): Promise<WitnessServer> {
    const witness = new WitnessServer(name)
    witness.watch(origin, logs)
    await witness.listen(0)
    return witness
  }

  watch(origin: string, logs: readonly string[]): void {
    this.#origin = origin
    this.#logs = logs
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Its line in a policy. */
  policyLine(label: string): string {
    return `witness ${label} ${vkeyOf(this.cosigner)} http://127.0.0.1:${this.port}/\n`
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(resolve))
  }

  #add(body: string): readonly [status: number, text: string] {
    const cut = body.indexOf('\n\n')
    const note = body.slice(cut + 2)
    const [first = '', ...proof] = body.slice(0, cut).split('\n')
    const [, old] = /^old (0|[1-9]\d*)$/.exec(first) ?? []
    if (cut < 0 || old === undefined || proof.length > 63) return [400, 'not a request\n']
    if (note.split('\n')[0] !== this.#origin) return [404, 'unknown log\n']
    let next: Seen
    try {
      const { size, root } = readCheckpoint(note, {
        logs: this.#logs.map(parseKey),
        witnesses: [],
        quorum: null,
      })
      next = { size, root: Buffer.from(root, 'hex') }
    } catch {
      return [403, 'no signature\n']
    }
    if (Number(old) > next.size) return [400, 'old is larger\n']
    if (Number(old) !== this.seen.size) return [409, `${this.seen.size}\n`]
    const hashes = proof.map((line) => Buffer.from(line, 'base64'))
    const follows = this.seen.size === 0 ? proof.length === 0 : isConsistent(this.seen, next, hashes)
    if (!follows || (next.size === 0 && !next.root.equals(EMPTY_ROOT))) return [422, 'inconsistent\n']
    this.seen = { size: next.size, root: next.root }
    return [200, cosign(this.cosigner, textOf(note))]
  }
}
