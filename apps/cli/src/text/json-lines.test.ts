import { TreeosError } from '@treeos/core'
import { expect, it } from 'vitest'
import { answerLines } from './json-lines.ts'
import { Output } from './output.ts'

class Kept extends Output {
  readonly said: unknown[] = []
  constructor() {
    super(true)
  }
  override jsonLine(value: unknown): void {
    this.said.push(value)
  }
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function echo(input: unknown) {
  const { id, refuse } = input as { id: string; refuse?: boolean }
  if (refuse) throw new TreeosError('INVALID_INPUT', 'refused')
  return { id, ok: true }
}

it.each([1, 7, 4096])(
  'answers every line in order, however its bytes arrive (%i at a time)',
  async (size) => {
    const lines = ['{"id":"a\u2028b — 木"}', '', '{"id":2,"refuse":true}', 'x', '\r', '{"id":3}']
    const out = new Kept()
    const status = await answerLines(inChunks(Buffer.from(lines.join('\n')), size), echo, out)
    expect(status).toBe(1)
    expect(out.said).toEqual([
      { id: 'a\u2028b — 木', ok: true },
      { id: 2, error: { code: 'INVALID_INPUT', message: 'refused' } },
      {
        id: null,
        error: expect.objectContaining({ message: 'line 4 is not JSON: column 1: "x" stands here' }),
      },
      { id: 3, ok: true },
    ])
  },
)

it('refuses bytes that are not text, and goes on', async () => {
  const out = new Kept()
  const input = Buffer.concat([
    Buffer.from('{"id":"'),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('"}\n{"id":1}\n'),
  ])
  expect(await answerLines(inChunks(input, 5), echo, out)).toBe(1)
  expect(out.said).toEqual([
    { id: null, error: { code: 'INVALID_INPUT', message: 'line 1 is not UTF-8 text' } },
    { id: 1, ok: true },
  ])
})

it('is content with nothing to answer', async () => {
  const out = new Kept()
  expect(await answerLines(inChunks(Buffer.from('\n\n'), 1), echo, out)).toBe(0)
  expect(out.said).toEqual([])
})
