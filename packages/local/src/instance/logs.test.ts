import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { followLogs, lastLines, requireLogs } from './logs.ts'

const top = mkdtempSync(join(tmpdir(), 'treeos-logs-'))
afterAll(() => rmSync(top, { recursive: true }))
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(top, 'instance-'))
})

describe('the logs of an instance', () => {
  it('are the files that its services wrote, or those that are named', () => {
    for (const name of ['worker-1.log', 'postgres.log', 'instance.json']) writeFileSync(join(dir, name), '')
    const postgres = { service: 'postgres', file: join(dir, 'postgres.log') }
    expect(requireLogs(dir, [])).toEqual([postgres, { service: 'worker-1', file: join(dir, 'worker-1.log') }])
    expect(requireLogs(dir, ['postgres'])).toEqual([postgres])
    expect(() => requireLogs(dir, ['portal'])).toThrow(
      'there is no log of "portal"; there is postgres, worker-1',
    )
  })

  it('are missed where no instance was started', () => {
    expect(() => requireLogs(join(dir, 'none'), [])).toThrow('no instance was started there')
  })

  it('are not missed where the folder cannot be read: the error says why', () => {
    const file = join(dir, 'a-file')
    writeFileSync(file, '')
    expect(() => requireLogs(file, [])).toThrow('ENOTDIR')
  })

  it.each([
    { text: '', count: 5, lines: [], end: 0 },
    { text: 'a\nb\nc\n', count: 2, lines: ['b', 'c'], end: 6 },
    { text: 'a\nb\nc\n', count: 0, lines: [], end: 6 },
    { text: 'a\nb\nunder way', count: 5, lines: ['a', 'b'], end: 4 },
    { text: `${'ä'.repeat(70_000)}\nlast\n`, count: 1, lines: ['last'], end: 140_006 },
  ])('end with $lines of the last $count', ({ text, count, lines, end }) => {
    const file = join(dir, 'a.log')
    writeFileSync(file, text)
    expect(lastLines(file, count)).toEqual({ lines, end })
  })

  it('are followed line by line, from a service that starts later and a log that is begun anew too', async () => {
    const file = join(dir, 'worker-1.log')
    writeFileSync(file, 'before\nfir')
    const seen: string[] = []
    const stop = followLogs(dir, new Map([['worker-1', 7]]), (service, line) =>
      seen.push(`${service} ${line}`),
    )
    const comes = (...lines: string[]) => vi.waitFor(() => expect(seen).toEqual(lines), { timeout: 5_000 })
    appendFileSync(file, 'st\nsecond\n')
    await comes('worker-1 first', 'worker-1 second')
    writeFileSync(join(dir, 'worker-2.log'), 'hello\n')
    await comes('worker-1 first', 'worker-1 second', 'worker-2 hello')
    writeFileSync(file, 'anew\n')
    await comes('worker-1 first', 'worker-1 second', 'worker-2 hello', 'worker-1 anew')
    stop()
  })
})
