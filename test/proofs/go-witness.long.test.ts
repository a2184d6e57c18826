/**
 * The public witness `litewitness`, in Go, cosigns the log of a reality. `packages/proofs/test/go-witness`
 * pins its version.
 */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@treeos/local'
import {
  findCosigned,
  logOrigin,
  makeCheckpoint,
  readConsistencyProof,
  readKeys,
  Signer,
  verifierKeyOf,
  WitnessClient,
} from '@treeos/proofs'
import { parsePolicy, readCheckpoint } from '@treeos/verify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../cli/instance.ts'
import { publish } from '../support/life.ts'
import { useWorld } from '../support/use-world.ts'

const has = (program: string): boolean => spawnSync('which', [program]).status === 0
const lacking = ['go', 'ssh-agent', 'ssh-add', 'ssh-keygen'].filter((program) => !has(program))
const title = `litewitness${lacking.length === 0 ? '' : `: skipped, since ${lacking.join(' and ')} is missing`}`

const GO = join(import.meta.dirname, '../../packages/proofs/test/go-witness')
/** Kept: to link it anew takes seconds of each run. */
const BIN = join(homedir(), '.cache', 'treeos', 'go-witness')
const NAME = 'witness.example/lite'
const never = new AbortController().signal

describe.skipIf(lacking.length > 0)(title, () => {
  const world = useWorld()
  const home = mkdtempSync(join(tmpdir(), 'treeos-lite-'))
  const children: ChildProcess[] = []
  const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    execFileSync(program, args, {
      cwd: home,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const background = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] })
    children.push(child)
    return child
  }
  let [url, vkey] = ['', '']
  let signer: Signer
  const folder = join(home, 'checkpoints')

  beforeAll(async () => {
    mkdirSync(BIN, { recursive: true })
    const programs = ['litewitness', 'witnessctl'].map((name) => `filippo.io/torchwood/cmd/${name}`)
    // The worker of the world runs in this process, so nothing may hold it up for a minute.
    await promisify(execFile)('go', ['build', '-o', `${BIN}/`, ...programs], { cwd: GO })
    const origin = logOrigin(world.reality.id)
    const place = { origin, keyFile: join(home, 'log-key'), lastFile: join(home, 'last.json'), folder }
    signer = new Signer(place)
    run(`${BIN}/witnessctl`, ['add-log', '-origin', origin])
    run(`${BIN}/witnessctl`, ['add-key', '-origin', origin, '-key', verifierKeyOf(readKeys(folder)[0]!)])
    const socket = join(home, 'agent.sock')
    background('ssh-agent', ['-D', '-a', socket])
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', 'witness-key'])
    const isAdded = () => {
      try {
        return run('ssh-add', ['witness-key'], { SSH_AUTH_SOCK: socket }) !== null
      } catch {
        return false // the agent does not listen yet
      }
    }
    await until('the agent', isAdded)
    const [, fingerprint = ''] = run('ssh-keygen', ['-lf', 'witness-key.pub']).split(' ')
    const port = await freePort('a witness')
    let told = ''
    const args = ['-name', NAME, '-ssh-agent', socket, '-key', fingerprint, '-listen', `127.0.0.1:${port}`]
    background(`${BIN}/litewitness`, args).stderr?.on('data', (text) => (told += text))
    await until('the witness', async () => told.includes('listening'))
    vkey = /vkey=(\S+)/.exec(told)?.[1] ?? ''
    url = `http://127.0.0.1:${port}`
  })
  afterAll(() => {
    for (const child of children) child.kill()
    rmSync(home, { recursive: true })
  })

  const policyText = () =>
    `log ${verifierKeyOf(readKeys(folder)[0]!)}\nwitness lite ${vkey} ${url}\nquorum lite\n`
  const cosigning = (name: string) => new WitnessClient(policyText(), { file: join(home, name), folder })
  const ask = (by: WitnessClient) =>
    by.ask(signer.newest!, (from, to) => readConsistencyProof(world.owner, from, to), never)

  it('cosigns a log that grows, also when the signer forgot what it saw, and the verifier reads what it signed', async () => {
    const one = cosigning('one.json')
    for (let i = 0; i < 3; i++) {
      await publish(world, 'log.value', i)
      await makeCheckpoint(world.owner, signer)
      await ask(one)
      expect(one.state.witnesses).toMatchObject([{ fault: null, size: signer.newest?.size }])
    }
    await publish(world, 'log.value', 9)
    await makeCheckpoint(world.owner, signer)
    const other = cosigning('other.json')
    await ask(other)
    expect(other.state).toMatchObject({
      reached: { size: signer.newest?.size },
      witnesses: [{ fault: null }],
    })
    const { note } = findCosigned(folder, logOrigin(world.reality.id), readKeys(folder))!
    expect(readCheckpoint(note, parsePolicy(policyText()))).toMatchObject({
      signed: true,
      size: signer.newest?.size,
      cosigned: [{ by: 'lite', at: expect.any(Number) }],
    })
  })

  it('refuses a fork by the holder of the key, a signer with another key, and a log that it does not watch', async () => {
    const { note, size } = signer.newest!
    const forkPlace = join(home, 'fork')
    const origin = logOrigin(world.reality.id)
    const fork = new Signer({
      origin,
      keyFile: join(home, 'log-key'),
      lastFile: join(forkPlace, 'last'),
      folder: forkPlace,
    })
    fork.sign({ size: size + 1, root: Buffer.alloc(32, 7) }, [])
    const by = cosigning('fork.json')
    const whys = async (pending: { size: number; note: string }) => {
      await by.ask(pending, (from, to) => readConsistencyProof(world.owner, from, Math.min(to, size)), never)
      return by.state.witnesses.map(({ fault }) => fault?.why ?? null)
    }
    expect(await whys(fork.newest!)).toEqual(['inconsistent'])
    const strange = new Signer({
      origin,
      keyFile: join(home, 'k2'),
      lastFile: join(home, 'l2'),
      folder: join(home, 'f2'),
    })
    strange.sign({ size, root: Buffer.alloc(32, 7) }, [])
    expect(await whys(strange.newest!)).toEqual(['untrusted'])
    const elsewhere = 'treeos/elsewhere'
    const unknown = new Signer({
      origin: elsewhere,
      keyFile: join(home, 'k3'),
      lastFile: join(home, 'l3'),
      folder: join(home, 'f3'),
    })
    unknown.sign({ size, root: Buffer.alloc(32, 7) }, [])
    // this version answers 403, the text of now says 404
    expect(await whys(unknown.newest!)).toEqual(['untrusted'])
    expect(await whys({ note, size })).toEqual([null]) // control
  })
})
