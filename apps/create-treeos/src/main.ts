#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { create, UsageError } from './create.ts'
import { muslFault } from './musl.ts'

const USAGE = `npm create treeos FOLDER

Makes a folder with an extension of the same name: a role, an operation, a signal, and a world to try them in.

  --from DIR   link TreeOS from a checkout of its repository instead of installing it from npm`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) console.log(USAGE)
  else {
    const [path, ...more] = positionals
    if (path === undefined || more.length > 0) throw new UsageError('give one folder')
    const fault = muslFault()
    if (fault !== null) throw new UsageError(fault)
    const { folder, files } = create(path, { from: values.from })
    // npm does not know `link:` and `workspace:`, which a checkout needs.
    const manager = values.from === undefined ? 'npm' : 'npx pnpm@12.21.0'
    console.log(
      `${folder} now has ${files.join(', ')}\n\nNow:\n  cd ${path}\n  ${manager} install\n  ${manager} start`,
    )
  }
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
  console.error(isUsage ? `${(error as Error).message}\n\n${USAGE}` : error)
  process.exitCode = isUsage ? 2 : 1
}
