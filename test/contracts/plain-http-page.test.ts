import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const PAGE = resolve(import.meta.dirname, '../../apps/portal/page/src')
/** What browsers give only to pages over TLS or of this machine. */
const SECURE_ONLY =
  /\bcrypto\.(randomUUID|subtle)\b|navigator\.(clipboard|serviceWorker|locks)\b|CopyButton\b/
/** How a file asks before it uses one. */
const ASKED = /isSecureContext|'locks' in navigator/

it('the page works over plain http from another machine: it asks before it uses what browsers give to secure pages alone', () => {
  const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  )
  const texts = files.map((file) => ({ file, text: readFileSync(join(PAGE, file), 'utf8') }))
  const using = texts.filter(({ text }) => SECURE_ONLY.test(text))
  expect(using.length).toBeGreaterThan(0) // a control: the pattern finds what is there
  expect(using.filter(({ text }) => !ASKED.test(text)).map(({ file }) => file)).toEqual([])
})
