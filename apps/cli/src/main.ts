#!/usr/bin/env node
// Nothing is imported before the version is known: an older Node fails at an import, with a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(
    `treeos needs Node 22.12 or newer. This is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer one from https://nodejs.org, or add one to this folder with `npm install --save-dev node@24`\n' +
      'and run `npx treeos`.',
  )
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
const { homedir } = await import('node:os')
const { join } = await import('node:path')
const { loadEnvironment } = await import('./environment.ts')
const { goToInstance } = await import('./text/folder.ts')

enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos', 'compiled'))
goToInstance(process.argv.slice(2))
loadEnvironment(process.env, join(process.cwd(), '.env'))
const { main } = await import('./run.ts')
await main(process.argv.slice(2))
