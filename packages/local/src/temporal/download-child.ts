/**
 * node download-child.ts FOLDER FILE URL SHA256: downloads an archive, checks it, and puts the `temporal` in
 * it into the folder under the name FILE. The reason of a failure is the last line on stderr.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const [folder, file, url, sha256] = process.argv.slice(2)
if (folder === undefined || file === undefined || url === undefined || sha256 === undefined)
  throw new TypeError('usage: download-child.ts FOLDER FILE URL SHA256')
const archive = join(folder, `${file}.${process.pid}.downloading`)
try {
  const answer = await fetch(url)
  if (!answer.ok || answer.body === null) throw new Error(`${new URL(url).host} answered ${answer.status}`)
  const hash = createHash('sha256')
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(Readable.fromWeb(answer.body as never), hashed, createWriteStream(archive))
  const found = hash.digest('hex')
  if (found !== sha256) throw new Error(`the archive has the SHA-256 ${found}, but ${sha256} is pinned`)
  const unpacked = mkdtempSync(join(folder, '.unpacked-'))
  try {
    execFileSync('tar', ['-xzf', archive, '-C', unpacked, 'temporal'], { stdio: 'pipe' })
    renameSync(join(unpacked, 'temporal'), join(folder, file)) // atomic: nothing partial has this name
  } finally {
    rmSync(unpacked, { recursive: true })
  }
} catch (error) {
  console.error(downloadReason(error))
  process.exitCode = 1
} finally {
  rmSync(archive, { force: true })
}

/** `fetch` says only that it failed; its cause says why. */
function downloadReason(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return (cause?.code ?? cause?.message ?? message ?? String(error)).replace(/\s*\n\s*/g, ' ')
}
