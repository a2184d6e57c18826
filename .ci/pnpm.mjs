/**
 * Installs the pnpm of CI beside this file, checks it against its pinned checksums, and prints its path. npm
 * checks what it downloads against the checksums that the registry tells; this checks those against ours.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const VERSION = '12.21.0'
/** `npm view NAME@VERSION dist.integrity` */
const PINNED = {
  pnpm: 'sha512-Zv2CeO4ok1zpUXktNDZ/869cQyonVkRYIwKVM4NbjaUpu+C+UTCv1W7QcT+4eJ5Hutgtk71a4v5UsVVi1idu8A==',
  '@pnpm/exe.linux-x64':
    'sha512-8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==',
  '@pnpm/exe.linux-arm64':
    'sha512-4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==',
}

const here = import.meta.dirname
const npm = ['install', '--prefix', here, '--no-save', '--no-audit', '--no-fund', `pnpm@${VERSION}`]
execFileSync('npm', npm, { stdio: ['ignore', 'ignore', 'inherit'] })
const { packages } = JSON.parse(readFileSync(join(here, 'node_modules/.package-lock.json'), 'utf8'))
for (const [path, { integrity }] of Object.entries(packages)) {
  const name = path.replace('node_modules/', '')
  if (integrity === undefined || PINNED[name] !== integrity)
    throw new Error(`${name} has the checksum ${integrity}, but .ci/pnpm.mjs pins ${PINNED[name] ?? 'none'}`)
}
console.log(join(here, 'node_modules/.bin/pnpm'))
