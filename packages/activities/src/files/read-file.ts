import type { FileNote } from '@treeos/core'
import { LRUCache } from 'lru-cache'
import { type PdfText, readPdf, TOO_MUCH } from './pdf-text.ts'

/** What can be shown of a file. */
export type FileReading =
  | { readonly kind: 'picture'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'unread'; readonly why: string }

/** Pictures that each API of models takes. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** Beside `text/…`. SVG is a text: it can hold code, so nothing here draws it. */
const TEXTS =
  /^text\/|^application\/(json|xml|yaml|toml|javascript|sql|x-ndjson|x-yaml|x-sh)$|\+(json|xml|yaml)$/
const PDF = 'application/pdf'

const SPARE_CHARS = 4

/**
 * Reads a file for a mind. No archive is unpacked, and no picture is decoded.
 * @param charsMax a longer text is cut
 */
export async function readGivenFile(
  { mediaType, digest }: FileNote,
  bytes: Buffer,
  charsMax: number,
): Promise<FileReading> {
  if (PICTURES.has(mediaType)) return { kind: 'picture', data: bytes.toString('base64') }
  if (TEXTS.test(mediaType)) return textIn(bytes, charsMax)
  if (mediaType !== PDF) return { kind: 'unread', why: `${mediaType} is neither a picture nor a text` }
  const found = await pdfOnce(digest, bytes, charsMax)
  if (found.fault !== undefined) return { kind: 'unread', why: found.fault }
  const { pages, count } = found
  if (pages.every((page) => page.trim() === ''))
    return { kind: 'unread', why: `none of its ${count} pages holds text` }
  const text = pages.map((page, i) => `Page ${i + 1} of ${count}:\n${page}`).join('\n')
  const isCut = pages.length < count || text.length > charsMax
  return { kind: 'text', text: text.slice(0, charsMax).toWellFormed(), isCut }
}

/** A call of a model that is made again reads the same files. */
const read = new LRUCache<string, PdfText>({ max: 32 })

const TOO_MUCH_MS = 60_000

async function pdfOnce(digest: string, bytes: Buffer, charsMax: number): Promise<PdfText> {
  const key = `${digest} ${charsMax}`
  const known = read.get(key)
  if (known !== undefined) return known
  const found = await readPdf(bytes, charsMax)
  // A machine that is busy gives up what it could read later.
  read.set(key, found, found.fault === TOO_MUCH ? { ttl: TOO_MUCH_MS } : {})
  return found
}

/** UTF-8, or UTF-16 where a mark says so. */
function textIn(bytes: Buffer, charsMax: number): FileReading {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  const encoding = isUtf16 ? 'utf-16le' : 'utf-8'
  const room = bytes.subarray(0, SPARE_CHARS * charsMax + SPARE_CHARS)
  try {
    // The cut may stand within a character, so the decoder is told that more comes.
    const text = new TextDecoder(encoding, { fatal: true }).decode(room, {
      stream: room.length < bytes.length,
    })
    if (text.includes('\0')) return { kind: 'unread', why: 'it holds bytes that are no text' }
    const isCut = room.length < bytes.length || text.length > charsMax
    return { kind: 'text', text: text.slice(0, charsMax).toWellFormed(), isCut }
  } catch {
    return { kind: 'unread', why: 'it is not a text in UTF-8' }
  }
}
