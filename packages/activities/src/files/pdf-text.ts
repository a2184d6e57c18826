import { Worker } from 'node:worker_threads'

/** A PDF that is larger inside than it looks must not fill the memory of a worker, nor hold it for long. */
const SECONDS_MAX = 8
const GROWTH_BYTES_MAX = 512 * 1024 * 1024
const WATCH_MS = 50
const PAGES_MAX = 500

/** Says as much of the machine as of the PDF. */
export const TOO_MUCH = 'it takes too much time or memory to read'

/** The text of a PDF by pages, or why there is none. */
export type PdfText =
  | { readonly pages: readonly string[]; readonly count: number; readonly fault?: undefined }
  | { readonly fault: string }

/** Runs in a thread of its own, which can be ended at any time. */
const READING = `
const { parentPort, workerData } = require('node:worker_threads')
const read = async () => {
  const { getDocumentProxy } = await import(workerData.library)
  const pdf = await getDocumentProxy(workerData.bytes, { isEvalSupported: false, disableFontFace: true, verbosity: 0, stopAtErrors: false })
  const pages = []
  let left = workerData.charsMax
  for (let n = 1; n <= Math.min(pdf.numPages, workerData.pagesMax) && left > 0; n++) {
    const { items } = await (await pdf.getPage(n)).getTextContent()
    let text = ''
    for (const item of items) {
      if (text.length > left) break
      text += typeof item.str === 'string' ? item.str + (item.hasEOL ? '\\n' : '') : ''
    }
    pages.push(text.slice(0, left))
    left -= text.length
  }
  return { pages, count: pdf.numPages }
}
read().catch((error) => ({ fault: error?.name === 'PasswordException' ? 'it is locked by a password' : 'it cannot be read as a PDF' }))
  .then((found) => parentPort.postMessage(found))
`

let last: Promise<unknown> = Promise.resolve()

/**
 * Reads the text of a PDF, one PDF at a time.
 * @param charsMax characters after which it reads no further
 */
export function readPdf(bytes: Uint8Array, charsMax: number): Promise<PdfText> {
  const reading = last.then(() => readAlone(bytes, charsMax))
  last = reading.catch(() => undefined)
  return reading
}

async function readAlone(bytes: Uint8Array, charsMax: number): Promise<PdfText> {
  const library = import.meta.resolve('unpdf')
  const before = process.memoryUsage.rss()
  const worker = new Worker(READING, {
    eval: true,
    workerData: { bytes: Uint8Array.from(bytes), charsMax, library, pagesMax: PAGES_MAX },
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const { promise, resolve } = Promise.withResolvers<PdfText>()
  const tooMuch = { fault: TOO_MUCH }
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > GROWTH_BYTES_MAX) resolve(tooMuch)
  }, WATCH_MS)
  const timer = setTimeout(() => resolve(tooMuch), SECONDS_MAX * 1000)
  worker.once('message', resolve)
  worker.once('error', () => resolve(tooMuch)) // its memory is bounded, and so it ends
  worker.once('exit', () => resolve(tooMuch))
  try {
    return await promise
  } finally {
    clearInterval(watch)
    clearTimeout(timer)
    await worker.terminate()
  }
}
