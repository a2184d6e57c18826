/**
 * Packs every published package and asks publint and arethetypeswrong whether it can be used:
 * `node scripts/check-packages.ts`, after a build.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packAll } from './packages.ts'

/** Our packages are ES modules: what asks for them as CommonJS, or by the rules of Node 10, is not served. */
const ESM_ONLY = ['node10', 'node16-cjs']

const folder = mkdtempSync(join(tmpdir(), 'treeos-packages-'))
const faults: string[] = []
try {
  const tarballs = await packAll(folder)
  for (const file of tarballs)
    faults.push(
      ...[...(await lint(file)), ...(await checkTypes(file))].map((fault) => `${basename(file)}: ${fault}`),
    )
  console.log(`${tarballs.length} packages`)
} finally {
  rmSync(folder, { recursive: true })
}
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

async function lint(file: string): Promise<string[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(file)
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  // of the template
  const own = messages.filter((message) => message.code !== 'NESTED_PACKAGE_JSON_FIELD_IGNORED')
  return own.map((message) => `publint: ${formatMessage(message, pkg ?? {}) ?? message.code}`)
}

async function checkTypes(file: string): Promise<string[]> {
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(file)))
  const { exports } = JSON.parse(packed.readFile(`/node_modules/${packed.packageName}/package.json`))
  if (exports === undefined) return [] // a command alone
  const checked = await checkPackage(packed)
  if (!checked.types) return ['attw: no types']
  return checked.problems
    .filter((problem) => !('resolutionKind' in problem && ESM_ONLY.includes(problem.resolutionKind)))
    .map((problem) => `attw: ${JSON.stringify(problem)}`)
}
