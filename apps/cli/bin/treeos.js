#!/usr/bin/env node
// Starts the command line. This file is plain JavaScript for old Node too: where the running Node is too old for the rest, it
// runs again with the Node that is installed beside the packages.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const { engines } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'))
const majorOf = (version) => Number(/\d+/.exec(version)?.[0])
const nodeMajorMin = majorOf(engines.node)
const source = join(here, '../src/main.ts')
const main = existsSync(source) ? source : join(here, '../dist/main.js')

if (majorOf(process.versions.node) >= nodeMajorMin) {
  await import(pathToFileURL(main).href)
} else {
  const node = installedNode()
  if (node === null) {
    console.error(
      `error: treeos needs Node ${nodeMajorMin} or newer, and this is Node ${process.version}. ` +
        'Install a newer one from https://nodejs.org/en/download, or add it to this project: npm install --save-dev node@' +
        nodeMajorMin,
    )
    process.exit(1)
  }
  run(node)
}

/** The `node` of the npm package of that name, in the nearest node_modules that has a new one, of the folder we stand in or lie in. */
function installedNode() {
  for (const start of [process.cwd(), here]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const file = join(folder, 'node_modules/.bin/node')
      if (
        existsSync(file) &&
        majorOf(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout ?? '') >= nodeMajorMin
      )
        return file
      if (folder === dirname(folder)) break
    }
  }
  return null
}

/** Ends as the other process ends. Signals go to it. */
function run(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`error: ${node} cannot be started: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
}
