import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSalt } from '../resolve/commitment.ts'
import { markOf } from '../shape/handle.ts'
import { VaultAwayError } from '../shape/vault-away-error.ts'
import { VaultClient } from './client.ts'
import { vaultKeyIn } from './key.ts'
import { type Listener, listen, type MutualTls } from './listener.ts'
import { Vault } from './vault.ts'

const CALL = { use: 'call', of: 'ann' } as const
const key = randomBytes(32)
const SECRET = 'speak as if you were the sentinel 7f3a'
const kept = () => ({ overlay: { content: SECRET }, salt: newSalt() })
const goneOf = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => {
      throw new Error('the vault answered')
    },
    (error: unknown) => {
      if (error instanceof VaultAwayError) return error.isGone
      throw error
    },
  )

describe('a vault on loopback', () => {
  const vault = new Vault()
  let listener: Listener
  const at = () => ({ id: vault.id, url: listener.url })
  beforeAll(async () => {
    listener = await listen(vault, { key })
  })
  afterAll(() => listener.close())

  it('keeps what one process puts there, for another one', async () => {
    const mine = kept()
    const handle = await new VaultClient(key).put(at(), CALL, mine)
    const other = new VaultClient(key)
    expect(await other.take(listener.url, handle, { moment: 'a/1/1', after: null, ...CALL })).toEqual({
      status: 'given',
      ...mine,
    })
    await other.drop(listener.url, handle, 'a/1/1')
    expect(await other.take(listener.url, handle, { moment: 'a/1/1', after: null, ...CALL })).toEqual({
      status: 'lost',
    })
  })

  it('marks handles by request and text', async () => {
    const put = (request: string, content: string) =>
      new VaultClient(key).put(at(), CALL, { overlay: { content }, salt: newSalt() }, request).then(markOf)
    const mark = await put('request a', 'be brief')
    expect(await put('request a', 'be brief')).toBe(mark)
    expect(await put('request a', 'be long')).not.toBe(mark)
    expect(await put('request b', 'be brief')).not.toBe(mark)
  })

  it('hands on its refusal', async () => {
    const put = new VaultClient(key).put(at(), CALL, { overlay: { content: ' ' }, salt: newSalt() })
    await expect(put).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('serves the handles of a vault that handed them on to it, and nobody without the key can do that', async () => {
    const stops = new Vault()
    const handle = stops.put(CALL, kept())
    const stranger = new VaultClient(randomBytes(32)).handOn(at(), stops.handOn())
    expect(await goneOf(stranger)).toBe(true)
    const caller = new VaultClient(key)
    const taker = { moment: 'a/1/1', after: null, ...CALL }
    expect(await goneOf(caller.take(listener.url, handle, taker))).toBe(true)
    await caller.handOn(at(), stops.handOn())
    expect(await caller.take(listener.url, handle, taker)).toMatchObject({ status: 'given' })
  })

  it('answers nobody any more once it is paused, and says that it may be elsewhere', async () => {
    const stopping = new Vault()
    const paused = await listen(stopping, { key })
    paused.pause()
    const put = () => new VaultClient(key).put({ id: stopping.id, url: paused.url }, CALL, kept())
    expect(await goneOf(put())).toBe(false)
    await paused.close()
    expect(await goneOf(put())).toBe(true)
  })

  it('answers nobody without the key', async () => {
    expect(await goneOf(new VaultClient(randomBytes(32)).put(at(), CALL, kept()))).toBe(true)
    for (const body of ['', 'x'.repeat(100)])
      expect((await fetch(listener.url, { method: 'POST', body })).status).toBe(403)
    expect((await fetch(listener.url)).status).toBe(400)
  })

  it('is gone where nobody listens', async () => {
    const stopped = await listen(new Vault(), { key })
    await stopped.close()
    expect(await goneOf(new VaultClient(key).put({ id: 'x', url: stopped.url }, CALL, kept()))).toBe(true)
  })

  it('gets no text to a program that stands at its address, and takes none from it', async () => {
    const heard: Buffer[] = []
    const spy = createServer((request, response) => {
      request.on('data', (part: Buffer) => heard.push(part))
      request.on('end', () => response.writeHead(200).end('{"handle":"forged"}'))
    })
    await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(spy.address() as AddressInfo).port}`
    expect(await goneOf(new VaultClient(key).put({ id: vault.id, url }, CALL, kept()))).toBe(true)
    expect(Buffer.concat(heard).length).toBeGreaterThan(0)
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('sentinel')
    spy.closeAllConnections()
    spy.close()
  })
})

describe('a vault beyond loopback', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-vault-tls-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const authority = (name: string): MutualTls => {
    const at = (file: string) => join(folder, `${name}-${file}`)
    const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
    openssl(
      ...`req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name} -keyout ${at('ca.key')} -out ${at('ca.pem')}`.split(
        ' ',
      ),
    )
    openssl(
      ...`req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=treeos-vault -keyout ${at('key')} -out ${at('csr')}`.split(
        ' ',
      ),
    )
    openssl(
      ...`x509 -req -in ${at('csr')} -CA ${at('ca.pem')} -CAkey ${at('ca.key')} -CAcreateserial -days 2 -out ${at('cert')}`.split(
        ' ',
      ),
    )
    const [cert, own, ca] = ['cert', 'key', 'ca.pem'].map((file) => readFileSync(at(file), 'utf8'))
    return { cert: cert!, key: own!, ca: ca! }
  }

  it('needs certificates', async () => {
    await expect(listen(new Vault(), { key, host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })

  it('answers callers with a certificate of its authority, and no others', async () => {
    const [tls, strange] = [authority('ours'), authority('strange')]
    const vault = new Vault()
    const listener = await listen(vault, { key, host: '0.0.0.0', advertise: '127.0.0.1', tls })
    try {
      const at = { id: vault.id, url: listener.url }
      expect(listener.url).toMatch(/^https:/)
      await new VaultClient(key, tls).put(at, CALL, kept())
      for (const caller of [
        new VaultClient(key, strange),
        new VaultClient(key, { ...strange, ca: tls.ca }),
        new VaultClient(key),
      ])
        await expect(caller.put(at, CALL, kept())).rejects.toBeInstanceOf(VaultAwayError)
      expect(vault.size).toBe(1)
    } finally {
      await listener.close()
    }
  })
})

describe('the key of an instance', () => {
  it('is made once, for its owner alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-vault-key-'))
    try {
      const file = join(folder, 'vault-key')
      const first = vaultKeyIn(file)
      expect(first).toHaveLength(32)
      expect(vaultKeyIn(file)).toEqual(first)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
