import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { FileNote } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { readGivenFile } from './read-file.ts'

// By a computed address: packages import nothing of test/, their tests only read what is there.
const { pageSaying, pdf, png } = (await import(
  new URL('../../../../test/support/files.ts', import.meta.url).href
)) as typeof import('../../../../test/support/files.ts')

const noteOf = (mediaType: string, bytes: Buffer): FileNote => ({
  digest: createHash('sha256').update(bytes).digest('hex'),
  mediaType,
  bytes: bytes.length,
  name: 'x',
})
const read = (mediaType: string, bytes: Buffer, charsMax = 1000) =>
  readGivenFile(noteOf(mediaType, bytes), bytes, charsMax)

describe('a file for a mind', () => {
  it('is a picture where every API takes it', async () => {
    const bytes = png()
    expect(await read('image/png', bytes)).toEqual({ kind: 'picture', data: bytes.toString('base64') })
  })

  it.each(['text/plain', 'text/csv', 'application/json', 'image/svg+xml', 'application/ld+json'])(
    'of %s is a text',
    async (mediaType) => {
      expect(await read(mediaType, Buffer.from('a,ü'))).toEqual({ kind: 'text', text: 'a,ü', isCut: false })
    },
  )

  it('that is a longer text is cut between characters', async () => {
    const text = 'ü😀'.repeat(50)
    expect(await read('text/plain', Buffer.from(text), 4)).toEqual({
      kind: 'text',
      text: 'ü😀ü',
      isCut: true,
    })
    expect(await read('text/plain', Buffer.from(text), 3)).toMatchObject({ text: 'ü😀', isCut: true })
    expect(await read('text/plain', Buffer.from('abc'), 3)).toMatchObject({ text: 'abc', isCut: false })
  })

  it.each([
    ['bytes that are no UTF-8', 'text/plain', Buffer.from([0xff, 0x61]), 'it is not a text in UTF-8'],
    ['a NUL', 'text/csv', Buffer.from('a\0b'), 'it holds bytes that are no text'],
    ['an archive', 'application/zip', Buffer.from('PK'), 'application/zip is neither a picture nor a text'],
    ['no PDF', 'application/pdf', Buffer.from('%PDF-1.4 nothing'), 'it cannot be read as a PDF'],
    ['a PDF without text', 'application/pdf', pdf([Buffer.from(' ')]), 'none of its 1 pages holds text'],
  ])('with %s is not shown, and why', async (_what, mediaType, bytes, why) => {
    expect(await read(mediaType, bytes)).toEqual({ kind: 'unread', why })
  })

  it('that is a PDF is read by pages, up to the room there is', async () => {
    const bytes = pdf([pageSaying('Euros 18 (paid)'), pageSaying('The end')])
    expect(await read('application/pdf', bytes)).toEqual({
      kind: 'text',
      text: 'Page 1 of 2:\nEuros 18 (paid)\nPage 2 of 2:\nThe end',
      isCut: false,
    })
    expect(await read('application/pdf', bytes, 10)).toMatchObject({ text: 'Page 1 of ', isCut: true })
  })

  it('that is a PDF which unpacks to gigabytes is given up, and the next one is read', async () => {
    const inner = deflateSync(Buffer.alloc(1 << 28, ' '), { level: 9 })
    const bomb = pdf(
      Array.from({ length: 16 }, () => inner),
      '/FlateDecode',
    )
    expect(bomb.length).toBeLessThan(5 * 1024 * 1024)
    const before = process.memoryUsage.rss()
    expect(await read('application/pdf', bomb)).toEqual({
      kind: 'unread',
      why: 'it takes too much time or memory to read',
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(1.5 * 1024 ** 3)
    expect(await read('application/pdf', pdf([pageSaying('Next')]))).toMatchObject({ kind: 'text' })
  }, 60_000)
})
