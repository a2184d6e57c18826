import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { secureHeaders } from './headers.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** In the built page where the nonce of its styles goes. */
const NONCE = '__NONCE__'

interface Asset {
  readonly bytes: Buffer
  readonly packed: Buffer
  readonly type: string
}

/** The built page, whole in memory: no request ever names a file. */
export class BuiltPage {
  readonly #assets = new Map<string, Asset>()
  readonly #index: string

  /** @throws {Error} when nothing was built in the folder */
  constructor(folder: string) {
    const index = join(folder, 'index.html')
    if (!existsSync(index)) throw new Error(`${folder} holds no built page: \`pnpm run build\` makes it`)
    this.#index = readFileSync(index, 'utf8')
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const type = TYPES[extname(entry.name)]
      if (!entry.isFile() || type === undefined || entry.name === 'index.html') continue
      const file = join(entry.parentPath, entry.name)
      const bytes = readFileSync(file)
      const path = file.slice(folder.length).replaceAll('\\', '/')
      this.#assets.set(path, { bytes, packed: gzipSync(bytes), type })
    }
  }

  /** A file of the page. Every other path is a place within it, which its script knows. */
  answer(path: string, acceptEncoding: string | undefined): Response {
    const asset = this.#assets.get(path)
    if (asset !== undefined) return fileResponse(asset, acceptEncoding?.includes('gzip') === true)
    if (path.startsWith('/assets/'))
      return new Response('not found', { status: 404, headers: secureHeaders(null) })
    const nonce = randomBytes(16).toString('base64url')
    return new Response(this.#index.replaceAll(NONCE, nonce), {
      headers: { ...secureHeaders(nonce), 'content-type': TYPES['.html']!, 'cache-control': 'no-store' },
    })
  }
}

/** Names of files hold a digest of their bytes, so they can be kept for ever. */
const fileResponse = ({ bytes, packed, type }: Asset, isPacked: boolean): Response =>
  new Response(new Uint8Array(isPacked ? packed : bytes), {
    headers: {
      ...secureHeaders(null),
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    },
  })
